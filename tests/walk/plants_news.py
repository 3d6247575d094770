# SPDX-License-Identifier: Apache-2.0
"""What the history checker must find: those who were asked were not told what became of it, or were told something else."""
from plants import SECOND, breaks


@breaks("made-up")
def news_of_what_nobody_was_asked(h):
    h.row("outcome_news", outcome_id=h.town.failed)["outcome_id"] = h.town.done


@breaks("untold")
def an_outcome_that_is_not_kept_to_be_told(h):
    h.remove("outcome_news", outcome_id=h.town.failed)


@breaks("untold")
def an_outcome_that_was_not_told(h):
    h.remove("delivery", kind="approval.outcome." + h.town.failed)


@breaks("untold")
def an_outcome_that_is_still_to_be_told(h):
    h.row("outcome_news", outcome_id=h.town.failed)["told_at"] = None


@breaks("made-up")
def a_failure_that_was_told_as_a_success(h):
    row = h.row("delivery", kind="approval.outcome." + h.town.failed)
    row["body"] = row["body"].replace(b'"status":"failed"', b'"status":"succeeded"')


@breaks("setback")
def a_failure_that_is_forgotten(h):
    h.remove("setback", request_id=h.town.pair)


@breaks("setback")
def a_failure_of_something_else(h):
    h.row("setback", request_id=h.town.pair)["target"] = "another"


@breaks("setback")
def a_failure_after_which_it_worked(h):
    h.add("outcome", h.row("outcome", outcome_id=h.town.failed), outcome_id="later", status="succeeded", received_at=h.history.now + 60 * SECOND)
