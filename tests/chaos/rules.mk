WALK  += tests/chaos
SEEDS := 10
SEED  := 1

.PHONY: chaos
chaos: all ## random faults under load: SEEDS=n schedules, from SEED=first
	deploy/dev/with-servers $(PYTHON) -B tests/chaos/chaos.py $(SEEDS) $(SEED)
