# SPDX-License-Identifier: Apache-2.0
"""The wire between some services and the broker, in the hand of a story.

Whole requests and answers of the Kafka protocol pass through. The broker's own address is replaced by the wire's in what
it answers, so that a client stays on it, and the versions of what a story may touch are held at those that are spelled
out here.
"""
import collections
import socket
import struct
import threading

from house import BOOTSTRAP

PRODUCE, METADATA, COMMIT, FIND_COORDINATOR, JOIN, HEARTBEAT, SYNC, API_VERSIONS = 0, 3, 8, 10, 11, 12, 14, 18
HIGHEST = {PRODUCE: 7, COMMIT: 6, JOIN: 5, HEARTBEAT: 3, SYNC: 3}  # the last ones before the flexible kind, or before more is said
Request = collections.namedtuple("Request", "api version number body")


class Fault:
    """What is done to the next `times` requests of one kind.

    error: the answer says this; stored=False keeps the request itself from the broker. held=True: the request waits for
    let_go() on its way to the broker; lost=True: its answer never comes.
    """

    def __init__(self, api, error=None, stored=True, held=False, lost=False, times=1):
        self.api, self.error, self.stored, self.held, self.lost, self.left = api, error, stored, held, lost, times
        self.met, self.go = threading.Event(), threading.Event()

    def let_go(self):
        self.go.set()


class Wire:
    def __init__(self, bootstrap=BOOTSTRAP):
        host, _, port = bootstrap.split(",")[0].rpartition(":")
        self.broker = host, int(port)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.named = host.encode() + struct.pack(">i", int(port))
        self.renamed = host.encode() + struct.pack(">i", self.listener.getsockname()[1])
        self.faults, self.lock, self.open = [], threading.Lock(), set()
        self.flowing, self.refusing, self.seen = threading.Event(), False, collections.Counter()
        self.flowing.set()
        threading.Thread(target=self._accept, daemon=True).start()

    # ------------------------------------------------------------ what a story does

    def fault(self, api, **named):
        with self.lock:
            self.faults.append(Fault(api, **named))
            return self.faults[-1]

    def cut(self):
        """Every connection breaks and none is taken."""
        self.refusing = True
        self._close_all()

    def silence(self):
        """Connections stay and nothing moves on them."""
        self.flowing.clear()

    def mend(self):
        self.refusing = False
        self.flowing.set()
        with self.lock:
            self.faults.clear()

    def close(self):
        self.listener.close()
        self.mend()
        self._close_all()

    # ------------------------------------------------------------ what passes

    def take_fault(self, api):
        with self.lock:
            self.seen[api] += 1
            for fault in self.faults:
                if fault.api == api and fault.left > 0:
                    fault.left -= 1
                    return fault
        return None

    def _close_all(self):
        with self.lock:
            connections, self.open = list(self.open), set()
        for connection in connections:
            connection.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                if self.refusing:
                    raise OSError("refused")
                connection = Connection(self, client, socket.create_connection(self.broker, timeout=10))
            except OSError:
                client.close()
                continue
            with self.lock:
                self.open.add(connection)


