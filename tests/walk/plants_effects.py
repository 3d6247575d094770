# SPDX-License-Identifier: Apache-2.0
"""What the history checker must find: outcomes that were misjudged, positions, the shelf and deliveries out of place."""
from history_tools import derived
from plants import SECOND, breaks


# ---------------------------------------------------------------- outcomes and incidents

@breaks("judgement")
def a_second_execution_that_passed_for_the_first(h):
    h.row("outcome", outcome_id=h.town.twice)["judgement"] = "authorized"


@breaks("judgement")
def an_execution_after_a_denial_that_passed_for_authorized(h):
    h.row("outcome", outcome_id=h.town.wrong)["judgement"] = "authorized"


@breaks("judgement")
def an_execution_of_something_else_that_passed_for_authorized(h):
    h.row("outcome", outcome_id=h.town.done)["request_digest"] = "sha-256:" + "0" * 64


@breaks("judgement")
def an_execution_after_the_end_that_passed_for_authorized(h):
    word = h.word(h.town.allowed, "GRANTED")
    word["expires_at"] = word["not_before"] + 1


@breaks("judgement")
def an_execution_before_the_grant_that_passed_for_authorized(h):
    h.word(h.town.allowed, "GRANTED")["decided_at"] = h.history.now + SECOND


@breaks("judgement")
def an_execution_by_the_book_that_passed_for_a_crime(h):
    h.row("outcome", outcome_id=h.town.done)["judgement"] = "executed_with_other_digest"


@breaks("judgement")
def an_execution_that_was_joined_with_another_grant(h):
    h.row("outcome", outcome_id=h.town.done)["joined_with"] = h.word(h.town.granted, "GRANTED")["event_id"]


@breaks("no-incident")
def a_second_execution_without_an_incident(h):
    h.remove("incident", kind="executed_twice")


@breaks("made-up")
def an_incident_without_an_outcome(h):
    h.add("incident", h.row("incident", kind="executed_twice"), incident_id=derived("another"))


@breaks("made-up")
def an_incident_about_a_grant_that_has_not_ended(h):
    h.add("incident", h.row("incident", kind="executed_twice"), incident_id=derived("another"), kind="authorized_never_reported")


@breaks("said")
def an_incident_that_was_told_otherwise(h):
    h.row("incident", kind="executed_twice")["severity"] = "low"


@breaks("unsaid")
def an_incident_that_nobody_was_told_of(h):
    h.remove("ledger_event", event_id=h.row("incident", kind="executed_twice")["incident_id"])


# ---------------------------------------------------------------- positions, the shelf, deliveries

def position(h, service):
    return next(p for p in h.tables["consumer_position"] if p["consumer_group"].endswith(service) and p["next_offset"] > 0)


@breaks("position")
def a_position_beyond_the_end(h):
    position(h, "resolver")["next_offset"] += 1


@breaks("position")
def a_position_that_lags_behind(h):
    position(h, "recorder")["next_offset"] -= 1


@breaks("position")
def a_partition_that_nobody_reads(h):
    h.tables["consumer_position"].remove(position(h, "evaluator"))


@breaks("position")
def a_group_that_reads_what_is_not_its_own(h):
    position(h, "notifier")["topic"] = h.history.prefix + "requests"


@breaks("shelf")
def a_vote_that_waits_although_its_request_is_there(h):
    h.row("shelf")["request_id"] = h.town.open


@breaks("shelf")
def a_vote_that_waits_for_ever(h):
    h.row("shelf")["shelved_at"] -= 3600 * SECOND


@breaks("shelf")
def a_shelf_that_is_too_full(h):
    h.tables["shelf"] *= 33


@breaks("untold")
def a_question_that_nobody_was_told_of(h):
    h.remove("delivery", request_id=h.town.open)


@breaks("untold")
def an_end_that_nobody_was_told_of(h):
    h.remove("delivery", request_id=h.town.granted, kind="approval.closed")


@breaks("made-up")
def a_delivery_about_another_question(h):
    h.row("delivery", request_id=h.town.granted)["approval_id"] = h.approval(h.town.denied)["approval_id"]


@breaks("made-up")
def an_end_that_was_told_and_has_not_come(h):
    h.row("delivery", request_id=h.town.open)["kind"] = "approval.closed"


@breaks("event-id")
def a_delivery_under_a_random_id(h):
    h.row("delivery", request_id=h.town.granted)["delivery_id"] = derived("random")


@breaks("delivery")
def a_delivery_that_was_sent_without_an_attempt(h):
    h.row("delivery", request_id=h.town.granted, state="sent")["attempts"] = 0


@breaks("delivery")
def a_delivery_that_speaks_of_another_question(h):
    h.row("delivery", request_id=h.town.granted)["body"] = h.row("delivery", request_id=h.town.denied)["body"]


@breaks("judgement")
def an_execution_after_the_revocation_that_was_taken_for_authorized(h):
    h.row("outcome", request_id=h.town.revoked)["judgement"] = "authorized"


@breaks("made-up")
def a_revocation_that_was_told_and_has_not_come(h):
    h.row("delivery", request_id=h.town.granted, kind="approval.closed")["kind"] = "approval.revoked"


@breaks("untold")
def a_revocation_of_which_nobody_was_told(h):
    h.remove("delivery", request_id=h.town.revoked, kind="approval.revoked")
