# SPDX-License-Identifier: Apache-2.0
"""Asking people and answering for them, one request and one answer at a time, in houses whose action ask.X asks by the profile X."""


def ask(house, profile, **members):
    request_id = house.ask(**{"action": f"ask.{profile}", "context": {}, **members})
    house.word(request_id, "PENDING")
    return request_id


def answer(house, request_id, person, verdict="approve", expect="counted", **members):
    response = house.answer(request_id, person, verdict, **members)
    house.eventually("SELECT result FROM response WHERE response_id = %s", response, expected=[(expect,)])
    return response


def waits(house, request_id):
    assert house.words(request_id) == ["PENDING"]
    assert house.sql("SELECT state FROM approval WHERE request_id = %s", request_id) == [("PENDING",)]
