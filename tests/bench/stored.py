# SPDX-License-Identifier: Apache-2.0
"""Puts many decided requests into a database at once: copies of one, each with an id of its own, numbered into the ledger."""
import threading

import psycopg

CHUNK = 50_000


def columns(db, table):
    return [name for name, in db.execute("SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"
                                         " AND attgenerated = '' ORDER BY attnum", (table,))]


class Copies:
    """Rows of one request, as queries over a number i and an id that give each copy's."""

    def __init__(self, house, sample, run):
        self.house, self.sample, self.db = house, sample, house.db
        heads = [sequence for sequence, in house.sql("SELECT sequence FROM ledger_head ORDER BY chain")]
        self.chains, self.heads = len(heads), f"ARRAY{heads}::int8[]"
        self.id = f"('{run}-' || lpad(i::text, 8, '0'))"
        self.approval = house.sql("SELECT approval_id::text FROM approval WHERE request_id = %s", sample)
        self.events = house.sql("SELECT event_id::text, topic FROM ledger_event WHERE key = %s ORDER BY sequence", sample)

    def uuid(self, what):
        return f"md5('{what}' || {self.id})::uuid"

    def text(self, column):
        """The sample's text with the ids replaced."""
        text = f"replace({column}, '{self.sample}', {self.id})"
        for approval, in self.approval:
            text = f"replace({text}, '{approval}', {self.uuid('approval')}::text)"
        for event, topic in self.events:
            text = f"replace({text}, '{event}', {self.uuid(topic)}::text)"
        return text

    def digest(self):
        """No two open approvals are about the same."""
        return f"'sha-256:' || md5({self.id}) || md5('digest' || {self.id})"

    def query(self, table, where, **changes):
        if "request_id" in (names := columns(self.db, table)):
            changes["request_id"] = self.id
        if "approval_id" in names and self.approval:
            changes["approval_id"] = self.uuid("approval")
        values = ", ".join(changes.get(name, f"s.{name}") for name in names)
        return f"INSERT INTO {table} ({', '.join(names)}) SELECT {values} FROM {table} s, generate_series(%s::int8, %s::int8) i WHERE {where}"

    def queries(self):
        opened = f"s.approval_id = '{self.approval[0][0]}'" if self.approval else "false"
        mine = f"s.request_id = '{self.sample}'"
        place = f"(i %% {self.chains})::int4"
        yield [self.query("request", mine, chain=place, origin_partition=place, origin_offset=f"i / {self.chains}"),
               self.query("decision", mine),
               *([self.query("approval", mine, request_digest=self.digest()), self.query("open_approval", opened, request_digest=self.digest()),
                  self.query("open_ask", opened), self.query("approval_requirement", opened)] if self.approval else [])]
        yield [self.query("authorization_status", mine, event_id=self.uuid("authorizations")),
               *(self.query("ledger_event", f"s.event_id = '{event}'", chain=place,
                            sequence=f"({self.heads})[{place} + 1] + i / {self.chains} * {len(self.events)} + {n + 1}", event_id=self.uuid(topic),
                            key=self.id, headers=self.text("s.headers"),
                            payload=f"convert_to({self.text('convert_from(s.payload, $$UTF8$$)')}, 'UTF8')")
                 for n, (event, topic) in enumerate(self.events))]


def put(uri, queries, count, failures):
    try:
        with psycopg.connect(uri, autocommit=True) as db:
            # the rows are whole by themselves; looking each foreign key up would take longer than writing them
            db.execute("SET search_path = countersign; SET TimeZone = 'UTC'; SET session_replication_role = replica;"
                       "SET synchronous_commit = off")
            for first in range(0, count, CHUNK):
                for query in queries:
                    db.execute(query, (first, min(first + CHUNK, count) - 1))
    except psycopg.Error as error:
        failures.append(error)


def store(house, sample, count, run="s00000"):
    """count more requests like the sample, a multiple of the chains; nobody else writes meanwhile."""
    copies, failures = Copies(house, sample, run), []
    assert count % copies.chains == 0
    threads = [threading.Thread(target=put, args=(house.owner_uri, queries, count, failures)) for queries in copies.queries()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    more = count // copies.chains * len(copies.events)
    house.db.execute("INSERT INTO ledger_batch SELECT chain, n, least(n + 499, sequence + %(more)s), sha256(('b' || chain || ':' || n)::bytea),"
                     " sha256(('b' || chain || ':' || (n + 500))::bytea), now()"
                     " FROM ledger_head, generate_series(sequence + 1, sequence + %(more)s, 500) n", {"more": more})
    house.db.execute("UPDATE ledger_head h SET sequence = b.last, hash = b.hash FROM ledger_batch b WHERE b.chain = h.chain"
                     " AND b.last = h.sequence + %(more)s", {"more": more})
    house.db.execute("UPDATE relay_position SET next_sequence = next_sequence + %s", (more,))
    house.db.execute("ANALYZE")
    house.db.execute("CHECKPOINT")
