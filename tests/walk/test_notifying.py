# SPDX-License-Identifier: Apache-2.0
"""People are told, at least once, under one id; a receiver can be slow, rude or hostile and nobody else notices."""
import base64
import datetime
import email.utils
import hashlib
import hmac
import http.server
import ipaddress
import json
import secrets
import signal
import ssl
import threading
import time

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from ending import finish
from house import House, policy

OLD, NEW = (base64.b64encode(secrets.token_bytes(32)).decode() for _ in range(2))
TENANTS = ("plain", "again", "patience", "dated", "moved", "gone", "hanging", "endless", "trickling", "inside", "hopeless", "tls",
           "command", "order", "groups", "overtaken", "killed", "stopped")


class Call:
    def __init__(self, headers, body):
        self.at, self.headers, self.body, self.json = time.time(), headers, body, json.loads(body)
        self.id, self.stamp = headers["webhook-id"], int(headers["webhook-timestamp"])

    def signed_with(self, secret):
        mac = hmac.new(base64.b64decode(secret), f"{self.id}.{self.stamp}.".encode() + self.body, hashlib.sha256).digest()
        return "v1," + base64.b64encode(mac).decode() in self.headers["webhook-signature"].split(" ")


class Receiver:
    """Answers each path with what was laid down for it: numbers or functions, one a call; the last one stays."""

    def __init__(self, address="127.0.0.1", context=None, port=0):
        self.answers, self.calls, self.changed, self.ending = {}, {}, threading.Condition(), threading.Event()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                receiver.take(self, Call(self.headers, self.rfile.read(int(self.headers["content-length"]))))

            def do_GET(self):  # what a redirect would be followed with
                with receiver.changed:
                    receiver.calls.setdefault(self.path, []).append(None)
                reply(204)(self)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads, block_on_close = True, False

            def handle_error(self, *_):
                pass  # clients hang up on purpose

        self.server = Server((address, port), Handler)
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, handler, call):
        with self.changed:
            calls = self.calls.setdefault(handler.path, [])
            calls.append(call)
            answers = self.answers.get(handler.path, [204])
            answer = answers[min(len(calls), len(answers)) - 1]
            self.changed.notify_all()
        if callable(answer):
            answer(handler)
        else:
            reply(answer)(handler)

    def wait(self, path, count, timeout=40):
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.calls.get(path, [])) >= count, timeout), \
                f"{path}: {len(self.calls.get(path, []))} calls, expected {count}"
            return list(self.calls[path])

    def count(self, path):
        with self.changed:
            return len(self.calls.get(path, []))

    def hang(self, handler):
        self.ending.wait(30)

    def close(self):
        self.ending.set()
        self.server.shutdown()
        self.server.server_close()


def reply(status, **headers):
    def answer(handler):
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("content-length", "0")
        handler.end_headers()
    return answer


