# SPDX-License-Identifier: Apache-2.0
"""What the history checker must find: votes of those who had none, and grants and denials without the votes."""
from history_tools import derived
from plants import SECOND, breaks


@breaks("directory")
def a_member_whom_the_history_does_not_know(h):
    h.add("group_member", h.row("group_member", person="alice"), person="mallory")


@breaks("directory")
def a_key_that_was_exchanged(h):
    h.row("signing_key", owner="alice")["public_key"] = h.row("signing_key", owner="bob")["public_key"]


@breaks("directory")
def an_agent_whose_owner_was_changed_by_nobody(h):
    h.row("agent")["owner"] = "alice"


@breaks("signature")
def a_vote_with_the_signature_of_another(h):
    h.vote(h.town.granted)["signature"] = h.vote(h.town.denied)["signature"]


@breaks("signature")
def a_notice_that_is_not_signed(h):
    event = h.event(derived("default", h.town.granted, "approval", 0))
    event["headers"] = event["headers"].replace('["signature"', '["no-signature"')


@breaks("vote")
def a_vote_of_somebody_who_joined_later(h):
    h.member("alice")["at"] = h.history.now


@breaks("vote")
def a_vote_of_the_requester(h):
    h.row("request", request_id=h.town.granted)["agent_id"] = "alice"


@breaks("vote")
def a_vote_of_whom_the_agent_serves(h):
    h.row("request", request_id=h.town.granted)["on_behalf_of"] = "alice"


@breaks("vote")
def a_vote_of_the_owner(h):
    change = next(c for c in h.tables["directory_history"] if c["relation"] == "agent")
    change["new_row"]["owner"] = "alice"
    change["at"] -= 60 * SECOND


@breaks("vote")
def a_vote_with_a_revoked_key(h):
    kid = h.vote(h.town.granted)["kid"]
    change = next(c for c in h.tables["directory_history"] if c["relation"] == "signing_key" and c["new_row"]["kid"] == kid)
    revoked = {**change["new_row"], "revoked_at": "2020-01-01T00:00:00+00:00"}
    h.add("directory_history", change, n=10 ** 6, at=0, operation="UPDATE", old_row=change["new_row"], new_row=revoked)


@breaks("vote")
def a_vote_with_a_key_that_came_later(h):
    kid = h.vote(h.town.granted)["kid"]
    next(c for c in h.tables["directory_history"] if c["relation"] == "signing_key" and c["new_row"]["kid"] == kid)["at"] = h.history.now


@breaks("vote")
def a_vote_with_the_key_of_another_person(h):
    h.vote(h.town.granted)["kid"] = h.row("signing_key", owner="bob")["kid"]


@breaks("vote")
def a_vote_on_another_digest(h):
    h.vote(h.town.granted)["request_digest"] = "sha-256:" + "0" * 64


@breaks("vote")
def a_vote_that_counts_for_a_group_that_he_is_not_in(h):
    for row in h.tables["approval_requirement"]:
        row["group_name"] = "security"


@breaks("vote")
def a_vote_that_counts_for_nothing(h):
    h.vote(h.town.granted)["counted_for"] = []


@breaks("vote")
def a_refused_vote_that_was_counted(h):
    h.row("response", response_id=h.town.refused).update(result="counted", counted_for=[0])


@breaks("vote-late")
def a_vote_after_the_deadline(h):
    approval = h.approval(h.town.granted)
    h.vote(h.town.granted)["received_at"] = approval["deadline"]


@breaks("vote-late")
def a_vote_after_the_end(h):
    h.vote(h.town.granted)["received_at"] += 1


@breaks("vote-late")
def a_vote_that_was_an_hour_old(h):
    h.vote(h.town.granted)["issued_at"] -= 3600 * SECOND


@breaks("requirements")
def a_question_that_asks_fewer_than_the_policy(h):
    h.row("approval_requirement", approval_id=h.approval(h.town.pair)["approval_id"])["quorum"] = 1


@breaks("requirements")
def a_question_by_another_policy_than_the_one_alone(h):
    h.row("approval_requirement", approval_id=h.approval(h.town.pair)["approval_id"])["policy_id"] = "walk"


@breaks("requirements")
def a_question_that_asks_nobody(h):
    h.remove("approval_requirement", approval_id=h.approval(h.town.granted)["approval_id"])


@breaks("grant")
def a_grant_of_a_pair_by_one(h):
    h.vote(h.town.pair, "paul")["result"] = "repeated"


@breaks("grant")
def a_grant_of_a_pair_by_one_who_voted_twice(h):
    h.vote(h.town.pair, "paul").update(responder="pia", kid=h.vote(h.town.pair, "pia")["kid"])


