# SPDX-License-Identifier: Apache-2.0
# The kill sweep: every call by which data crosses a service's border is the last one once.
WALK  += tests/sweep
SWEEP  = $(B)/tests/sweep/preload.so
SWEEP_OPTIONS = $(if $(SERVICE),--service $(SERVICE)) $(if $(FROM),--from $(FROM)) $(if $(COUNT),--count $(COUNT)) $(if $(CALL),--call '$(CALL)') $(if $(JOBS),--jobs $(JOBS))

.PHONY: sweep
sweep: all $(SWEEP) ## kills every service at every call; SERVICE=, FROM=, COUNT=, CALL=, JOBS=
	deploy/dev/with-servers $(PYTHON) -B tests/sweep/sweep.py $(SWEEP_OPTIONS)
walk check: $(SWEEP)
$(SWEEP): tests/sweep/preload.c Makefile
	$(call say,cc   $@) $(CC) $(filter-out -fPIE $(SANITIZE),$(CFLAGS)) -fPIC -shared $< -o $@