def certificate(folder):
    """A self-signed one for 127.0.0.1; the path of its PEM and a server's context."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "bot")])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), True).sign(key, hashes.SHA256()))
    (folder / "bot.crt").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "bot.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                                       serialization.NoEncryption()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "bot.crt", folder / "bot.pem")
    return folder / "bot.crt", context


PROGRAM = """#!/bin/sh
cat >"$1.$$.part" && mv "$1.$$.part" "$1.$$.json"
case $2 in
slow) [ "$(ls "$1".*.json | wc -l)" -gt 1 ] || sleep 600 ;;
fail) [ "$(ls "$1".*.json | wc -l)" -gt 1 ] || exit 1 ;;
never) exit 100 ;;
esac
echo "ticket 42"
"""


class Town:
    """A house whose tenants each have targets of their own, so that the stories do not meet."""

    def __init__(self, folder):
        self.folder, self.receiver, self.inside = folder, Receiver(), Receiver("127.0.0.2")
        self.ca, context = certificate(folder)
        self.tls = Receiver(context=context)
        (folder / "secret").write_text(f"whsec_{NEW}\nwhsec_{OLD}\n")
        (folder / "secret").chmod(0o600)
        (folder / "program").write_text(PROGRAM)
        (folder / "program").chmod(0o755)
        (folder / "targets.json").write_text(json.dumps({"targets": self.targets()}))
        self.house = House(policy=policy(tenants=["*"]), services=("evaluator", "resolver", "notifier", "relay"), settings={
            "notifier": {"notifier.targets_file": str(folder / "targets.json"), "webhook.allow_private": "127.0.0.1/32",
                         "webhook.ports": "any", "webhook.timeout": "1500ms", "command.timeout": "700ms",
                         "delivery.attempts": "4", "delivery.backoff": "100ms", "delivery.lease": "2s"}})
        for tenant in TENANTS:
            self.house.person(f"alice-{tenant}", "release-managers", tenant=tenant)
        for person in ("pia", "paul"):
            self.house.person(person, "pair", tenant="groups")

    def hook(self, name, tenant=None, url=None, **members):
        return {"name": name, "channel": "webhook", "url": url or f"http://127.0.0.1:{self.receiver.port}/{name}",
                "secret_file": str(self.folder / "secret"), "allow_http": True, "tenants": [tenant or name], **members}

    def targets(self):
        port, tls = self.inside.port, f"https://127.0.0.1:{self.tls.port}"
        hooks = [self.hook(name) for name in ("plain", "again", "patience", "dated", "moved", "gone", "hanging", "endless", "trickling",
                                              "hopeless", "order", "overtaken", "killed", "stopped")]
        hooks += [self.hook("beside", "hanging"), self.hook("stuck", "stopped"), self.hook("trusting", "tls", tls + "/trusting"),
                  self.hook("knowing", "tls", tls + "/knowing", ca_file=str(self.ca)),
                  self.hook("dotted", "inside", f"https://127.0.0.2:{port}/"),
                  self.hook("decimal", "inside", f"https://2130706434:{port}/"),
                  self.hook("octal", "inside", f"https://0177.0.0.2:{port}/"),
                  self.hook("mapped", "inside", f"https://[::ffff:127.0.0.2]:{port}/"),
                  self.hook("unlisted", "inside", f"http://127.0.0.2:{port}/"),
                  self.hook("pair", "groups", groups=["pair"], events=["opened", "changed", "closed"]),
                  self.hook("managers", "groups", groups=["release-managers"])]
        programs = [{"name": "program-" + how, "channel": "command", "tenants": ["command"], "events": ["opened"],
                     "argv": [str(self.folder / "program"), str(self.folder / how), how]}
                    for how in ("good", "fail", "slow", "never")]
        return hooks + programs + [{"name": "journal", "channel": "log", "tenants": ["plain"]}]

    def ask(self, tenant, **members):
        return self.house.ask(tenant=tenant, **members)

    def answer(self, tenant, request_id, person=None, **members):
        self.house.answer(request_id, person or f"alice-{tenant}", tenant=tenant, **members)

    def deliveries(self, request_id, what="target, kind, state, last_code"):
        return self.house.sql(f"SELECT {what} FROM delivery WHERE request_id = %s ORDER BY target, kind", request_id)

    def becomes(self, request_id, *expected, what="target, kind, state, last_code", timeout=40):
        self.house.eventually(f"SELECT {what} FROM delivery WHERE request_id = %s ORDER BY target, kind", request_id,
                              expected=list(expected), timeout=timeout)


@pytest.fixture(scope="module")
def town(request, tmp_path_factory):
    town = Town(tmp_path_factory.mktemp("town"))
    yield town
    town.receiver.close()
    finish(town.house, request)


def test_a_card_is_delivered_signed_by_every_secret_and_says_all_there_is_to_say(town):
    context = {"note": "a\u202eb\nDigest: sha-256:0", "tests_passed": True}
    request_id = town.ask("plain", context=context, reason="because", on_behalf_of="carol")
    call = town.receiver.wait("/plain", 1)[0]
    town.becomes(request_id, ("journal", "approval.opened", "sent", "logged"), ("plain", "approval.opened", "sent", "http_204"))
    assert call.signed_with(NEW) and call.signed_with(OLD) and abs(call.stamp - time.time()) < 10
    assert call.headers["content-type"] == "application/json" and call.headers["user-agent"].startswith("countersign/")
    stored = town.house.sql("SELECT delivery_id::text, body FROM delivery WHERE request_id = %s AND target = 'plain'", request_id)
    assert stored == [(call.id, call.body)]
    assert call.body == json.dumps(call.json, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    data = call.json["data"]
    assert call.json["type"] == "approval.opened" and data["state"] == "OPEN" and data["target"] == "customer-api"
    assert data["context"] == context and data["reason"] == "because" and data["on_behalf_of"] == "carol"
    assert data["needs"] == [{"profile": "release", "group": "release-managers", "quorum": 1, "votes": 0, "stage": 1, "of": "any"}]
    assert data["request_digest"] == town.house.digest(request_id, "plain") and data["delivery_id"] == call.id
    assert '  "note": "a\\u{202e}b\\u{a}Digest: sha-256:0"' in data["text"].splitlines()
    logged = town.house.one("SELECT delivery_id::text FROM delivery WHERE request_id = %s AND target = 'journal'", request_id)
    assert any("event=notice" in line and logged in line for line in town.house.log("notifier").splitlines())


def test_what_became_of_it_is_told_too(town):
    request_id = town.ask("plain")
    town.receiver.wait("/plain", 2)
    town.answer("plain", request_id, reason="reviewed")
    calls = [c for c in town.receiver.wait("/plain", 3) if c.json["data"]["request_id"] == request_id]
    assert [c.json["type"] for c in calls] == ["approval.opened", "approval.closed"]
    data = calls[-1].json["data"]
    assert data["state"] == "CLOSED" and data["result"] == "GRANTED" and data["needs"][0]["votes"] == 1
    assert data["responses"][0]["responder"] == "alice-plain" and data["responses"][0]["reason"] == "reviewed"


def test_a_failure_is_tried_again_under_the_same_id_with_a_new_timestamp(town):
    town.receiver.answers["/again"] = [lambda handler: (time.sleep(1), reply(500)(handler)), 200]
    request_id = town.ask("again")
    first, second = town.receiver.wait("/again", 2)
    assert first.id == second.id and first.body == second.body and second.stamp > first.stamp and second.signed_with(NEW)
    town.becomes(request_id, ("sent", "http_200", 2), what="state, last_code, attempts")


def test_a_receiver_that_asks_for_patience_gets_it_from_every_message(town):
    town.receiver.answers["/patience"] = [reply(429, Retry_After="2"), 200]
    request_id = town.ask("patience")
    first = town.receiver.wait("/patience", 1)[0]
    other = town.ask("patience")
    town.house.eventually("SELECT last_code, next_attempt_at - created_at > interval '2 seconds' FROM delivery WHERE request_id = %s",
                          request_id, expected=[("http_429", True)])
    later = town.receiver.wait("/patience", 3)[1:]
    assert all(2 <= call.at - first.at < 5 for call in later)
    assert {call.json["data"]["request_id"] for call in later} == {request_id, other}
    town.becomes(request_id, ("sent", 2), what="state, attempts")


def test_a_receiver_may_name_the_hour_at_which_it_wants_to_be_asked_again(town):
    at = int(time.time()) + 3
    town.receiver.answers["/dated"] = [reply(503, Retry_After=email.utils.formatdate(at, usegmt=True)), 200]
    request_id = town.ask("dated")
    first, second = town.receiver.wait("/dated", 2)
    assert first.at < at - 1 and at - 1 <= second.at < at + 4
    town.becomes(request_id, ("sent", 2), what="state, attempts")


def test_a_redirect_is_a_failure_and_not_followed(town):
    elsewhere = f"http://127.0.0.1:{town.receiver.port}/elsewhere"
    town.receiver.answers["/moved"] = [reply(301, Location=elsewhere), reply(307, Location=elsewhere), 200]
    request_id = town.ask("moved")
    town.receiver.wait("/moved", 3)
    town.becomes(request_id, ("sent", 3), what="state, attempts")
    assert town.receiver.count("/elsewhere") == 0


def test_410_ends_all_deliveries_to_a_target_until_an_operator_allows_them_again(town):
    town.receiver.answers["/gone"] = [410, 200]
    town.becomes(town.ask("gone"), ("dead", "http_410", 1), what="state, last_code, attempts")
    assert town.house.sql("SELECT channel, reason FROM delivery_target WHERE target = 'gone'")[0][0] == "webhook"
    later = town.ask("gone")
    town.becomes(later, ("dead", "target_gone", 0), what="state, last_code, attempts")
    delivery = town.house.one("SELECT delivery_id::text FROM delivery WHERE request_id = %s", later)
    town.house.cli("deliveries", "replay", delivery, "--tenant", "gone")
    town.house.eventually("SELECT state, last_code, lease_epoch FROM delivery WHERE delivery_id = %s", delivery,
                          expected=[("dead", "target_gone", 2)])
    assert town.receiver.count("/gone") == 1
    town.house.db.execute("DELETE FROM delivery_target WHERE target = 'gone'")
    town.house.cli("deliveries", "replay", delivery, "--tenant", "gone")
    town.becomes(later, ("sent", "http_200"), what="state, last_code")


def test_a_receiver_that_hangs_meets_its_deadline_and_delays_nobody_else(town):
    town.receiver.answers["/hanging"] = [town.receiver.hang] * 6 + [200]
    requests = [town.ask("hanging") for _ in range(6)]
    beside = town.receiver.wait("/beside", 6)
    hanging = town.receiver.wait("/hanging", 4)
    assert beside[-1].at - hanging[0].at < 1.4, "the other target waited"
    for request_id in requests:
        town.becomes(request_id, ("beside", "sent"), ("hanging", "sent"), what="target, state")
    assert "code=timeout" in town.house.log("notifier")


def test_an_endless_answer_is_cut_off_and_counts_by_its_status(town):
    written = []

    def endless(handler):
        handler.send_response(200)
        handler.send_header("content-length", str(2 << 30))
        handler.end_headers()
        try:
            while len(written) < 20000:
                handler.wfile.write(bytes(65536))
                written.append(65536)
        except OSError:
            written.append("cut")
    town.receiver.answers["/endless"] = [endless]
    town.becomes(town.ask("endless"), ("sent", "http_200", 1), what="state, last_code, attempts")
    deadline = time.monotonic() + 30
    while "cut" not in written and time.monotonic() < deadline:
        time.sleep(0.02)
    assert written[-1] == "cut" and len(written) < 500


def test_an_answer_that_trickles_in_meets_the_deadline(town):
    def trickle(handler):
        handler.send_response(200)
        handler.send_header("content-length", "1000")
        handler.end_headers()
        for _ in range(100):
            handler.wfile.write(b".")
            if town.receiver.ending.wait(0.2):
                break
    town.receiver.answers["/trickling"] = [trickle, 200]
    request_id = town.ask("trickling")
    first, second = town.receiver.wait("/trickling", 2)
    assert second.at - first.at >= 1.4
    town.becomes(request_id, ("sent", 2), what="state, attempts")


def test_an_address_that_is_not_public_is_refused_in_whatever_form(town):
    request_id = town.ask("inside")
    town.becomes(request_id, *[(name, "dead", "address_refused") for name in ("decimal", "dotted", "mapped", "octal", "unlisted")],
                 what="target, state, last_code")
    assert town.inside.calls == {}


def test_a_certificate_that_nobody_vouches_for_is_refused(town):
    request_id = town.ask("tls")
    assert town.tls.wait("/knowing", 1)[0].signed_with(NEW)
    town.becomes(request_id, ("knowing", "sent", "http_204"), ("trusting", "dead", "tls"), what="target, state, last_code")
    assert town.tls.count("/trusting") == 0


def test_a_hopeless_delivery_ends_dead_and_an_operator_can_send_it_again(town):
    town.receiver.answers["/hopeless"] = [500] * 4 + [200]
    request_id = town.ask("hopeless")
    town.becomes(request_id, ("dead", "http_500", 4), what="state, last_code, attempts")
    listed = json.loads(town.house.cli("deliveries", "list", "--tenant", "hopeless", "--state", "dead", "-o", "json").stdout)
    delivery = town.house.one("SELECT delivery_id::text FROM delivery WHERE request_id = %s", request_id)
    assert delivery in json.dumps(listed)
    town.house.cli("deliveries", "replay", delivery, "--tenant", "hopeless")
    town.becomes(request_id, ("sent", "http_200", 1), what="state, last_code, attempts")
    assert {c.id for c in town.receiver.wait("/hopeless", 5)} == {delivery}


def test_a_command_gets_the_card_on_stdin_and_its_exit_code_decides(town):
    request_id = town.ask("command")
    town.becomes(request_id, ("program-fail", "sent", "exit_0", 2, "ticket 42"), ("program-good", "sent", "exit_0", 1, "ticket 42"),
                 ("program-never", "dead", "exit_100", 1, None), ("program-slow", "sent", "exit_0", 2, "ticket 42"),
                 what="target, state, last_code, attempts, reference")
    assert "target=program-slow kind=approval.opened n=1 code=timeout" in town.house.log("notifier")
    (card,) = town.folder.glob("good.*.json")
    stored = town.house.one("SELECT body FROM delivery WHERE request_id = %s AND target = 'program-good'", request_id)
    assert card.read_bytes() == stored and json.loads(stored)["data"]["request_id"] == request_id


def test_what_came_later_is_not_told_before_the_question(town):
    town.receiver.answers["/order"] = [500, 500, 500, 200]
    request_id = town.ask("order")
    town.receiver.wait("/order", 1)
    town.answer("order", request_id, verdict="deny")
    calls = town.receiver.wait("/order", 5)
    assert [c.json["type"] for c in calls] == ["approval.opened"] * 4 + ["approval.closed"]
    assert calls[-1].json["data"]["result"] == "DENIED"
    town.becomes(request_id, ("approval.closed", "sent"), ("approval.opened", "sent"), what="kind, state")


def test_targets_hear_only_of_their_groups_and_events(town):
    request_id = town.ask("groups", action="credential.rotate")
    town.receiver.wait("/pair", 1)
    town.answer("groups", request_id, "pia")
    town.receiver.wait("/pair", 2)
    town.answer("groups", request_id, "paul")
    calls = town.receiver.wait("/pair", 3)
    assert [c.json["type"] for c in calls] == ["approval.opened", "approval.changed", "approval.closed"]
    assert [c.json["data"]["needs"][0]["votes"] for c in calls] == [0, 1, 2]
    town.becomes(request_id, ("pair", "approval.changed.1"), ("pair", "approval.closed"), ("pair", "approval.opened"),
                 what="target, kind")
    assert town.receiver.count("/managers") == 0


def test_an_attempt_that_was_overtaken_changes_nothing(town):
    released = threading.Event()
    town.receiver.answers["/overtaken"] = [lambda handler: (released.wait(60), reply(500)(handler)), 200]
    request_id = town.ask("overtaken")
    town.receiver.wait("/overtaken", 1)
    town.house.processes["notifier"].send_signal(signal.SIGSTOP)
    try:
        town.house.start("notifier", instance="-2", wait=False)
        try:
            town.becomes(request_id, ("sent", "http_200"), what="state, last_code", timeout=60)
        finally:
            town.house.stop("notifier-2")
        row = town.deliveries(request_id, "state, last_code, attempts, lease_epoch")
        assert row[0][2] == row[0][3] >= 2  # more than two where the machine was slower than the lease
        released.set()
    finally:
        town.house.processes["notifier"].send_signal(signal.SIGCONT)
    deadline = time.monotonic() + 20
    while "result=overtaken" not in town.house.log("notifier") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert "result=overtaken" in town.house.log("notifier")
    assert town.deliveries(request_id, "state, last_code, attempts, lease_epoch") == row
    assert len({call.id for call in town.receiver.wait("/overtaken", 2)}) == 1


def test_a_notifier_killed_while_it_sends_sends_again_under_the_same_id(town):
    town.receiver.answers["/killed"] = [town.receiver.hang, 200]
    request_id = town.ask("killed")
    town.receiver.wait("/killed", 1)
    town.house.kill("notifier")
    town.house.start("notifier", wait=False)
    first, second = town.receiver.wait("/killed", 2)
    assert first.id == second.id and first.body == second.body
    town.becomes(request_id, ("sent", "http_200", 2), what="state, last_code, attempts")


def test_asked_to_stop_it_finishes_what_it_sends_and_what_does_not_end_is_not_counted(town):
    town.receiver.answers["/stopped"] = [lambda handler: (time.sleep(1), reply(200)(handler))]
    town.receiver.answers["/stuck"] = [town.receiver.hang, 200]
    town.house.settings["notifier"]["webhook.timeout"] = "1m"
    town.house.stop("notifier")
    town.house.start("notifier", wait=False)
    request_id = town.ask("stopped")
    town.receiver.wait("/stopped", 1)
    town.receiver.wait("/stuck", 1)
    assert town.house.stop("notifier", signal.SIGTERM) == 0
    assert town.deliveries(request_id, "target, state, attempts, last_code") == [("stopped", "sent", 1, "http_200"), ("stuck", "pending", 0, "abandoned")]
    town.house.start("notifier", wait=False)
    town.receiver.wait("/stuck", 2)
    town.becomes(request_id, ("stopped", "sent", 1), ("stuck", "sent", 1), what="target, state, attempts")
    assert town.receiver.count("/stopped") == 1


def test_its_series_tell_what_was_sent_and_what_was_given_up(town):
    town.house.eventually("SELECT count(*) FROM delivery WHERE state = 'pending'", expected=[(0,)])
    town.receiver.answers["/plain"] = [204]
    before = town.house.metrics("notifier").get('countersign_deliveries_total{channel="webhook",result="sent"}', 0)
    town.becomes(town.ask("plain"), ("sent",), ("sent",), what="state")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        series = town.house.metrics("notifier")
        if series.get('countersign_deliveries_total{channel="webhook",result="sent"}', 0) == before + 1 \
                and series["countersign_deliveries_pending"] == 0:
            break
        time.sleep(0.1)
    assert series['countersign_deliveries_total{channel="webhook",result="sent"}'] == before + 1
    assert series["countersign_deliveries_pending"] == 0 and series["countersign_deliveries_oldest_pending_seconds"] == 0
    assert series["countersign_deliveries_dead"] == town.house.one("SELECT count(*) FROM delivery WHERE state = 'dead'")


def test_a_record_that_names_no_approval_is_quarantined_and_a_bad_targets_file_is_named():
    house = House(services=("notifier",))
    try:
        headers = [("countersign-chain", b"0"), ("countersign-sequence", b"999999"), ("ce_id", b"x")]
        assert "nobody_is_told" in house.log("notifier")
        for value in ({"approval_id": "11111111-2222-5333-8444-555555555555"}, {"approval_id": "1"}, {"request_id": "r"},
                      [{"approval_id": "11111111-2222-5333-8444-555555555555"}],
                      b'{"approval_id":"11111111-2222-5333-8444-555555555555","approval_id":"22222222-2222-5333-8444-555555555555"}'):
            house.publish("approvals", value, key="k", partition=0, headers=headers)
        house.eventually("SELECT code, field FROM quarantine ORDER BY origin_offset", expected=[
            ("unknown_approval", "approval_id"), ("bad_value", "approval_id"), ("missing_field", "approval_id"),
            ("not_an_object", ""), ("duplicate_key", "approval_id")])
        house.stop("notifier")
        (house.folder / "targets.json").write_text('{"targets": [{"name": "a", "channel": "webhook", "uri": "x"}]}')
        house.settings["notifier"] = {"notifier.targets_file": str(house.folder / "targets.json")}
        house.start("notifier", wait=False)
        assert house.processes["notifier"].wait(20) == 1
        assert "targets.json: targets[0].uri: there is no such member" in house.log("notifier")
    finally:
        house.close()
