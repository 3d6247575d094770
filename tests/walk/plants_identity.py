# SPDX-License-Identifier: Apache-2.0
"""What the history checker must find: identities that nobody has shown, and signatures that were refused for nothing."""
from plants import SECOND, breaks


@breaks("identity")
def a_signed_request_that_passes_for_unsigned(h):
    h.row("request", request_id=h.town.signed).update(verified_kid=None, verified_owner=None)


@breaks("identity")
def an_identity_by_a_key_of_an_approver(h):
    h.row("request", request_id=h.town.signed)["verified_kid"] = h.row("signing_key", owner="alice")["kid"]


@breaks("identity")
def an_identity_by_a_key_that_was_not_there(h):
    h.row("request", request_id=h.town.signed)["verified_kid"] = "nobody"


@breaks("identity")
def an_identity_of_another_agent(h):
    h.row("request", request_id=h.town.signed)["verified_owner"] = "another-agent"


@breaks("identity")
def an_identity_shown_long_ago(h):
    h.row("request", request_id=h.town.signed)["issued_at"] -= 3600 * SECOND


@breaks("refused-good")
def a_good_signature_that_was_refused(h):
    h.row("quarantine", code="agent_not_key_owner", service="evaluator")["code"] = "signature_invalid"


@breaks("identity")
def a_signed_outcome_that_passes_for_unsigned(h):
    h.row("outcome", outcome_id=h.town.failure).update(verified_kid=None, verified_owner=None)


@breaks("identity")
def an_outcome_of_another_than_who_signed_it(h):
    h.row("outcome", outcome_id=h.town.failure)["verified_owner"] = "another-agent"


@breaks("identity")
def an_outcome_about_another_agents_request(h):
    h.row("request", request_id=h.town.contested)["agent_id"] = "another-agent"


@breaks("identity")
def an_outcome_that_was_signed_long_ago(h):
    h.row("outcome", outcome_id=h.town.failure)["issued_at"] -= 3600 * SECOND


@breaks("refused-good")
def a_good_outcome_that_was_refused_for_its_signature(h):
    h.row("quarantine", code="agent_not_key_owner", service="recorder")["code"] = "signature_invalid"
