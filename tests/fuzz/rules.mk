# SPDX-License-Identifier: Apache-2.0
# Fuzzing: libFuzzer targets that clang builds (make fuzz), and the replay of their kept inputs that gcc builds, plain and under
# the sanitizers (part of make unit).
FUZZ         := request
SECONDS      := 60
FUZZ_CC      := clang-19
FUZZ_SAN     := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FUZZ_GCC     := -O1 -U_FORTIFY_SOURCE $(FUZZ_SAN) -Wno-error=maybe-uninitialized
# memory.c knows the sanitizer by gcc's name for it
FUZZ_CLANG    = -D_GNU_SOURCE -DFUZZ_LIBFUZZER -D__SANITIZE_ADDRESS__ -O1 -g -Wall -I. -I$(B)/gen $(PKG_CFLAGS) \
                -fsanitize=fuzzer-no-link $(FUZZ_SAN)
FUZZ_ALL     := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_ROOMS   := approval canonical cel clock config crypto document error finding id jws log memory message policy regex value visible zone
FUZZ_PRODUCT := $(foreach r,$(FUZZ_ROOMS),$(wildcard common/$r/*.c common/$r/*.cc)) services/relay/relay_headers.c services/countersign/jwks.c \
                $(addprefix services/countersign/,cel_codec_write.c cel_time.c) \
                $(filter-out %/main.c %/sender.c services/notifier/notifier%,$(wildcard services/notifier/*.c))
FUZZ_SHARED  := $(FUZZ_PRODUCT) tests/fuzz/fuzz.c tests/fuzz/activation.c tests/fuzz/expression.c tests/fuzz/situation.c \
                tests/properties/combination.c
FUZZ_REPLAY  := $(FUZZ_SHARED) tests/fuzz/replay.c $(FUZZ_ALL:%=tests/fuzz/fuzz_%.c)

.PHONY: fuzz fuzz-all fuzz-merge fuzz-replay
fuzz: ## FUZZ=name SECONDS=n: n seconds of libFuzzer; what it finds stays in build/fuzz
	deploy/dev/setup fuzz
	$(MAKE) $(B)/fuzz/$(FUZZ)
	tests/fuzz/run $(FUZZ) $(SECONDS)
fuzz-merge: ## FUZZ=name: the fewest inputs that reach as much become the kept ones
	$(MAKE) $(B)/fuzz/$(FUZZ)
	tests/fuzz/run $(FUZZ) merge
fuzz-all: $(FUZZ_ALL:%=$(B)/fuzz/%)
fuzz-replay: $(B)/fuzz/replay
	@$<

# the plain one is a cmocka program like the others, but it needs more than the archive
TESTS   += $(B)/tests/fuzz/replay
OBJECTS += $(patsubst %.c,$(B)/%.o,$(filter tests/%,$(FUZZ_REPLAY)))
$(B)/tests/fuzz/replay: $(patsubst %.c,$(B)/%.o,$(filter-out common/% %/replay.c,$(FUZZ_REPLAY)))
unit: fuzz-replay

$(B)/fuzz/replay: $(patsubst %,$(B)/fuzz/replay.d/%.o,$(basename $(FUZZ_REPLAY)))
	$(call say,link $@) $(CC) -pie $(FUZZ_SAN) $^ -lcmocka $(LDLIBS) -o $@
$(B)/fuzz/replay.d/%.o: %.c Makefile tests/fuzz/rules.mk | $(GEN)
	$(call say,cc   $<) $(CC) $(filter-out -O2,$(CFLAGS)) $(FUZZ_GCC) -MMD -MP -c $< -o $@
$(B)/fuzz/replay.d/%.o: %.cc Makefile tests/fuzz/rules.mk
	$(call say,c++  $<) $(CXX) $(filter-out -O2,$(CXXFLAGS)) $(FUZZ_GCC) -MMD -MP -c $< -o $@
$(FUZZ_ALL:%=$(B)/fuzz/%): $(B)/fuzz/%: $(B)/fuzz/clang.d/tests/fuzz/fuzz_%.o $(patsubst %,$(B)/fuzz/clang.d/%.o,$(basename $(FUZZ_SHARED)))
	$(call say,link $@) $(FUZZ_CC) -fsanitize=fuzzer $(FUZZ_SAN) $^ $(LDLIBS) -o $@
$(B)/fuzz/clang.d/%.o: %.c Makefile tests/fuzz/rules.mk | $(GEN)
	$(call say,clang $<) $(FUZZ_CC) -std=c17 $(FUZZ_CLANG) -MMD -MP -c $< -o $@
$(B)/fuzz/clang.d/%.o: %.cc Makefile tests/fuzz/rules.mk
	$(call say,clang $<) $(FUZZ_CC) -std=c++17 -fno-rtti $(FUZZ_CLANG) -MMD -MP -c $< -o $@
-include $(foreach d,replay.d clang.d,$(patsubst %,$(B)/fuzz/$d/%.d,$(basename $(FUZZ_REPLAY))))
