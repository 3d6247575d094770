# SPDX-License-Identifier: Apache-2.0
"""What the history checker must find: a ledger that was touched, and topics that say something else."""
import copy

from history_tools import derived
from plants import SECOND, breaks


# ---------------------------------------------------------------- the chains

def last_batch(h, request_id, status):
    event = h.event(h.word(request_id, status)["event_id"])
    return next(b for b in h.tables["ledger_batch"] if b["chain"] == event["chain"] and b["first"] <= event["sequence"] <= b["last"])


@breaks("hash")
def an_event_that_was_changed(h):
    event = h.event(h.word(h.town.allowed, "GRANTED")["event_id"])
    event["payload"] = event["payload"].replace(b"staging", b"stagings") + b" "


@breaks("hash")
def a_batch_that_was_hashed_anew(h):
    last_batch(h, h.town.allowed, "GRANTED")["hash"] = bytes(32)


@breaks("hash")
def a_batch_that_hangs_on_another(h):
    last_batch(h, h.town.allowed, "GRANTED")["prev_hash"] = bytes(31) + b"1"


@breaks("hash")
def an_event_that_was_dated_back(h):
    h.event(h.word(h.town.allowed, "GRANTED")["event_id"])["created_at"] -= SECOND


@breaks("hash")
def a_head_that_was_set_back(h):
    h.tables["ledger_head"][0]["hash"] = bytes(31) + b"1"


@breaks("gap")
def an_event_that_was_deleted(h):
    h.remove("ledger_event", event_id=h.word(h.town.allowed, "GRANTED")["event_id"])


@breaks("gap")
def a_batch_that_was_deleted(h):
    h.tables["ledger_batch"].remove(last_batch(h, h.town.allowed, "GRANTED"))


@breaks("gap")
def a_chain_that_was_cut_at_its_end(h):
    h.tables["ledger_event"].remove(max(h.tables["ledger_event"], key=lambda e: e["sequence"]))


@breaks("behind-the-end")
def an_event_behind_the_end(h):
    event = h.event(h.word(h.town.allowed, "GRANTED")["event_id"])
    h.add("ledger_event", event, sequence=10 ** 6, event_id=derived("stray"))


@breaks("chains")
def a_chain_that_vanished(h):
    h.tables["ledger_head"].pop()


@breaks("doubled-event")
def an_event_that_is_there_twice(h):
    event = h.event(h.word(h.town.allowed, "GRANTED")["event_id"])
    h.add("ledger_event", event, sequence=event["sequence"] + 1)


@breaks("made-up")
def a_word_in_the_ledger_that_no_row_knows(h):
    h.remove("authorization_status", request_id=h.town.allowed)


@breaks("made-up")
def a_quarantine_in_the_ledger_that_no_row_knows(h):
    h.remove("quarantine", code="syntax")


@breaks("unsaid")
def a_quarantine_that_nobody_was_told_of(h):
    h.remove("ledger_event", event_id=h.row("quarantine", code="syntax")["quarantine_id"])


@breaks("said")
def a_quarantine_that_was_told_otherwise(h):
    h.row("quarantine", code="syntax")["code"] = "encoding"


@breaks("event-id")
def an_event_whose_header_names_another(h):
    event = h.event(h.word(h.town.allowed, "GRANTED")["event_id"])
    event["headers"] = event["headers"].replace(event["event_id"], derived("another"))


@breaks("event-id")
def an_event_of_a_topic_that_is_none_of_ours(h):
    h.event(h.word(h.town.allowed, "GRANTED")["event_id"])["topic"] = "requests"


# ---------------------------------------------------------------- checkpoints

@breaks("checkpoint")
def a_checkpoint_of_no_batch(h):
    h.tables["checkpoint"][0]["sequence"] += 1


@breaks("checkpoint")
def a_checkpoint_with_the_token_of_another(h):
    first, second = h.tables["checkpoint"][:2]
    first["token"] = second["token"]


@breaks("checkpoint")
def a_checkpoint_whose_event_is_elsewhere(h):
    h.tables["checkpoint"][0]["event_sequence"] += 1


@breaks("made-up")
def a_checkpoint_that_no_row_knows(h):
    h.tables["checkpoint"].pop()


# ---------------------------------------------------------------- the topics

def spoken(h):
    return h.record(h.event(h.word(h.town.granted, "GRANTED")["event_id"]))


@breaks("stray")
def a_record_that_the_ledger_does_not_know(h):
    record = copy.deepcopy(spoken(h))
    record.headers[-1] = ("countersign-sequence", b"1000000")
    record.offset = 0
    h.history.records.append(record)


@breaks("stray")
def a_record_without_a_place(h):
    spoken(h).headers.pop()


@breaks("changed")
def a_record_with_another_value(h):
    spoken(h).value = spoken(h).value.replace(b"GRANTED", b"DENIED")


@breaks("changed")
def a_second_record_of_the_same_event_with_another_value(h):
    record = copy.deepcopy(spoken(h))
    record.value = record.value.replace(b"GRANTED", b"DENIED")
    record.offset += 1
    h.history.records.append(record)


@breaks("changed")
def a_record_with_another_key(h):
    spoken(h).key = b"another"


@breaks("changed")
def a_record_with_another_header(h):
    spoken(h).headers[1] = ("ce_id", derived("another").encode())


@breaks("changed")
def a_record_on_another_topic(h):
    spoken(h).topic = h.history.prefix + "approvals"


@breaks("partition")
def a_record_on_another_partition(h):
    record = spoken(h)
    record.partition = (record.partition + 1) % 6


@breaks("order")
def a_final_word_before_the_pending_one(h):
    first, second = (h.record(h.event(h.word(h.town.granted, status)["event_id"])) for status in ("PENDING", "GRANTED"))
    here, there = h.history.records.index(first), h.history.records.index(second)
    h.history.records[here], h.history.records[there] = second, first


@breaks("unpublished")
def a_word_that_never_reached_its_topic(h):
    h.history.records.remove(spoken(h))


@breaks("relay")
def a_relay_beyond_the_end(h):
    h.row("relay_position", chain=0)["next_sequence"] += 1000


# ---------------------------------------------------------------- the directory

@breaks("unsaid")
def a_change_of_the_directory_that_nobody_was_told(h):
    h.row("ledger_event", topic="directory")["event_id"] = derived("stray")


@breaks("made-up")
def a_change_of_the_directory_that_never_was(h):
    h.add("ledger_event", h.row("ledger_event", topic="directory"), sequence=10 ** 7, event_id=derived("stray"))


@breaks("said")
def a_change_of_the_directory_by_somebody_else(h):
    h.row("directory_history")["by_role"] = "mallory"
