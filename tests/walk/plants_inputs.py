# SPDX-License-Identifier: Apache-2.0
"""What the history checker must find: inputs that were lost, made up, changed, refused or taken twice."""
import json

from history_tools import derived, parse, sha256
from plants import breaks


@breaks("lost")
def a_request_that_left_no_trace(h):
    h.as_if_never(h.town.allowed)


@breaks("lost")
def unreadable_bytes_that_are_not_in_quarantine(h):
    h.remove("quarantine", code="syntax")


@breaks("lost")
def a_conflict_that_is_not_in_quarantine(h):
    h.remove("quarantine", code="id_conflict")


@breaks("lost")
def an_invalid_request_that_is_not_in_quarantine(h):
    h.remove("quarantine", request_id=h.town.invalid)


@breaks("lost")
def an_invalid_request_without_a_word(h):
    h.as_if_never(h.town.invalid)


@breaks("lost")
def a_response_that_left_no_trace(h):
    h.remove("response", response_id=h.town.refused)


@breaks("lost")
def a_forged_response_that_is_not_in_quarantine(h):
    h.remove("quarantine", code="unknown_key")


@breaks("lost")
def an_outcome_that_left_no_trace(h):
    h.remove("outcome", outcome_id=h.town.done)


@breaks("lost")
def an_early_response_that_fell_off_the_shelf(h):
    h.remove("shelf")


@breaks("made-up")
def a_request_that_nobody_sent(h):
    h.row("request", request_id=h.town.allowed)["origin_offset"] += 1000


@breaks("made-up")
def a_response_that_nobody_sent(h):
    h.vote(h.town.granted)["origin_offset"] += 1000


@breaks("made-up")
def an_outcome_of_another_topic(h):
    h.row("outcome", outcome_id=h.town.done)["origin_topic"] = h.history.prefix + "responses"


@breaks("before-position")
def a_request_that_the_evaluator_has_not_come_to(h):
    row = h.row("request", request_id=h.town.allowed)
    h.row("consumer_position", topic=row["origin_topic"], partition=row["origin_partition"])["next_offset"] = row["origin_offset"]


@breaks("log")
def an_acknowledged_record_that_kafka_lost(h):
    h.history.records.remove(h.input(h.row("request", request_id=h.town.allowed)))


@breaks("log")
def an_acknowledged_record_that_kafka_changed(h):
    h.input(h.row("request", request_id=h.town.allowed)).value += b" "


@breaks("request-bytes")
def a_request_stored_with_another_target(h):
    h.row("request", request_id=h.town.allowed)["target"] = "elsewhere"


@breaks("request-bytes")
def a_request_stored_with_another_context(h):
    h.row("request", request_id=h.town.allowed)["context"] = "{}"


@breaks("request-bytes")
def an_invalid_request_stored_as_valid(h):
    h.row("request", request_id=h.town.invalid)["valid"] = True


@breaks("request-bytes")
def a_request_from_bytes_that_are_none(h):
    origin = {n: v for n, v in h.row("quarantine", code="syntax").items() if n.startswith("origin")}
    h.row("request", request_id=h.town.allowed).update(origin)


@breaks("request-bytes")
def an_invalid_request_under_another_content(h):
    h.row("request", request_id=h.town.invalid)["content_hash"] = bytes(32)


@breaks("request-bytes")
def a_request_from_bytes_that_lack_its_target(h):
    record = h.input(h.row("request", request_id=h.town.allowed))
    record.value = record.value.replace(b'"target"', b'"tarGet"')


@breaks("request-digest")
def a_digest_of_something_else(h):
    h.row("request", request_id=h.town.allowed)["request_digest"] = "sha-256:" + "0" * 64


@breaks("request-id")
def a_request_under_the_id_of_another(h):
    h.row("request", request_id=h.town.allowed).update(request_id="borrowed")


@breaks("request-id")
def a_request_in_another_tenant(h):
    h.row("request", request_id=h.town.stranger).update(tenant="default")


@breaks("response-bytes")
def a_denial_stored_as_consent(h):
    h.vote(h.town.denied)["verdict"] = "approve"


@breaks("response-bytes")
def a_vote_stored_for_another_request(h):
    h.vote(h.town.granted)["request_id"] = h.town.open


@breaks("response-bytes")
def a_vote_whose_bytes_were_changed(h):
    h.vote(h.town.granted)["value"] += b" "


@breaks("outcome-bytes")
def a_failure_stored_as_success(h):
    h.row("outcome", outcome_id=h.town.wrong)["status"] = "succeeded"


@breaks("quarantine-bytes")
def a_quarantine_of_other_bytes(h):
    h.row("quarantine", code="syntax")["digest"] = "sha-256:" + "0" * 64


@breaks("quarantine-bytes")
def raw_bytes_that_were_not_sent(h):
    h.row("quarantine_raw", quarantine_id=h.row("quarantine", code="syntax")["quarantine_id"])["value"] = b"{}"


@breaks("quarantine-id")
def a_quarantine_under_a_random_id(h):
    h.row("quarantine", code="syntax")["quarantine_id"] = derived("random")


@breaks("shelf-bytes")
def a_shelved_vote_that_was_changed(h):
    h.row("shelf")["value"] += b" "


@breaks("refused-good")
def a_good_request_that_was_refused(h):
    row = h.row("request", request_id=h.town.later)
    origin = {n: v for n, v in row.items() if n.startswith("origin")}
    h.as_if_never(h.town.later)
    h.add("quarantine", h.row("quarantine", code="syntax"), **origin)


@breaks("refused-good")
def a_conflict_with_nothing(h):
    h.as_if_never(h.town.allowed)


@breaks("refused-good")
def a_conflict_with_the_same_content(h):
    conflict = h.row("quarantine", code="id_conflict")
    h.row("request", request_id=h.town.allowed)["content_hash"] = sha256(
        json.dumps({"tenant": "default", **parse(h.input(conflict).value)}, sort_keys=True, separators=(",", ":")).encode())


@breaks("doubled")
def a_request_that_was_taken_and_refused(h):
    origin = {n: v for n, v in h.row("request", request_id=h.town.allowed).items() if n.startswith("origin")}
    h.add("quarantine", h.row("quarantine", code="syntax"), **origin)


@breaks("doubled")
def a_record_that_was_taken_twice(h):
    h.add("request", h.row("request", request_id=h.town.allowed), request_id="its-twin")
