# SPDX-License-Identifier: Apache-2.0
# Approvals beside a model of them that was written from their manual page alone.
WALK      += tests/approvals
HISTORIES := $(B)/tests/approvals/driver
OBJECTS   += $(HISTORIES).o

.PHONY: histories
histories: $(HISTORIES) ## COUNT=n random histories of approvals, of seed SEED=s or of now, here and in the model
	$(PYTHON) -B tests/approvals/compare.py $< --count $(or $(COUNT),1000000) --seed $(or $(SEED),$(shell date +%s))
walk check: $(HISTORIES)
$(HISTORIES): $(HISTORIES).o $(B)/libcommon.a
	$(call say,link $@) $(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@
