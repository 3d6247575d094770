# SPDX-License-Identifier: Apache-2.0
"""What the history checker must find: decisions, words and questions that are not what they must be."""
import json

from history_tools import derived
from house import policy
from plants import SECOND, breaks


# ---------------------------------------------------------------- decisions

@breaks("explanation")
def an_explanation_that_was_rewritten(h):
    h.row("decision", request_id=h.town.allowed)["explanation"]["reason"] = "Nobody looked."


@breaks("explanation")
def an_explanation_that_is_gone(h):
    h.row("decision", request_id=h.town.granted, n=1)["explanation"] = None


@breaks("made-up")
def a_decision_on_nothing(h):
    h.add("decision", h.row("decision", request_id=h.town.allowed), request_id="nobody")


@breaks("decision")
def a_request_without_a_decision(h):
    h.remove("decision", request_id=h.town.allowed)


@breaks("decision")
def a_second_decision_that_nobody_needed(h):
    h.add("decision", h.row("decision", request_id=h.town.allowed), n=1)


@breaks("decision")
def a_decision_before_its_request(h):
    h.row("decision", request_id=h.town.allowed)["decided_at"] -= 1


@breaks("decision")
def an_invalid_request_that_was_allowed(h):
    h.row("decision", request_id=h.town.invalid)["verdict"] = "ALLOW"


@breaks("decision-policy")
def an_allow_without_a_policy(h):
    h.row("decision", request_id=h.town.allowed)["policy_id"] = None


@breaks("decision-policy")
def an_allow_by_a_policy_that_was_not_active_yet(h):
    h.row("decision", request_id=h.town.allowed)["policy_version"] = 2


@breaks("decision-policy")
def an_allow_by_a_policy_that_was_replaced(h):
    decision = h.row("decision", request_id=h.town.later)
    first = h.row("policy", version=1)
    decision.update(policy_version=1, generation=1, policy_digest=first["digest"])


@breaks("decision-policy")
def an_allow_by_a_layer_that_was_not_there(h):
    decision = h.row("decision", request_id=h.town.allowed)
    one = {"id": decision["policy_id"], "version": decision["policy_version"], "digest": decision["policy_digest"]}
    decision["layers"] = [one | {"id": "organisation"}, one]


@breaks("shadow")
def a_shadow_that_is_not_told(h):
    del h.row("decision", request_id=h.town.later)["explanation"]["shadows"]


@breaks("shadow")
def a_shadow_that_is_told_to_allow_what_it_blocks(h):
    h.row("decision", request_id=h.town.later)["explanation"]["shadows"][0]["decision"] = "ALLOW"


@breaks("wrong-verdict")
def an_allow_by_a_rule_that_blocks(h):
    h.row("decision", request_id=h.town.allowed)["rules"] = ["no-exports"]


@breaks("wrong-verdict")
def an_allow_by_a_class_that_asks(h):
    h.row("decision", request_id=h.town.allowed).update(reason_code="class_default", rules=[], class_id="deployment")


@breaks("wrong-verdict")
def an_allow_for_want_of_time(h):
    h.row("decision", request_id=h.town.allowed)["reason_code"] = "evaluation_timeout"


@breaks("wrong-verdict")
def an_allow_of_what_the_policy_blocks(h):
    h.row("decision", request_id=h.town.blocked).update(verdict="ALLOW")


@breaks("decision-policy")
def a_block_for_want_of_a_policy_that_was_there(h):
    h.row("decision", request_id=h.town.blocked).update(policy_id=None, reason_code="no_policy")


@breaks("decision-policy")
def a_policy_for_another_tenant(h):
    for row in h.tables["policy"]:
        row["tenants"] = ["acme"]


@breaks("policy")
def a_policy_that_was_changed_afterwards(h):
    h.row("policy", version=1)["document"] = json.dumps(policy())


@breaks("policy")
def a_policy_that_was_deleted(h):
    h.remove("policy", version=1)


@breaks("obligations")
def a_duty_that_the_policy_does_not_give(h):
    h.row("decision", request_id=h.town.allowed)["obligations"] = {"watermark": True}


@breaks("obligations")
def a_grant_between_two_duties_that_contradict_each_other(h):
    h.row("decision", request_id=h.town.granted, n=0)["obligations"] = {"level": 1}
    h.row("decision", request_id=h.town.granted, n=1)["obligations"] = {"level": 2}


