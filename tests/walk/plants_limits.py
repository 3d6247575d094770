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
def a_use_that_nobody_kept(h):
    h.remove("limit_use", request_id=h.town.allowed)


@breaks("limit-counter")
def a_counter_that_has_forgotten_a_use(h):
    h.row("limit_use", request_id=h.town.allowed)["amount"] = 2
