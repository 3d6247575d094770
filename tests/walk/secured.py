# SPDX-License-Identifier: Apache-2.0
"""A second Kafka of the stories' own that lets nobody in without TLS, a password and the right to what he asks for.

It would make any topic that somebody with the right names: whoever must not, has not.
"""
import contextlib
import ipaddress
import secrets
import socket
import struct
import subprocess
import time
from datetime import datetime, timedelta

from confluent_kafka import libversion
from confluent_kafka.admin import AdminClient
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from house import ROOT, SERVICES, free_port

# before 2.6.1 librdkafka answers SCRAM with a nonce that Kafka refuses from 4.0 on
SCRAM_WORKS = libversion()[1] >= 0x020601ff
USERS = (*SERVICES, "agent", "auditor", "operator")
TOPIC, GROUP = 2, 3
READ, WRITE, CREATE, DELETE, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS = 3, 4, 5, 6, 8, 10, 11
LITERAL, PREFIXED = 3, 4

PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{CONTROLLER}
listeners={listeners}
listener.security.protocol.map=GOOD:SASL_SSL,EXPIRED:SASL_SSL,STRANGE:SASL_SSL,INSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=INSIDE
sasl.enabled.mechanisms=SCRAM-SHA-256,PLAIN
ssl.keystore.type=PEM
{logins}
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS
auto.create.topics.enable=true
log.dirs={folder}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
group.initial.rebalance.delay.ms=0
connection.failed.authentication.delay.ms=10
num.network.threads=2
num.io.threads=2
"""
LOGIN = """\
listener.name.{small}.ssl.keystore.location={folder}/{name}.pem
listener.name.{small}.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.{small}.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required {users};"""


def _pem(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


class Authority:
    def __init__(self, name):
        self.key, self.name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        self.certificate = self._make(self.name, self.key, timedelta(days=2), x509.BasicConstraints(ca=True, path_length=None))

    def _make(self, subject, key, lasts, *extensions):
        end = datetime.utcnow() + lasts
        builder = x509.CertificateBuilder(self.name, subject, key.public_key(), x509.random_serial_number(), end - timedelta(days=3), end)
        for extension in extensions:
            builder = builder.add_extension(extension, critical=isinstance(extension, x509.BasicConstraints))
        return builder.sign(self.key, hashes.SHA256())

    def pem(self):
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    def issue(self, path, names, lasts):
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._make(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "kafka")]), key, lasts, x509.SubjectAlternativeName(names))
        path.write_bytes(_pem(key) + certificate.public_bytes(serialization.Encoding.PEM) + self.pem())
        path.chmod(0o600)


class SecuredBroker:
    def __init__(self, folder):
        self.folder, self.process = folder, None
        self.ports = {name: free_port() for name in ("GOOD", "EXPIRED", "STRANGE", "INSIDE", "CONTROLLER")}
        self.passwords = {user: secrets.token_hex(12) for user in USERS}
        authority, here = Authority("the stories' own"), [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("localhost")]
        authority.issue(folder / "GOOD.pem", here, timedelta(days=1))
        authority.issue(folder / "EXPIRED.pem", here, timedelta(hours=-1))
        authority.issue(folder / "STRANGE.pem", [x509.DNSName("kafka.example")], timedelta(days=1))
        (folder / "ca.pem").write_bytes(authority.pem())
        (folder / "other-ca.pem").write_bytes(Authority("somebody else").pem())
        users = " ".join(f'user_{user}="{password}"' for user, password in self.passwords.items())
        (folder / "server.properties").write_text(PROPERTIES.format(
            folder=folder, listeners=",".join(f"{name}://127.0.0.1:{port}" for name, port in self.ports.items()),
            logins="\n".join(LOGIN.format(folder=folder, name=name, small=name.lower(), users=users) for name in ("GOOD", "EXPIRED", "STRANGE")),
            **self.ports))

    def start(self):
        java = ["java", "-Xmx256m", "-cp", f"{ROOT}/build/kafka/libs/*", f"-Dlog4j2.configurationFile={ROOT}/deploy/dev/kafka.log4j2.xml"]
        identity = secrets.token_urlsafe(16)
        accounts = [part for user, password in self.passwords.items()
                    for part in ("--add-scram", f"SCRAM-SHA-256=[name={user},password={password}]")]
        log = open(self.folder / "kafka.log", "ab")
        subprocess.run([*java, "kafka.tools.StorageTool", "format", "--config", str(self.folder / "server.properties"), "--cluster-id", identity,
                        *accounts], stdout=log, stderr=log, check=True)
        self.process = subprocess.Popen([*java, "kafka.Kafka", str(self.folder / "server.properties")], stdout=log, stderr=log,
                                        stdin=subprocess.DEVNULL)
        log.close()
        self.admin = AdminClient({"bootstrap.servers": "127.0.0.1:%d" % self.ports["INSIDE"], "log_level": 0, "reconnect.backoff.max.ms": 200})
        deadline = time.monotonic() + 60
        while True:
            assert self.process.poll() is None and time.monotonic() < deadline, (self.folder / "kafka.log").read_text()[-3000:]
            with contextlib.suppress(Exception):
                if self.admin.list_topics(timeout=1).brokers:
                    return self

    def stop(self):
        self.process.terminate()
        self.process.wait(30)

    def topics(self):
        return set(self.admin.list_topics(timeout=10).topics)

    # ------------------------------------------------------------ who connects, and how

    def login(self, user, listener="GOOD", **more):
        settings = {"bootstrap.servers": "127.0.0.1:%d" % self.ports[listener], "security.protocol": "SASL_SSL",
                    "ssl.ca.location": str(self.folder / "ca.pem"), "sasl.mechanisms": "SCRAM-SHA-256" if SCRAM_WORKS else "PLAIN", "sasl.username": user,
                    "sasl.password": self.passwords.get(user, "none")}
        return {**settings, **{name.replace("_", "."): value for name, value in more.items()}}

    # ------------------------------------------------------------ who may do what; spoken by hand, for not every Python client can

    def _ask(self, api, body):
        with socket.create_connection(("127.0.0.1", self.ports["INSIDE"]), timeout=15) as broker, broker.makefile("rb") as answer:
            request = struct.pack(">hhih5s", api, 1, 1, 5, b"story") + body
            broker.sendall(struct.pack(">i", len(request)) + request)
            return answer.read(struct.unpack(">i", answer.read(4))[0])[8:]  # behind number and throttle

    @staticmethod
    def _rule(kind, name, pattern, user, operation):
        def text(value):
            return struct.pack(f">h{len(value)}s", len(value), value.encode())
        return struct.pack(">b", kind) + text(name) + struct.pack(">b", pattern) + text("User:" + user) + text("*") + struct.pack(">bb", operation, 3)

    def allow(self, *rules):
        """Rules: (user, kind, name, operation) or with a pattern type behind."""
        made = [self._rule(kind, name, *(more or (LITERAL,)), user, operation) for user, kind, name, operation, *more in rules]
        answer = self._ask(30, struct.pack(">i", len(made)) + b"".join(made))
        done = [struct.pack(">hh", 0, reason) * len(made) for reason in (0, -1)]  # no error, and an empty reason or none
        assert answer[4:] in done, answer

    def withdraw(self, *rules):
        made = [self._rule(kind, name, *(more or (LITERAL,)), user, operation) for user, kind, name, operation, *more in rules]
        answer = self._ask(31, struct.pack(">i", len(made)) + b"".join(made))
        assert answer[4:6] == b"\0\0", answer
