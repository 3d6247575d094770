# SPDX-License-Identifier: Apache-2.0
"""What the history checker must find: questions asked twice at a time, open ones that are not known as open, refusals without a flood."""
import json

from history_tools import derived
from plants import SECOND, breaks


@breaks("asked-twice")
def the_same_question_twice_at_a_time(h):
    open_one = h.approval(h.town.open)
    h.approval(h.town.pair)["request_digest"] = open_one["request_digest"]
    h.approval(h.town.pair)["opened_at"] = open_one["opened_at"] + SECOND


@breaks("open-line")
def an_open_approval_that_nobody_would_find(h):
    h.row("open_approval", approval_id=h.approval(h.town.open)["approval_id"])["request_digest"] = "sha-256:" + "0" * 64


@breaks("open-line")
def a_closed_approval_that_is_kept_as_open(h):
    h.add("open_ask", h.row("open_ask"), approval_id=h.approval(h.town.denied)["approval_id"])


@breaks("ahead")
def more_ahead_than_was_told(h):
    h.row("approval_requirement", approval_id=h.approval(h.town.open)["approval_id"])["ahead"] += 1


@breaks("ahead")
def more_ahead_than_there_were(h):
    approval = h.approval(h.town.open)
    h.row("approval_requirement", approval_id=approval["approval_id"])["ahead"] = 100
    for event in (h.event(derived("default", h.town.open, "authorization.PENDING", 0)), h.event(derived("default", h.town.open, "approval", 0))):
        event["payload"] = json.dumps({**json.loads(event["payload"]), "ahead": {"release-managers": 100}}).encode()


@breaks("duplicate")
def a_duplicate_of_nothing(h):
    h.row("approval", request_id=h.town.open)["request_digest"] = "sha-256:" + "1" * 64


@breaks("flood")
def a_flood_of_which_nobody_was_told(h):
    incident = h.row("incident", kind="approval_flood")
    incident["subject"] = "agent nobody"


@breaks("made-up")
def an_incident_about_a_flood_that_was_not(h):
    incident = h.row("incident", kind="approval_flood")
    h.add("incident", incident, request_id=h.town.allowed,
          incident_id=derived("default", h.town.allowed, f"incident.approval_flood.{incident['subject']}", 0))
