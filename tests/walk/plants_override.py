# SPDX-License-Identifier: Apache-2.0
"""What the history checker must find: what one person let through alone and was not to, what is not marked so, and reviews of oneself."""
from plants import breaks


def override(h, request_id):
    return h.row("response", request_id=request_id, verdict="override")


def review(h, request_id):
    return h.row("approval_review", request_id=request_id)


@breaks("override")
def an_override_of_somebody_who_may_not(h):
    override(h, h.town.overridden)["responder"] = review(h, h.town.overridden)["overrider"] = "bob"


@breaks("override")
def an_override_past_a_demand_that_names_nobody(h):
    h.row("approval_requirement", approval_id=h.approval(h.town.overridden)["approval_id"])["override_group"] = None


@breaks("override")
def an_override_without_a_reason(h):
    override(h, h.town.overridden)["reason"] = None


@breaks("grant")
def an_override_by_nobody(h):
    h.remove("response", request_id=h.town.overridden)


@breaks("override")
def an_override_that_leaves_no_review(h):
    h.remove("approval_review", request_id=h.town.overridden)


@breaks("grant")
def a_grant_by_an_override_that_is_not_marked(h):
    h.remove("approval_review", request_id=h.town.reviewed)


@breaks("override")
def a_review_of_another_request(h):
    review(h, h.town.overridden)["request_id"] = h.town.granted


@breaks("override")
def a_review_of_what_was_denied(h):
    h.approval(h.town.overridden)["state"] = "DENIED"


@breaks("override")
def a_review_by_who_overrode(h):
    review(h, h.town.reviewed)["reviewer"] = "olga"
    h.row("response", request_id=h.town.reviewed, verdict="review", result="counted")["responder"] = "olga"


@breaks("override")
def a_review_that_nobody_closed(h):
    review(h, h.town.overridden).update(reviewer="alice", finding="fine", closed_at=h.history.now)


@breaks("vote")
def a_review_by_who_was_not_asked(h):
    h.row("response", request_id=h.town.reviewed, verdict="review", result="counted")["responder"] = "olga"


@breaks("vote-late")
def a_review_before_the_override(h):
    h.row("response", request_id=h.town.reviewed, verdict="review", result="counted")["received_at"] -= 3600 * 1_000_000


@breaks("override")
def an_override_that_the_word_does_not_tell(h):
    event = h.event(h.word(h.town.overridden, "GRANTED")["event_id"])
    event["payload"] = event["payload"].replace(b'"overridden_by":"olga"', b'"overridden_by":"alice"')


@breaks("override")
def an_override_that_is_said_to_be_an_approval(h):
    h.word(h.town.overridden, "GRANTED")["reason_code"] = "approved"


@breaks("override")
def a_notice_that_names_another(h):
    event = next(e for e in h.tables["ledger_event"] if e["key"] == h.town.overridden and b'"cause":"overridden"' in e["payload"])
    event["payload"] = event["payload"].replace(b'"overridden_by":"olga"', b'"overridden_by":"alice"')


@breaks("made-up")
def a_delivery_that_tells_an_override_that_was_none(h):
    h.row("delivery", request_id=h.town.granted, kind="approval.closed")["kind"] = "approval.overridden"


@breaks("untold")
def an_override_of_which_those_who_were_asked_hear_nothing(h):
    h.remove("delivery", request_id=h.town.overridden, kind="approval.overridden")


@breaks("refused-vote")
def a_review_refused_to_somebody_who_did_not_override(h):
    h.row("response", request_id=h.town.reviewed, verdict="review", result="responder_is_overrider")["responder"] = "alice"
