# SPDX-License-Identifier: Apache-2.0
"""The classic moments to die, each found by the names of the calls around it and not by their number."""
import time

import pytest

from sweep import Round


class Free(Round):
    """One request that is allowed at once."""

    def ask(self):
        self.request("allow", "deployment.staging")
        self.flush()
        self.must("allow", ["GRANTED"], "ALLOW", use=["runs held"])


class Pair(Round):
    """One that two people approve."""

    def ask(self):
        self.request("pair", "credential.rotate")
        self.flush()
        self.must("pair", ["PENDING", "GRANTED"], "REQUIRE_APPROVAL", "APPROVED", use=["pairs"],
                  vote=[("pia", "approve", "counted"), ("paul", "approve", "counted")])
        self.steps.append((lambda: self.stored("approval", [self.id("pair")]) == 1, self.answer))

    def answer(self):
        self.vote("pair", "pia")
        self.vote("pair", "paul")
        self.flush()


class Overdue(Round):
    """Some that nobody answers."""

    def ask(self):
        for kind in ("late1", "late2", "late3", "late4"):
            self.request(kind, "deployment.brief")
            self.must(kind, ["PENDING", "EXPIRED"], "REQUIRE_APPROVAL", "EXPIRED")
        self.flush()


def dies(street, service, path, side, kind=Free):
    """The service dies there, and everything ends right; the round."""
    point = street.point(service, 1, side, path, kind)
    try:
        assert point.call.endswith(path.split(">")[-1]), f"it was not killed: {path}"
        assert not point.lost and not point.doubled, str(point)
        return street.rounds[-1]
    finally:
        street.house.wait_ready(service)


def comes_twice(street, one):
    """The word was on its topic when the relay died, and is said again under the same id."""
    event_id, = street.house.one("SELECT array_agg(event_id::text) FROM authorization_status WHERE request_id = %s", one.id("allow"))
    deadline = time.monotonic() + 10
    while len(street.house.observer.seen_ids[event_id]) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    first, *again = street.house.observer.seen_ids[event_id]
    assert [(e.raw, e.sequence, e.key) for e in again] == [(first.raw, first.sequence, first.key)]


def test_1_the_evaluator_dies_after_poll_and_before_begin(street):
    dies(street, "evaluator", "poll requests", "at")


def test_2_the_evaluator_dies_after_the_effects_and_before_commit(street):
    dies(street, "evaluator", "answer evaluator_request>sync ledger_notify>answer ledger_append", "at")


def position(street):
    return street.house.one("SELECT sum(next_offset)::int FROM consumer_position WHERE topic LIKE '%%.requests'")


def test_3_the_evaluator_dies_after_commit_was_sent_and_before_the_reply(street):
    before = position(street)
    dies(street, "evaluator", "answer evaluator_request>sync store_commit", "after")
    assert position(street) == before + 1
    assert "countersign_records_consumed_total" not in street.house.metrics("evaluator") or \
        street.house.metrics("evaluator")["countersign_records_consumed_total"] == 0  # the one that came back found nothing to do


def test_4_the_evaluator_dies_after_commit_and_before_the_offset_hint(street):
    dies(street, "evaluator", "answer evaluator_request>answer store_commit>commit requests", "before")
    metrics = street.house.metrics("evaluator")
    assert metrics.get("countersign_records_consumed_total", 0) == 0 and metrics.get("countersign_records_repeated_total", 0) == 0


def test_5_the_relay_dies_after_produce_and_before_the_delivery_report(street):
    dies(street, "relay", "produce authorizations", "after")
    one = dies(street, "relay", "produce authorizations>report authorizations", "at")  # Kafka has it, nobody knows
    comes_twice(street, one)


def test_6_the_relay_dies_after_the_report_and_before_it_moves_on(street):
    one = dies(street, "relay", "report authorizations>sync relay_advance", "before")
    comes_twice(street, one)


def test_7_the_notifier_dies_after_the_webhook_was_answered_and_before_it_is_marked(street):
    for _ in range(3):  # a call that a busy machine did not take within its second was not answered: that was another moment
        one = dies(street, "notifier", "perform", "after", Pair)
        sent = street.house.sql("SELECT delivery_id::text FROM delivery WHERE request_id = %s AND target = 'hook'", one.id("pair"))
        calls = sorted(len(street.receiver.calls[i]) for i, in sent)
        if calls != [1, 1]:
            break
    assert calls == [1, 2]


def test_8_the_resolver_dies_between_the_votes_and_commit_with_a_quorum_of_two(street):
    dies(street, "resolver", "answer resolver_response>sync ledger_notify", "after", Pair)


@pytest.mark.parametrize("half", ["answer word_spoken", "answer resolver_save", "sync store_commit"])
def test_9_the_resolver_dies_in_the_middle_of_a_batch_that_expires(street, half):
    dies(street, "resolver", f"sync resolver_overdue>answer resolver_lock>{half}", "after", Overdue)
