# SPDX-License-Identifier: Apache-2.0
"""What the history checker must find: limits that were exceeded, and uses that nobody granted or nobody kept."""
from plants import SECOND, breaks


def with_most(h, most):
    for policy in h.tables["policy"]:
        policy["document"] = policy["document"].replace('"max":100', f'"max":{most}')
        policy["digest"] = f"spoiled {policy['version']}"


@breaks("over-limit")
def one_grant_more_than_the_limit_allows(h):
    with_most(h, 1)


@breaks("wrong-verdict")
def an_allow_although_a_limit_asks(h):
    with_most(h, 1)
    for decision in h.tables["decision"]:
        decision["policy_digest"] = f"spoiled {decision['policy_version']}"


@breaks("limit-use")
def a_use_by_nobody(h):
    h.add("limit_use", h.row("limit_use", request_id=h.town.allowed), request_id=h.town.blocked)


@breaks("limit-use")
def a_use_of_another_time(h):
    h.row("limit_use", request_id=h.town.granted)["at"] -= SECOND


@breaks("limit-use")
def a_question_that_holds_no_place(h):
    h.remove("limit_use", request_id=h.town.open)


@breaks("limit-use")
def a_question_whose_place_counts_already(h):
    h.row("limit_use", request_id=h.town.open)["held_until"] = None


@breaks("limit-use")
def a_place_that_a_denial_did_not_give_back(h):
    h.add("limit_use", h.row("limit_use", request_id=h.town.open), request_id=h.town.denied)


@breaks("limit-use")
def a_grant_whose_place_ends_too_soon(h):
    next(r for r in h.rows("limit_use", request_id=h.town.later) if r["held_until"])["held_until"] -= SECOND


@breaks("limit-use")
def an_execution_that_was_reported_and_does_not_count(h):
    for use in h.rows("limit_use", request_id=h.town.allowed):
        use["held_until"] = h.word(h.town.allowed, "GRANTED")["expires_at"] + 300 * SECOND


@breaks("limit-counter")
def a_counter_that_is_forgotten_before_its_places_end(h):
    held = h.row("limit_use", request_id=h.town.open)
    h.row("limit_counter", counter=held["counter"])["held_until"] = held["held_until"] - SECOND


@breaks("limit-use")
def a_use_that_nobody_kept(h):
    h.remove("limit_use", request_id=h.town.allowed)


@breaks("limit-counter")
def a_counter_that_has_forgotten_a_use(h):
    h.row("limit_use", request_id=h.town.allowed)["amount"] = 2


@breaks("limit-use")
def a_signed_failure_that_gave_nothing_back(h):
    for use in h.rows("limit_use", request_id=h.town.broken):
        use["released_at"] = None


@breaks("limit-use")
def a_failure_that_gave_back_and_nobody_signed(h):
    for outcome in h.rows("outcome", request_id=h.town.broken):
        outcome.update(verified_kid=None, verified_owner=None)


@breaks("limit-use")
def a_success_that_gave_back(h):
    for use in h.rows("limit_use", request_id=h.town.allowed):
        use["released_at"] = use["at"] + SECOND


@breaks("limit-use")
def what_was_given_back_and_does_not_count_again_although_it_succeeded(h):
    for use in h.rows("limit_use", request_id=h.town.contested):
        use["released_at"] = use["at"]


@breaks("limit-counter")
def a_counter_that_still_has_what_was_given_back(h):
    use = next(u for u in h.rows("limit_use", request_id=h.town.broken) if u["released_at"])
    h.row("limit_counter", counter=use["counter"])["used"] += 1
