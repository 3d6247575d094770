# SPDX-License-Identifier: Apache-2.0
# What must hold for every policy, on random ones.
PROPERTIES        := $(B)/tests/properties/test_properties
PROPERTIES_SHARED := $(patsubst %,$(B)/tests/properties/%.o,properties random_policy random_condition random_request combination layers)
TESTS             += $(PROPERTIES)
OBJECTS           += $(PROPERTIES_SHARED)
$(PROPERTIES): $(PROPERTIES_SHARED)

.PHONY: properties
properties: $(PROPERTIES) ## COUNT=n random rule sets of seed SEED=s, or of now: what must hold for every policy
	$< $(or $(COUNT),1000000) $(or $(SEED),$(shell date +%s)000)
