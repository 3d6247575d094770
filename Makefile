# Builds, checks and runs Countersign. It finds its files itself: a folder in services/ is a program, a folder in
# common/ is a room of libcommon.a. `make help` says what there is, SAN=address,undefined builds beside
# the plain build, V=1 shows the commands.

SAN      :=
comma    := ,
B        := build$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))
PREFIX   := /usr/local
WALK     := tests/schema tests/oracle tests/walk
PYTHON   := /usr/bin/python3
CC       := gcc
say       = @mkdir -p $(@D); $(if $(V),set -x,echo '  $1');

HARDEN   := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
SANITIZE := -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer -Wno-error=maybe-uninitialized
PACKAGES := rdkafka libpq jansson yaml-0.1 uuid libcrypto libsodium libcurl libmicrohttpd re2
# asked once, and only when something is compiled: `make setup` may have to install pkg-config and the libraries first
packages  = $(if $(shell pkg-config --exists $(PACKAGES) && echo yes),$(shell pkg-config $1 $(PACKAGES)),$(error libraries are missing: run "make setup"))
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(call packages,--cflags))$(PKG_CFLAGS)
PKG_LIBS   = $(eval PKG_LIBS := $$(call packages,--libs))$(PKG_LIBS)
CFLAGS    = -std=c17 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wshadow -Wconversion -Werror -I. -I$(B)/gen -fPIE \
            -fstack-protector-strong $(if $(SAN),$(SANITIZE),$(HARDEN)) $(PKG_CFLAGS) $(EXTRA_CFLAGS)
CXXFLAGS  = $(filter-out -std=c17,$(CFLAGS)) -std=c++17 -fno-rtti # for libraries that speak nothing else
LDFLAGS   = -pie -Wl,-z,relro,-z,now -Wl,--as-needed $(if $(SAN),-fsanitize=$(SAN))
LDLIBS    = $(PKG_LIBS) -lstdc++ -lpthread -lm

SERVICES := $(patsubst services/%/main.c,%,$(wildcard services/*/main.c))
PROGRAMS := $(addprefix $(B)/bin/,$(SERVICES))
COMMON   := $(patsubst %,$(B)/%.o,$(basename $(wildcard common/*/*.c common/*/*.cc)))
TESTLIB  := $(patsubst %.c,$(B)/%.o,$(wildcard tests/lib/*.c))
TESTS    := $(patsubst %.c,$(B)/%,$(wildcard tests/unit/*/test_*.c))
GEN      := $(if $(wildcard sql/embed.sh),$(B)/gen/statements.h $(B)/gen/migrations.h)
OBJECTS  := $(COMMON) $(TESTLIB) $(addsuffix .o,$(TESTS)) $(patsubst %.c,$(B)/%.o,$(wildcard services/*/*.c))
# the objects of service $1 / of the service that the tests in tests/unit/services_<name>/ are about
service   = $(patsubst %.c,$(B)/%.o,$(wildcard services/$1/*.c))
tested    = $(filter-out %/main.o,$(foreach s,$(SERVICES),$(if $(findstring /unit/services_$s/,$1),$(call service,$s))))
.DEFAULT_GOAL := all
include $(wildcard tests/*/rules.mk) # each adds to TESTS or WALK what every run takes of it
export B CC SERVICES PYTHON
MAKEFLAGS += $(if $(filter 0,$(MAKELEVEL)),-j$(shell nproc) --no-print-directory)

.PHONY: all help setup setup-test demo test check unit walk up down status format config-samples clean install
.SECONDEXPANSION .SECONDARY .DELETE_ON_ERROR:

all: $(PROGRAMS) $(B)/libcommon.a ## build everything (the default)
help: ## these lines
	@sed -n 's/^\([a-z -]*\):[^#]*## /\1	/p' $(MAKEFILE_LIST) | expand -t 18
setup: ## install what building and running needs
	deploy/dev/setup build
setup-test: ## install what the tests need on top
	deploy/dev/setup test
demo: setup ## set-up, build, and one story on real servers
	$(MAKE) all
	deploy/dev/demo
test: setup-test ## set-up, build, check, unit, walk
	$(MAKE) all $(TESTS)
	deploy/dev/with-servers sh -ec '$(MAKE) check; $(MAKE) unit; $(MAKE) walk'
check: all $(OBJECTS) ## the house rules that are programs
	@failed=; for l in tests/lint/*; do CFLAGS='$(CFLAGS)' $$l && echo "  ok   $$l" || failed="$$failed $$l"; done; \
	[ -z "$$failed" ] || { echo "failed:$$failed" >&2; exit 1; }
unit: $(TESTS) ## unit tests, those of the store on a real database
	@deploy/dev/with-servers tests/unit/run $(TESTS)
walk: all ## stories on real servers; WALK=tests/walk/test_x.py picks
	$(PYTHON) -B tests/lanes.py $(WALK)
up: setup ## servers and services, left running
	$(MAKE) all
	deploy/dev/up
down status: ## end what `make up` started / say what runs
	deploy/dev/$@
format: ## lay out the C and C++ files
	git ls-files -z -co --exclude-standard '*.c' '*.cc' '*.h' | xargs -0r build/venv/bin/clang-format -i
config-samples: all ## write deploy/*.conf.sample from the programs
	for s in $(SERVICES); do $(B)/bin/$$s --print-config > deploy/$$s.conf.sample; done
clean: ## remove what was built, keep downloaded tools
	rm -rf $(filter-out build/kafka build/npm build/venv,$(wildcard build/*))
install: all ## DESTDIR, PREFIX
	install -Dt $(DESTDIR)$(PREFIX)/bin $(B)/bin/countersign
	install -Dt $(DESTDIR)$(PREFIX)/libexec/countersign $(filter-out %/countersign,$(PROGRAMS))
	for f in $(wildcard deploy/*.conf.sample) deploy/topics.conf deploy/notifier.targets.json; do install -Dm 644 -t $(DESTDIR)$(PREFIX)/share/countersign $$f; done
	for f in $(wildcard deploy/systemd/*.service); do install -Dm 644 -t $(DESTDIR)$(PREFIX)/lib/systemd/system $$f; done
	sed -i 's|^ExecStart=/usr/local/|ExecStart=$(PREFIX)/|' $(DESTDIR)$(PREFIX)/lib/systemd/system/countersign-*.service
	for f in $(wildcard deploy/man/*.[1578]); do install -Dm 644 -t $(DESTDIR)$(PREFIX)/share/man/man$${f##*.} $$f; done

$(B)/bin/%: $$(call service,$$*) $(B)/libcommon.a
	$(call say,link $@) $(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@
$(B)/libcommon.a: $(COMMON)
	$(call say,ar   $@) rm -f $@; ar rcs $@ $^
$(TESTS): $$@.o $$(call tested,$$@) $(TESTLIB) $(B)/libcommon.a
	$(call say,link $@) $(CC) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) -lcmocka $(LDLIBS) -o $@
$(B)/%.o: %.c Makefile | $(GEN)
	$(call say,cc   $<) $(CC) $(CFLAGS) -MMD -MP -c $< -o $@
$(B)/%.o: %.cc Makefile
	$(call say,c++  $<) $(CXX) $(CXXFLAGS) -MMD -MP -c $< -o $@
$(B)/gen/statements.h: sql/embed.sh $(wildcard sql/query/*.sql)
	$(call say,gen  $@) $^ > $@
$(B)/gen/migrations.h: sql/embed.sh $(wildcard sql/schema/*.sql)
	$(call say,gen  $@) $< --migrations $(filter-out $<,$^) > $@
-include $(OBJECTS:.o=.d)
