# SPDX-License-Identifier: Apache-2.0
# What looks at the programs without running them, and the unit tests under other eyes. By hand: they take minutes.
ANALYZED := $(patsubst %.c,%,$(wildcard common/*/*.c services/*/*.c))
THREADED := $(addprefix tests/unit/,monitor/test_monitor services_notifier/test_sender services_notifier/test_channel_command \
            services_notifier/test_channel_webhook log/test_log regex/test_regex zone/test_zone)

.PHONY: analyze valgrind threads
analyze: ## gcc's and clang's analyzers over the C of common and services
	deploy/dev/setup fuzz
	@$(MAKE) $(ANALYZED:%=$(B)/analyze/gcc/%.o) $(ANALYZED:%=$(B)/analyze/clang/%.plist)
	@echo '  ok   $(words $(ANALYZED)) files'
# left out: a group of consumers whose time limit is too short there, and programs that can't be started, which valgrind tells
# otherwise
valgrind: ## the unit tests under valgrind; TESTS="build/tests/unit/…" picks
	@$(MAKE) $(TESTS)
	deploy/dev/with-servers tests/analyze/valgrind $(filter-out %/test_consumer_group %/test_channel_command,$(TESTS))
threads: ## the unit tests of the rooms with threads under the thread sanitizer (librdkafka does not bear it)
	$(MAKE) SAN=thread $(THREADED:%=build/san-thread/%)
	@failed=; for t in $(THREADED:%=build/san-thread/%); do $$t || failed="$$failed $$t"; done; \
	[ -z "$$failed" ] || { echo "failed:$$failed" >&2; exit 1; }

# gcc loses sight of a block when it becomes the newest of an arena
$(B)/analyze/gcc/common/memory/memory.o: EXTRA_CFLAGS += -Wno-analyzer-malloc-leak
$(B)/analyze/gcc/%.o: %.c Makefile | $(GEN)
	$(call say,gcc -fanalyzer $<) $(CC) $(CFLAGS) -fanalyzer -c $< -o $@
$(B)/analyze/clang/%.plist: %.c Makefile | $(GEN)
	$(call say,clang --analyze $<) $(FUZZ_CC) $(filter-out -Werror -Wconversion,$(CFLAGS)) --analyze --analyzer-output text \
	-Xclang -analyzer-werror $< && touch $@
