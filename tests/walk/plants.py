# SPDX-License-Identifier: Apache-2.0
"""A history to be spoiled, and the list of all that spoils one; the plants themselves are in plants_*.py."""
import copy

SECOND = 1_000_000
PLANTS = []


class Plant:
    """A copy of the town's history, to be spoiled."""

    def __init__(self, town):
        self.town, self.history = town, copy.deepcopy(town.history)
        self.tables = self.history.tables

    def row(self, table, **members):
        found = self.rows(table, **members)
        assert found, f"{table}: nothing with {members}"
        return found[0]

    def rows(self, table, **members):
        return [row for row in self.tables[table] if all(row[n] == v for n, v in members.items())]

    def remove(self, table, **members):
        gone = self.rows(table, **members)
        assert gone, f"{table}: nothing with {members}"
        self.tables[table] = [row for row in self.tables[table] if row not in gone]

    def add(self, table, like, **members):
        self.tables[table].append({**copy.deepcopy(like), **members})
        return self.tables[table][-1]

    def word(self, request_id, status):
        return self.row("authorization_status", request_id=request_id, status=status)

    def event(self, event_id):
        return self.row("ledger_event", event_id=event_id)

    def record(self, event):
        wanted = str(event["chain"]).encode(), str(event["sequence"]).encode()
        return next(r for r in self.history.records if tuple(v for _, v in (r.headers or [])[-2:]) == wanted)

    def input(self, row):
        place = (row["origin_topic"], row["origin_partition"], row["origin_offset"])
        return next(r for r in self.history.records if r.place == place)

    def vote(self, request_id, responder="alice"):
        return self.row("response", request_id=request_id, responder=responder)

    def approval(self, request_id):
        return self.row("approval", request_id=request_id)

    def member(self, person, table="directory_history"):
        return next(c for c in self.tables[table] if c["relation"] == "group_member" and c["new_row"]["person"] == person)

    def as_if_never(self, request_id):
        for table in ("request", "decision", "authorization_status"):
            self.remove(table, request_id=request_id)


def breaks(rule):
    def remember(plant):
        PLANTS.append((rule, plant))
        return plant
    return remember