@breaks("remediation")
def an_advice_that_the_policy_does_not_give(h):
    h.row("decision", request_id=h.town.blocked)["remediation"] = "Ask again."


# ---------------------------------------------------------------- words

@breaks("one-word")
def a_granted_and_a_denied_word(h):
    h.add("authorization_status", h.word(h.town.granted, "GRANTED"), status="DENIED", event_id=derived("another"))


@breaks("one-word")
def a_ledger_that_grants_twice(h):
    event = h.event(h.word(h.town.allowed, "GRANTED")["event_id"])
    h.add("ledger_event", event, sequence=event["sequence"] + 1)


@breaks("one-word")
def a_ledger_that_asks_after_it_granted(h):
    events = [h.event(h.word(h.town.granted, status)["event_id"]) for status in ("PENDING", "GRANTED")]
    for event, other in zip(events, reversed([e["sequence"] for e in events])):
        event["sequence"] = other


@breaks("no-word")
def a_request_without_a_word(h):
    h.remove("authorization_status", request_id=h.town.allowed)


@breaks("no-word")
def a_question_that_was_answered_without_a_word(h):
    h.remove("authorization_status", request_id=h.town.granted, status="GRANTED")


@breaks("pending")
def a_question_that_the_agent_was_not_told_of(h):
    h.remove("authorization_status", request_id=h.town.granted, status="PENDING")


@breaks("pending")
def a_pending_word_after_the_end(h):
    h.word(h.town.granted, "PENDING")["decided_at"] = h.word(h.town.granted, "GRANTED")["decided_at"] + 1


@breaks("verdict")
def a_block_that_was_granted(h):
    h.word(h.town.blocked, "DENIED")["status"] = "GRANTED"


@breaks("verdict")
def an_allow_that_was_denied(h):
    h.word(h.town.allowed, "GRANTED")["status"] = "DENIED"


@breaks("verdict")
def a_question_that_was_never_asked(h):
    h.remove("approval", request_id=h.town.denied)


@breaks("verdict")
def an_invalid_request_that_was_granted(h):
    h.word(h.town.invalid, "DENIED")["status"] = "GRANTED"


@breaks("word")
def a_word_about_another_digest(h):
    h.word(h.town.allowed, "GRANTED")["request_digest"] = "sha-256:" + "0" * 64


@breaks("word")
def a_word_about_another_question(h):
    h.word(h.town.granted, "GRANTED")["approval_id"] = h.approval(h.town.denied)["approval_id"]


@breaks("word")
def a_grant_that_ends_before_it_begins(h):
    word = h.word(h.town.allowed, "GRANTED")
    word["expires_at"] = word["not_before"]


@breaks("event-id")
def a_word_under_a_random_id(h):
    h.word(h.town.allowed, "GRANTED")["event_id"] = derived("random")


@breaks("event-id")
def a_question_under_a_random_id(h):
    h.approval(h.town.granted)["approval_id"] = derived("random")


@breaks("said")
def a_word_that_says_something_else_than_its_row(h):
    h.word(h.town.denied, "DENIED")["reason_text"] = "Another reason."


@breaks("said")
def a_grant_whose_end_was_moved(h):
    h.word(h.town.allowed, "GRANTED")["expires_at"] += 3600 * SECOND


@breaks("said")
def a_grant_by_votes_that_were_not_given(h):
    h.vote(h.town.granted)["result"] = "repeated"


@breaks("said")
def a_word_by_a_policy_that_did_not_decide(h):
    h.row("decision", request_id=h.town.allowed)["policy_digest"] = "sha-256:" + "0" * 64


@breaks("said")
def a_word_that_hides_a_layer(h):
    h.row("decision", request_id=h.town.allowed)["layers"] = []


@breaks("terms")
def an_allow_that_is_good_for_longer(h):
    h.word(h.town.allowed, "GRANTED")["expires_at"] += 1


@breaks("unsaid")
def a_word_that_is_not_in_the_ledger(h):
    h.remove("ledger_event", event_id=h.word(h.town.allowed, "GRANTED")["event_id"])


@breaks("token")
def a_token_that_was_tampered_with(h):
    word = h.word(h.town.allowed, "GRANTED")
    word["token"] = word["token"][:-8] + "AAAAAAAA"