@breaks("grant")
def a_grant_by_somebody_who_had_left(h):
    closed = h.approval(h.town.pair)["closed_at"]
    vote = h.vote(h.town.pair, "pia")
    vote["received_at"] = closed - 60 * SECOND  # when he was still there
    joined = h.member("pia")
    joined["at"] = closed - 120 * SECOND
    h.add("directory_history", joined, n=10 ** 6, at=closed - 30 * SECOND, operation="DELETE", old_row=joined["new_row"], new_row=None)


@breaks("grant")
def a_grant_that_was_not_looked_at_again(h):
    h.remove("decision", request_id=h.town.granted, n=1)


@breaks("grant")
def a_grant_against_the_policy_of_now(h):
    h.row("decision", request_id=h.town.granted, n=1)["verdict"] = "BLOCK"


@breaks("grant")
def a_grant_although_somebody_denied(h):
    h.add("response", h.vote(h.town.granted), response_id="another", verdict="deny", responder="bob")


@breaks("grant")
def a_grant_that_the_policy_of_now_would_not_give(h):
    h.row("approval_requirement", approval_id=h.approval(h.town.pair)["approval_id"])["quorum"] = 1
    h.vote(h.town.pair, "paul")["result"] = "repeated"


@breaks("terms")
def a_question_that_is_open_for_longer(h):
    h.approval(h.town.open)["deadline"] += SECOND


@breaks("refused-vote")
def a_member_who_was_refused(h):
    h.vote(h.town.granted).update(result="not_a_member", counted_for=[])


@breaks("refused-vote")
def a_key_that_was_refused_as_unknown(h):
    row = h.row("response", response_id=h.town.refused)
    origin = {n: v for n, v in row.items() if n.startswith("origin")}
    h.row("quarantine", code="unknown_key").update(origin)


@breaks("refused-vote")
def a_signature_that_was_refused_and_is_good(h):
    row = h.row("response", response_id=h.town.refused)
    origin = {n: v for n, v in row.items() if n.startswith("origin")}
    h.row("quarantine", code="unknown_key").update(origin, code="signature_invalid")


@breaks("refusal-untold")
def a_refusal_that_nobody_was_told_of(h):
    h.remove("response", response_id=h.town.refused)


@breaks("terms")
def a_grant_that_is_good_for_longer(h):
    h.word(h.town.granted, "GRANTED")["expires_at"] += 3600 * SECOND


@breaks("denial")
def a_denial_by_nobody(h):
    h.vote(h.town.denied)["result"] = "repeated"


@breaks("denial")
def a_denial_by_a_policy_that_asks(h):
    h.word(h.town.denied, "DENIED")["reason_code"] = "rule"
    h.vote(h.town.denied)["result"] = "repeated"


@breaks("vote")
def a_vote_without_the_reason_that_was_demanded(h):
    h.row("approval_requirement", approval_id=h.approval(h.town.granted)["approval_id"])["require_reason"] = True
    h.vote(h.town.granted)["reason"] = None


@breaks("vote")
def a_remark_of_somebody_who_was_not_asked(h):
    h.add("response", h.vote(h.town.granted), response_id="remark", verdict="comment", responder="paul", counted_for=[])


@breaks("terms")
def a_step_before_its_time(h):
    h.row("approval_step", approval_id=h.approval(h.town.pair)["approval_id"])["stage"] = 0


@breaks("terms")
def a_grant_that_begins_later_than_the_policy_says(h):
    h.word(h.town.granted, "GRANTED")["not_before"] += SECOND


@breaks("requirements")
def a_question_of_which_one_of_two_suffices(h):
    row = h.row("approval_requirement", approval_id=h.approval(h.town.granted)["approval_id"])
    row["stage_all"] = False
    h.add("approval_requirement", row, n=1, group_name="pair")


@breaks("grant")
def a_grant_of_which_the_second_stage_was_not_met(h):
    row = h.row("approval_requirement", approval_id=h.approval(h.town.granted)["approval_id"])
    h.add("approval_requirement", row, n=1, stage=1, group_name="pair")


# ---------------------------------------------------------------- what was taken back

@breaks("vote")
def a_request_withdrawn_by_another_agent(h):
    h.vote(h.town.withdrawn, "payments-2")["responder"] = "payments-3"


@breaks("vote")
def a_request_withdrawn_with_the_key_of_a_person(h):
    h.vote(h.town.withdrawn, "payments-2")["kid"] = h.row("signing_key", owner="alice")["kid"]


@breaks("denial")
def a_question_that_was_cancelled_and_nobody_withdrew(h):
    h.remove("response", request_id=h.town.withdrawn)


@breaks("vote")
def a_grant_revoked_by_who_had_not_approved(h):
    h.row("response", request_id=h.town.revoked, verdict="revoke")["responder"] = "bob"


@breaks("vote-late")
def a_revocation_before_the_grant(h):
    h.row("response", request_id=h.town.revoked, verdict="revoke")["received_at"] = h.approval(h.town.revoked)["closed_at"] - 1
