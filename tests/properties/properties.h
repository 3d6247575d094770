/* SPDX-License-Identifier: Apache-2.0 */
/*
 * properties.h - what must hold for every policy with conditions and every request (policy.md 10.5), tried on random ones. "Looser" is
 * said of the verdict and, where both ask people, of who is asked and for how long: a decision is looser than another when its verdict
 * is milder; or both are REQUIRE_APPROVAL and it does not ask a profile that the other asks, or has a longer ttl or valid_for; or both
 * are ALLOW and it is valid for longer.
 *
 * Q1 order     Rules, limits, enum words and the items of every list in them in another order: the same decision, the same explanation. Classes
 *              too: the same decision; of equally strict ones another may lend its name, and the explanation lists them as they stand.
 *              That a `when` is written as one term instead of several between && changes no decision.
 * Q2 adding    With one more rule the decision is not looser, unless before no rule counted, the default was used, and now the new rule counts
 *              and is no BLOCK. Then it replaces the default, with whom the default asks; never what an error raises (Q4).
 * Q3 withhold  Without one field of the context, or of a map in it, the decision is not looser: unless some expression asks whether the field is
 *              there (has, in over keys, the size of the map, macros over it, optionals) or it has a default; unless the request was
 *              refused as invalid before, when what was wrong may have been taken out; and unless the units had run out before,
 *              as what errs early is cheaper and leaves units for those behind it.
 * Q4 errors    The decision is at least that of every restrictive rule whose condition erred, and asks whom that rule names where both are
 *              REQUIRE_APPROVAL; in a class with on_error it is BLOCK when any erred. So an ALLOW means that none did.
 * Q5 same      The same policy, request, time and usage: the same decision and explanation, byte for byte; whatever the order of the
 *              context's members, where it is valid.
 * Q6 index     With every rule looked at instead of those that the index finds: the same.
 * slow         When time runs out at any of its polls the decision is not looser than with all the time; and not milder than when every
 *              condition had units and time without end.
 * late         When the deadline has passed already, the verdict is no milder, and no ALLOW. Whom a held ALLOW asks the classes say, so in Q2 and Q3
 *              the requirements of what is held are not compared: holding is a default of its own.
 */
#ifndef COUNTERSIGN_TESTS_PROPERTIES_H
#define COUNTERSIGN_TESTS_PROPERTIES_H

#include "tests/properties/combination.h"

/* COPY: a second implementation of the combination decides as the product does. */
enum property { Q1, Q2, Q3, Q4, Q5, Q6, SLOW, LATE, COPY, PROPERTIES };
extern const char *const property_names[PROPERTIES];

struct tally {
	size_t violations[PROPERTIES], comparisons[PROPERTIES], verdicts[3], errors, exhausted, refused, sets;
};

/* Makes the rule set of a number, requests for it, and tries everything on them. With is_flawed the broken copy of the combination
 * decides and violations are only counted, else the product, and they are printed with all that shows them. */
void properties_try(struct arena *arena, uint64_t number, bool is_flawed, enum flaw flaw, struct tally *tally);

#endif