@breaks("token")
def a_token_of_another_request(h):
    h.word(h.town.allowed, "GRANTED")["token"] = h.word(h.town.later, "GRANTED")["token"]


@breaks("token")
def a_token_by_a_key_that_is_not_ours(h):
    h.history.keys = {"another": b"\0" * 32}


@breaks("token")
def a_question_with_a_token(h):
    h.word(h.town.open, "PENDING")["token"] = h.word(h.town.allowed, "GRANTED")["token"]


# ---------------------------------------------------------------- questions to people

@breaks("approval")
def people_who_were_asked_about_something_else(h):
    h.approval(h.town.granted)["request_digest"] = "sha-256:" + "0" * 64


@breaks("approval")
def a_denied_question_that_was_granted(h):
    h.approval(h.town.granted)["state"] = "DENIED"


@breaks("approval")
def a_question_that_was_closed_at_another_time_than_its_word(h):
    h.approval(h.town.granted)["closed_at"] += 1


@breaks("deadline")
def consent_after_the_deadline(h):
    h.approval(h.town.granted)["deadline"] = h.approval(h.town.granted)["closed_at"]


@breaks("deadline")
def an_end_before_the_deadline(h):
    h.approval(h.town.brief)["deadline"] += 3600 * SECOND


@breaks("deadline")
def a_question_that_never_ends(h):
    h.approval(h.town.open)["deadline"] = h.history.now - 60 * SECOND


@breaks("notices")
def a_question_that_is_closed_and_goes_on(h):
    h.approval(h.town.granted).update(state="PENDING", closed_at=None)


@breaks("notices")
def a_question_that_is_opened_twice(h):
    event = h.event(derived("default", h.town.granted, "approval", 1))
    event["payload"] = event["payload"].replace(b'"state":"CLOSED"', b'"state":"OPEN"')


@breaks("notices")
def notices_in_the_wrong_order(h):
    events = [h.event(derived("default", h.town.granted, "approval", n)) for n in (0, 1)]
    events[0]["sequence"], events[1]["sequence"] = events[1]["sequence"], events[0]["sequence"]


@breaks("unsaid")
def a_notice_that_is_not_in_the_ledger(h):
    h.approval(h.town.granted)["notices"] += 1


@breaks("made-up")
def a_notice_that_the_question_does_not_count(h):
    h.approval(h.town.granted)["notices"] -= 1


@breaks("key")
def a_word_under_the_key_of_another(h):
    h.event(h.word(h.town.allowed, "GRANTED")["event_id"])["key"] = h.town.blocked


@breaks("chain")
def a_request_on_another_chain(h):
    h.row("request", request_id=h.town.allowed)["chain"] += 1


@breaks("chain")
def a_word_on_another_chain(h):
    event = h.event(h.word(h.town.allowed, "GRANTED")["event_id"])
    event["chain"] = (event["chain"] + 1) % 6


# ---------------------------------------------------------------- what was taken back

@breaks("revoked")
def a_revocation_of_what_had_ended(h):
    h.word(h.town.revoked, "REVOKED")["decided_at"] = h.word(h.town.revoked, "GRANTED")["expires_at"]


@breaks("revoked")
def a_revocation_by_nobody(h):
    h.remove("response", request_id=h.town.revoked, verdict="revoke")


@breaks("revoked")
def a_revocation_that_the_question_does_not_know(h):
    h.approval(h.town.revoked).update(state="APPROVED", revoked_at=None)


@breaks("revoked")
def a_revocation_of_another_grant(h):
    event = h.event(h.word(h.town.revoked, "REVOKED")["event_id"])
    event["payload"] = event["payload"].replace(h.word(h.town.revoked, "GRANTED")["event_id"].encode(), h.word(h.town.allowed, "GRANTED")["event_id"].encode())


@breaks("one-word")
def a_revocation_that_the_ledger_has_before_the_grant(h):
    granted, revoked = (h.event(h.word(h.town.revoked, status)["event_id"]) for status in ("GRANTED", "REVOKED"))
    granted["sequence"], revoked["sequence"] = revoked["sequence"], granted["sequence"]


@breaks("one-word")
def a_grant_after_it_was_denied(h):
    h.add("ledger_event", h.event(h.word(h.town.denied, "DENIED")["event_id"]), sequence=10 ** 9)
