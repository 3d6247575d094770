# SPDX-License-Identifier: Apache-2.0
"""The demo: one screen, every line of it read back from Kafka, PostgreSQL or a webhook that was really called."""
import base64
import hashlib
import hmac
import http.server
import json
import os
import pathlib
import queue
import shutil
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "walk"))
from house import House  # noqa: E402

COLOUR = sys.stdout.isatty() and "NO_COLOR" not in os.environ
SECRET = base64.b64encode(b"a demo secret of 32 bytes length").decode()
POLICY = pathlib.Path(__file__).resolve().with_name("demo.yaml")
PEOPLE = {"alice": ["release-managers"], "carol": ["release-managers", "security"], "sam": ["security"], "dana": ["duty-officers"], "mallory": []}
REQUEST = "deploy-prod-42"
SEED = {"agent_id": "coding-agent-production", "action": "deployment.production", "target": "customer-api",
        "context": {"repository": "customer-api", "branch": "main", "environment": "production",
                    "tests_passed": True, "protected_branch": True, "change_risk": "high"}}


def paint(code, text):
    return f"\033[{code}m{text}\033[0m" if COLOUR else text


def say(who, what, note=""):
    colours = {"GRANTED": 32, "DENIED": 31, "PENDING": 33, "refused": 31, "failed": 31, "INCIDENT": 35}
    for word, code in colours.items():
        what = what.replace(word, paint(code, word))
    print(f"  {paint(1, f'{who:<10}')} {what}" + (f"  {paint(2, note)}" if note else ""), flush=True)


def title(text):
    print("\n" + paint(1, text), flush=True)


class Receiver(http.server.BaseHTTPRequestHandler):
    """The approvers' bot: takes Standard Webhooks and checks their signature."""
    calls = queue.Queue()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        signed = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + body
        mac = hmac.new(base64.b64decode(SECRET), signed, hashlib.sha256).digest()
        good = "v1," + base64.b64encode(mac).decode() in self.headers["webhook-signature"].split(" ")
        self.send_response(204 if good else 401)
        self.end_headers()
        self.calls.put((self.path, good, json.loads(body)))

    def log_message(self, *_):
        pass


def start_receiver():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def build(folder, port):
    (folder / "secret").write_text("whsec_" + SECRET)
    (folder / "secret").chmod(0o600)
    targets = {"targets": [{"name": group, "groups": [group], "channel": "webhook", "url": f"http://127.0.0.1:{port}/{group}",
                            "secret_file": str(folder / "secret"), "allow_http": True} for group in sorted(set(sum(PEOPLE.values(), [])))]}
    (folder / "targets.json").write_text(json.dumps(targets))
    return {"notifier.targets_file": str(folder / "targets.json"), "webhook.allow_private": "127.0.0.1/32",
            "webhook.ports": "any"}


def routine(house):
    title("1. Routine is allowed, what must never happen is blocked")
    context = {**SEED["context"], "change_risk": "low"}
    request = house.ask("deploy-prod-41", action="deployment.production", target="customer-api", context=context)
    word = house.word(request, "GRANTED").body
    say("agent", "may I deployment.production customer-api? (change_risk low, tests passed)")
    say("evaluator", f"ALLOW → GRANTED, signed, until {word['expires_at'][11:19]}Z", word["reason"]["text"])
    request = house.ask("deploy-prod-7", action="deployment.production", target="billing", context={**context, "tests_passed": False})
    word = house.word(request, "DENIED").body
    say("agent", "may I deployment.production billing? (tests failed)")
    say("evaluator", "BLOCK → DENIED, signed", word["reason"]["text"])


def asked(group):
    """The group's bot is called: it is its turn. What it is asked."""
    while True:
        path, good, body = Receiver.calls.get(timeout=30)
        assert good, "the webhook's signature did not hold"
        if path == "/" + group and body["type"] == "approval.opened":
            return next(need for need in body["data"]["needs"] if need["group"] == group)


def refused(house, person):
    """Somebody's yes that must not count. Returns with which code it was refused."""
    response_id = house.answer(REQUEST, person)
    event = house.observer.wait(lambda e: e.topic == "approvals" and e.body.get("refused", {}).get("response_id") == response_id, 20)
    return event.body["refused"]["code"]


