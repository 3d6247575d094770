# SPDX-License-Identifier: Apache-2.0
"""Requests, answers and reports without pause, each with what must come of it; and the count at the end: nothing lost, nothing twice."""
import json
import threading
import time

from house import digest_of, now, rfc3339, usual

def send_request(house, request_id, **members):
    """Without waiting for anything. Returns its digest."""
    request = {**usual(request_id), **members}
    house.publish("requests", request, key=request_id, flush=False)
    return digest_of(request)


def send_answer(house, request_id, digest, person, verdict="approve", **members):
    value = json.dumps({"response_id": f"{person}-{request_id}", "tenant": "default", "request_id": request_id, "verdict": verdict,
                        "responder": person, "issued_at": rfc3339(now()), "request_digest": digest, **members}).encode()
    house.publish("responses", value, key=request_id, headers=[("signature", house.keys[person].detached(value).encode())], flush=False)


def send_report(house, request_id, digest, status="started"):
    house.publish("outcomes", {"outcome_id": f"{status}-{request_id}", "request_id": request_id, "status": status, "request_digest": digest,
                               "reported_by": "deployer", "occurred_at": rfc3339(now())}, key=request_id, flush=False)


class Flood(threading.Thread):
    """Needs alice among the release managers. Stops when told to, or after so many rounds of five requests."""

    def __init__(self, house, pause=0.004, rounds=10**9):
        super().__init__(daemon=True)
        self.house, self.pause, self.rounds, self.ending, self.failure = house, pause, rounds, False, None
        self.expected, self.reports, self.answers = {}, 0, 0

    def round(self, n):
        house = self.house
        digest = send_request(house, f"allow-{n}", action="deployment.staging")
        send_report(house, f"allow-{n}", digest)
        send_request(house, f"block-{n}", action="data.export")
        for verdict in ("approve", "deny"):
            digest = send_request(house, f"{verdict}-{n}")
            send_answer(house, f"{verdict}-{n}", digest, "alice", verdict)
        send_request(house, f"bad-{n}", nonsense=1)
        house.producer.poll(0)
        self.reports, self.answers = self.reports + 1, self.answers + 2
        self.expected.update({f"allow-{n}": ["GRANTED"], f"block-{n}": ["DENIED"], f"approve-{n}": ["PENDING", "GRANTED"],
                              f"deny-{n}": ["PENDING", "DENIED"], f"bad-{n}": ["DENIED"]})

    def run(self):
        try:
            n = 0
            while not self.ending and n < self.rounds:
                self.round(n)
                n += 1
                time.sleep(self.pause)
            assert self.house.producer.flush(60) == 0
        except Exception as failure:  # told to the story by finish()
            self.failure = failure

    def finish(self, timeout=60):
        """Every request has exactly the words that it must have, in the database and on the topic; every answer and report is there once."""
        self.ending = True
        self.join(90)
        assert self.failure is None and not self.is_alive(), self.failure
        house, words = self.house, sum(len(w) for w in self.expected.values())
        house.eventually("SELECT (SELECT count(*) FROM request), (SELECT count(*) FROM authorization_status), (SELECT count(*) FROM response"
                         " WHERE result = 'counted'), (SELECT count(*) FROM outcome), (SELECT count(*) FROM shelf)",
                         expected=[(len(self.expected), words, self.answers, self.reports, 0)], timeout=timeout)
        house.quiet(timeout)
        stored = {}
        for request_id, status in house.sql("SELECT request_id, status FROM authorization_status ORDER BY final"):
            stored.setdefault(request_id, []).append(status)
        assert stored == self.expected
        assert house.all_words() == self.expected
        assert house.sql("SELECT request_id, count(*) FROM decision WHERE n = 0 GROUP BY 1 HAVING count(*) > 1") == []
        assert house.sql("SELECT judgement, count(*) FROM outcome GROUP BY 1") == [("authorized", self.reports)]
        for service in house.services:
            assert house.processes[service].poll() is None, house.log(service)
