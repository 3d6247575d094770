# SPDX-License-Identifier: Apache-2.0
# The benchmark. BENCH="rate latency stored open approvals recovery policy conditions peers" are its parts, BENCH=memory and BENCH=profile run by name only;
# N is the number of requests in a round, ROUNDS that of the rounds.
BENCH_TOOLS := $(B)/tests/bench/limit $(B)/tests/bench/load
BENCH_POLICY := $(B)/tests/bench/policy $(B)/tests/bench/peers/countersign
OBJECTS     += $(addsuffix .o,$(BENCH_TOOLS) $(BENCH_POLICY)) $(B)/tests/bench/tool.o

.PHONY: bench
bench: all $(BENCH_TOOLS) $(BENCH_POLICY) ## Countersign beside the limit of its servers; BENCH=name picks a part
	deploy/dev/with-servers $(PYTHON) -B tests/bench/bench.py $(BENCH)
$(BENCH_TOOLS): %: %.o $(B)/tests/bench/tool.o
	$(call say,link $@) $(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@
$(BENCH_POLICY): %: %.o $(B)/libcommon.a
	$(call say,link $@) $(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@
