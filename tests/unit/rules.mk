# SPDX-License-Identifier: Apache-2.0
# The processor's clock and the active policy are what the test says; everything else is the product.
$(B)/tests/unit/word/test_word: LDFLAGS += -Wl,--wrap=clock_computing,--wrap=snapshot_find,--wrap=snapshot_find_shadows,--wrap=snapshot_generation