def needs_people(house):
    title("2. A risky one needs two stages of people")
    house.publish("requests", SEED, key=REQUEST)
    word = house.word(REQUEST, "PENDING").body
    say("agent", "may I deployment.production customer-api? (change_risk high, tests passed)")
    say("evaluator", "REQUIRE_APPROVAL → PENDING", f"digest {word['request_digest'][:24]}…")
    need = asked("release-managers")
    say("notifier", f"calls the bot of {need['group']}: {need['quorum']} of them must agree", "signature verified")
    say("mallory", f"approves, properly signed → refused: {refused(house, 'mallory')}")
    say("carol", f"approves, a release manager, but it is her agent → refused: {refused(house, 'carol')}")
    house.answer(REQUEST, "alice", reason="change 1881, reviewed")
    need = asked("security")
    say("alice", "approves: “change 1881, reviewed”")
    say("notifier", f"calls the bot of {need['group']}: stage 2, {need['quorum']} of them must agree", "and who approved stage 1 counts no more")
    say("sam", "of security does not answer …")
    need = asked("duty-officers")
    say("resolver", f"after 8 s it escalates: {need['quorum']} of {need['group']} may answer as well", "their bot is called")
    house.answer(REQUEST, "dana", reason="called sam, he is on a plane; looks right to me")
    word = house.word(REQUEST, "GRANTED").body
    say("dana", "approves: “called sam, he is on a plane; looks right to me”")
    say("resolver", f"GRANTED for this digest only, until {word['expires_at'][11:19]}Z", f"by {' and '.join(r['responder'] for r in word['responses'])}; token verified")


def outcomes(house):
    title("3. Approved is not succeeded")
    house.report(REQUEST, "started")
    house.report(REQUEST, "failed", code="health_check", detail="2 of 5 instances unhealthy")
    house.eventually("SELECT status, judgement FROM outcome WHERE request_id = 'deploy-prod-42' ORDER BY received_at",
                     expected=[("started", "authorized"), ("failed", "authorized")])
    say("deployer", "reports started, then failed: 2 of 5 instances unhealthy", "recorded apart from the approval")
    house.report("deploy-prod-7", "succeeded", detail="deployed anyway")
    incident = house.expect("incidents", "deploy-prod-7").body
    say("recorder", f"INCIDENT {incident['kind']} ({incident['severity']})", "somebody ran what was denied")


def told(house):
    title("4. The life of it, for who asks later: countersign show " + REQUEST)
    for line in house.cli("show", REQUEST, role="auditor").stdout.rstrip().splitlines()[2:]:
        print(f"  {line}")


def explained(house):
    title("5. Why people were asked")
    why = house.sql("SELECT explanation FROM countersign.decision WHERE request_id = 'deploy-prod-42' AND n = 0")[0][0]
    rule, nearest = why["because"][0], why["nearest_allow"]
    say("record", f"rule {rule['rule']}, which read {', '.join(f'{n} = {v}' for n, v in rule['read'].items())}")
    say("", f"{nearest['rule']} would allow it, if {' and '.join(nearest['needs'])}", "countersign policy explain says the same, before anybody asks")


def audit(house):
    title("6. What an auditor sees, with SQL")
    rows = house.sql("""
        SELECT at, what, detail FROM (
            SELECT received_at AS at, 'asked' AS what, agent_id || ': ' || action || ' ' || target AS detail FROM request WHERE request_id = 'deploy-prod-42'
            UNION ALL SELECT decided_at, 'decided', verdict || ' (' || reason_code || ', policy ' || policy_id || ' v' || policy_version || ')' FROM decision WHERE request_id = 'deploy-prod-42' AND n = 0
            UNION ALL SELECT received_at, 'answered', responder || ': ' || verdict || ' → ' || result FROM response WHERE request_id = 'deploy-prod-42'
            UNION ALL SELECT decided_at, 'authorized', status || ' until ' || to_char(expires_at, 'HH24:MI:SS') FROM authorization_status WHERE request_id = 'deploy-prod-42' AND final
            UNION ALL SELECT received_at, 'outcome', status || coalesce(': ' || detail, '') FROM outcome WHERE request_id = 'deploy-prod-42'
        ) AS timeline ORDER BY at""")
    for at, what, detail in rows:
        print(f"  {at:%H:%M:%S.%f}  {what:<11} {detail}")
    house.quiet()
    proof = json.loads(house.cli("ledger", "verify", "--kafka", "--jwks", str(house.folder / "countersign.jwks"), "-o", "json").stdout)
    assert proof["holds"], proof
    print(f"\n  ledger verify: {proof['events']} events in {proof['batches']} batches hold, "
          f"{proof['checkpoints']} signed checkpoints, {proof['records']} Kafka records equal")


def main():
    begun = time.monotonic()
    folder = pathlib.Path(__import__("tempfile").mkdtemp(prefix="countersign-demo-"))
    print("Countersign: starting five services on a private Kafka and PostgreSQL …", flush=True)
    house = House(policy=POLICY, settings={"notifier": build(folder, start_receiver())})
    try:
        for person, groups in PEOPLE.items():
            house.person(person, *groups)
        house.cli("agents", "add", SEED["agent_id"], "--owner", "carol")
        routine(house)
        needs_people(house)
        outcomes(house)
        told(house)
        explained(house)
        audit(house)
    finally:
        house.close()
        shutil.rmtree(house.folder, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"\nThat took {time.monotonic() - begun:.0f} s. Next:\n"
          "  make up                                   leaves servers and services running, says how to talk to them\n"
          "  build/bin/countersign --help              ask, approve, look up, verify\n"
          "  make test                                 the tests; `make down` ends what `make up` started")


if __name__ == "__main__":
    main()
