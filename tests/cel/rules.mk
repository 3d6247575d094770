# SPDX-License-Identifier: Apache-2.0
# The expression language beside its conformance suite and other implementations.
WALK += tests/cel

.PHONY: cel-differential
cel-differential: all ## COUNT=n random expressions of seed SEED=s, here and at others'
	$(PYTHON) -B tests/cel/differential.py $(or $(COUNT),1000000) $(SEED)
