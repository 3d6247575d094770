# SPDX-License-Identifier: Apache-2.0
"""What the history checker must find: what was granted or asked while a hold stood, and what waits and is forgotten."""
import json

from history_tools import derived
from plants import SECOND, breaks


def hold_of(h):
    return h.row("hold", class_id="deployment")


def over(h, number):
    hold = h.row("hold", hold_id=number)
    hold.update(added_at=hold["added_at"] - 20 * SECOND, lifted_at=h.history.now - 6 * SECOND)


@breaks("held")
def a_grant_while_a_hold_stood(h):
    word = h.word(h.town.allowed, "GRANTED")
    hold_of(h).update(added_at=word["decided_at"], lifted_at=word["decided_at"] + 1)


@breaks("held")
def a_grant_by_people_while_a_hold_stood(h):
    h.add("hold", hold_of(h), hold_id=99, added_at=h.word(h.town.granted, "GRANTED")["decided_at"] - 1, class_id=None, target="customer-*", lifted_at=None,
          until=h.word(h.town.granted, "GRANTED")["decided_at"] + 1)


@breaks("held")
def people_who_were_asked_while_a_hold_stood(h):
    hold_of(h).update(added_at=h.approval(h.town.open)["opened_at"], lifted_at=h.approval(h.town.open)["opened_at"] + 1)


@breaks("hold")
def a_hold_that_was_added_before_the_one_before_it(h):
    h.row("hold", hold_id=2)["added_at"] = hold_of(h)["added_at"] - 1


@breaks("hold")
def a_hold_that_was_lifted_before_it_was_added(h):
    hold_of(h)["lifted_at"] = hold_of(h)["added_at"] - 1


@breaks("held-word")
def a_denial_by_a_hold_that_stood_no_more(h):
    h.row("hold", refuses=True)["lifted_at"] = h.word(h.town.stopped, "DENIED")["decided_at"]


@breaks("held-word")
def one_that_waits_and_is_not_kept(h):
    h.row("held_request", request_id=h.town.waiting)["held_at"] += 1


@breaks("held-word")
def one_that_waited_too_long_before_its_time_was_over(h):
    h.row("held_request", request_id=h.town.outlived)["expires_at"] += 10 * SECOND


@breaks("held-word")
def a_card_that_tells_of_no_hold(h):
    event = next(e for e in h.rows("ledger_event", topic="approvals") if b'"hold"' in e["payload"])
    body = json.loads(event["payload"])
    body["hold"]["id"] += 7
    event["payload"] = json.dumps(body).encode()


@breaks("held-row")
def one_that_was_held_and_not_told(h):
    h.add("held_request", h.row("held_request", request_id=h.town.waiting), request_id=h.town.allowed)


@breaks("held-row")
def one_that_was_decided_again_at_another_time(h):
    h.row("held_request", request_id=h.town.freed)["ended_at"] += 1


@breaks("held-row")
def a_final_approval_that_waits(h):
    h.approval(h.town.granted)["held_by"] = h.approval(h.town.kept)["held_by"]


@breaks("held-forgotten")
def one_that_waits_for_nothing(h):
    over(h, h.row("held_request", request_id=h.town.waiting)["hold_id"])


@breaks("held-forgotten")
def one_that_has_waited_too_long(h):
    h.row("held_request", request_id=h.town.waiting)["expires_at"] = h.history.now - 6 * SECOND


@breaks("held-forgotten")
def an_approval_that_waits_for_nothing(h):
    over(h, h.approval(h.town.kept)["held_by"])
