# SPDX-License-Identifier: Apache-2.0
"""Between services and PostgreSQL: knows one message of the wire from the next, and loses a connection exactly at a COMMIT."""
import collections
import contextlib
import socket
import struct
import threading
import urllib.parse

REFUSED = (80877103, 80877104)  # the code of a question for TLS, for GSSAPI
IDLE = b"Z\0\0\0\5I"  # ready for the next transaction


def take(link, count):
    data = b""
    while len(data) < count:
        more = link.recv(count - len(data))
        if not more:
            raise OSError("ended")
        data += more
    return data


def message(link):
    """One message after the start: its letter, and all its bytes."""
    head = take(link, 5)
    return head[:1], head + take(link, struct.unpack(">i", head[1:])[0] - 4)


def binds(kind, data, statements):
    if kind != b"B":
        return False
    _portal, statement = data[5:].split(b"\0", 2)[:2]
    return statement.decode() in statements


def begin(client, server):
    """What comes before the first message: the start, perhaps after questions that are answered with no."""
    while True:
        size = take(client, 4)
        start = take(client, struct.unpack(">i", size)[0] - 4)
        if struct.unpack(">i", start[:4])[0] not in REFUSED:
            return server.sendall(size + start)
        client.sendall(b"N")


def back(server, client, muted, done):
    """From the server to the client, until that must not hear any more. Done: it would have heard that the transaction is over."""
    with contextlib.suppress(OSError):
        while data := server.recv(65536):
            if not muted.is_set():
                client.sendall(data)
            elif IDLE in data:
                done.set()
    done.set()
    if not muted.is_set():
        with contextlib.suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)


def lose(fate, data, client, server, done):
    """The message that a COMMIT begins with, and what follows up to the end of that pipeline."""
    if fate in ("during", "after", "unanswered"):
        server.sendall(data)
        while data[:1] != b"S":
            data = message(client)[1]
            server.sendall(data)
    if fate == "after":
        done.wait(10)
    if fate in ("unheard", "unanswered"):
        with contextlib.suppress(OSError):
            while client.recv(65536):
                pass  # until the client gives up
    for link in (client, server):
        with contextlib.suppress(OSError):
            link.shutdown(socket.SHUT_RDWR)


class Wire:
    """Plan: a function of the number of the COMMIT, over all connections, that says what becomes of it:
    None        it goes through
    "before"    the connection ends, the server never hears of it
    "during"    the server gets it, and at once nobody is there to be answered
    "after"     the server has done it and says so, nobody hears that
    "unheard"   nothing moves any more, in neither direction, and nobody is told; the server has not got it
    "unanswered"    the same, but the server has got it"""

    def __init__(self, uri, plan=lambda n: None, statements=("store_commit",)):
        parts = urllib.parse.urlsplit(uri)
        self.server, self.plan, self.statements = (parts.hostname, parts.port), plan, statements
        self.lost, self.commits, self.lock, self.links = collections.Counter(), 0, threading.Lock(), []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def through(self, uri):
        """The same database, through here."""
        parts = urllib.parse.urlsplit(uri)
        return urllib.parse.urlunsplit(parts._replace(netloc=f"{parts.username}:{parts.password}@127.0.0.1:{self.port}"))

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def fate(self):
        with self.lock:
            self.commits += 1
            fate = self.plan(self.commits)
            self.lost[fate] += fate is not None
        return fate

    def serve(self, client):
        with client, contextlib.suppress(OSError), socket.create_connection(self.server) as server:
            for link in (client, server):
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.links += [client, server]
            begin(client, server)
            muted, done = threading.Event(), threading.Event()
            threading.Thread(target=back, args=(server, client, muted, done), daemon=True).start()
            while True:
                kind, data = message(client)
                fate = self.fate() if binds(kind, data, self.statements) else None
                if fate:
                    muted.set()
                    return lose(fate, data, client, server, done)
                server.sendall(data)

    def close(self):
        self.listener.close()
        for link in self.links:
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