class Connection:
    """One of a client's, with one of ours behind it."""

    def __init__(self, wire, client, broker):
        broker.settimeout(None)
        self.wire, self.client, self.broker = wire, client, broker
        self.lock, self.waiting = threading.Lock(), collections.deque()
        for pump in (self._up, self._down):
            threading.Thread(target=self._run, args=(pump,), daemon=True).start()

    def close(self):
        for end in (self.client, self.broker):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _run(self, pump):
        try:
            pump()
        except OSError:
            pass
        self.close()

    @staticmethod
    def _frames(end):
        with end.makefile("rb") as stream:
            while len(size := stream.read(4)) == 4:
                length, = struct.unpack(">i", size)
                frame = stream.read(length)
                if len(frame) == length:
                    yield frame

    @staticmethod
    def _send(end, frame):
        end.sendall(struct.pack(">i", len(frame)) + frame)

    def _up(self):
        for frame in self._frames(self.client):
            api, version, number, name = struct.unpack(">hhih", frame[:10])
            request = Request(api, version, number, frame[10 + max(name, 0):])
            fault = self.wire.take_fault(api)
            if fault:
                fault.met.set()
                if fault.held:
                    fault.go.wait(60)
            self.wire.flowing.wait()
            with self.lock:
                self.waiting.append((request, fault))
                self._answer_ourselves()
            if not fault or fault.stored:
                self._send(self.broker, frame)

    def _down(self):
        for frame in self._frames(self.broker):
            self.wire.flowing.wait()
            with self.lock:
                request, fault = self.waiting.popleft()
                assert (request.number,) == struct.unpack(">i", frame[:4])
                if not fault or not fault.lost:
                    self._send(self.client, self._changed(request, fault, frame))
                self._answer_ourselves()

    def _changed(self, request, fault, frame):
        if fault and fault.error is not None:
            return _made(request, fault.error)
        if request.api == API_VERSIONS:
            return _capped(request, frame)
        return frame.replace(self.wire.named, self.wire.renamed) if request.api in (METADATA, FIND_COORDINATOR) else frame

    def _answer_ourselves(self):
        """What the broker never saw is answered when nothing is before it: answers keep the order of their requests."""
        while self.waiting and self.waiting[0][1] and not self.waiting[0][1].stored:
            request, fault = self.waiting.popleft()
            self._send(self.client, _made(request, fault.error))


def _capped(request, frame):
    """ApiVersions: no more of what we read than we can read."""
    entries, width = (frame[10:], 6) if request.version < 3 else (frame[7:], 7)
    count = struct.unpack(">i", frame[6:10])[0] if request.version < 3 else frame[6] - 1
    out = bytearray(frame)
    for n in range(count):
        at = len(frame) - len(entries) + n * width
        api, lowest, highest = struct.unpack(">hhh", frame[at:at + 6])
        if highest > HIGHEST.get(api, highest):
            out[at:at + 6] = struct.pack(">hhh", api, lowest, HIGHEST[api])
    return bytes(out)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, form):
        value, = struct.unpack_from(">" + form, self.data, self.at)
        self.at += struct.calcsize(">" + form)
        return value

    def bytes(self, form):
        length = max(self.number(form), 0)
        self.at += length
        return self.data[self.at - length:self.at]


def _topics(request):
    """The partitions that a request is about: {topic: [partition]}."""
    body, topics = Reader(request.body), {}
    for form in ("h", 2, 4) if request.api == PRODUCE else ("h", 4, "h"):
        body.bytes(form) if form == "h" else body.number("h" if form == 2 else "i")
    for _ in range(body.number("i")):
        partitions = topics.setdefault(body.bytes("h"), [])
        for _ in range(body.number("i")):
            partitions.append(body.number("i"))
            if request.api == PRODUCE:
                body.bytes("i")
            else:
                body.number("q"), request.version >= 6 and body.number("i"), body.bytes("h")
    return topics


def _made(request, error):
    """An answer that says nothing but this error, in the version that was asked for."""
    head = struct.pack(">i", request.number)
    throttle = struct.pack(">i", 0)
    if request.api in (PRODUCE, COMMIT):
        topics = _topics(request)
        out = struct.pack(">i", len(topics))
        more = b"" if request.api == COMMIT else struct.pack(">qqq", -1, -1, -1)[:24 if request.version >= 5 else 16]
        for topic, partitions in topics.items():
            out += struct.pack(">h", len(topic)) + topic + struct.pack(">i", len(partitions))
            out += b"".join(struct.pack(">ih", partition, error) + more for partition in partitions)
        return head + (out + throttle if request.api == PRODUCE else throttle + out)
    if request.api == HEARTBEAT:
        return head + throttle + struct.pack(">h", error)
    if request.api == SYNC:
        return head + throttle + struct.pack(">hi", error, 0)
    if request.api == JOIN:
        return head + throttle + struct.pack(">hihhhi", error, -1, 0, 0, 0, 0)
    raise ValueError(request.api)
