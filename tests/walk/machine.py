# SPDX-License-Identifier: Apache-2.0
"""Hosts of a story's own: their clock and their disk do as it says. And a PostgreSQL on such a host, beside the shared one."""
import glob
import mmap
import os
import pathlib
import pwd
import secrets
import shutil
import signal
import struct
import subprocess
import tempfile
import time

import psycopg

from house import ASAN, ROOT, free_port


class Machine:
    """What machine.c is told. For a process: env=machine.env."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="countersign-machine-"))
        library, told = self.folder / "machine.so", self.folder / "told"
        source = pathlib.Path(__file__).with_name("machine.c")
        subprocess.run([os.environ.get("CC", "gcc"), "-D_GNU_SOURCE", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        told.write_bytes(bytes(24))
        self.folder.chmod(0o711)
        library.chmod(0o755)
        told.chmod(0o644)
        with open(told, "r+b") as file:
            self.told = mmap.mmap(file.fileno(), 24)
        self.env = {**ASAN, "LD_PRELOAD": str(library), "STORY_MACHINE": str(told)}

    def tell(self, place, value):
        self.told[8 * place:8 * place + 8] = struct.pack("q", value)

    def clock(self, seconds):
        """So far before (negative: behind) the real one, and running."""
        self.tell(0, round(seconds * 1000000))
        self.tell(1, 0)

    def freeze(self, at):
        """It shows this time and no other."""
        self.tell(1, round(at.timestamp() * 1000000))

    def thaw(self):
        """It goes on from where it stands."""
        offset, frozen = struct.unpack("qq", self.told[:16])
        if frozen:
            self.clock(frozen / 1000000 - time.time())

    def disk(self, full):
        self.tell(2, int(full))

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class Postgres:
    """A server of the story's own on a machine of its own, with a certificate where one is given by certify()."""

    def __init__(self):
        self.machine, self.port, self.password = Machine(), free_port(), secrets.token_hex(16)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="countersign-postgres-"))
        self.bin = pathlib.Path(sorted(glob.glob("/usr/lib/postgresql/*/bin") or [os.path.dirname(shutil.which("initdb"))],
                                       key=lambda p: [int(n) for n in p.split("/") if n.isdigit()])[-1])
        self.data, self.log = self.folder / "data", self.folder / "log"
        self.as_server, self.user = [], os.getuid()
        if self.user == 0:  # PostgreSQL does not run as root
            self.as_server = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups"]
            self.user = pwd.getpwnam("postgres").pw_uid
            os.chown(self.folder, self.user, -1)
        self.put("password", self.password)
        done = subprocess.run([*self.as_server, self.bin / "initdb", "-N", "-D", self.data, "-U", "owner", "-A", "scram-sha-256", "--encoding=UTF8",
                               "--locale=C.UTF-8", f"--pwfile={self.folder / 'password'}"], capture_output=True, text=True, cwd=self.folder)
        assert done.returncode == 0, done.stdout + done.stderr
        self.uri = f"postgresql://owner:{self.password}@127.0.0.1:{self.port}/postgres"
        self.start()

    def put(self, name, content):
        """A file that only the server can read."""
        path = self.folder / name
        with open(path, "wb", opener=lambda p, flags: os.open(p, flags, 0o600)) as file:
            file.write(content.encode() if isinstance(content, str) else content)
        os.chown(path, self.user, -1)
        return path

    def start(self):
        settings = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off", "shared_buffers": "32MB",
                    "max_connections": "60", "ssl_cert_file": self.folder / "server.crt", "ssl_key_file": self.folder / "server.key"}
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([*self.as_server, self.bin / "postgres", "-D", self.data, "-p", str(self.port),
                                             *(f"-c{name}={value}" for name, value in settings.items())],
                                            stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.folder,
                                            env={**os.environ, **self.machine.env})
        deadline = time.monotonic() + 30
        while True:
            try:
                return psycopg.connect(self.uri, connect_timeout=2).close()
            except psycopg.OperationalError:
                assert self.process.poll() is None and time.monotonic() < deadline, self.log.read_text()[-2000:]
                time.sleep(0.05)

    def certify(self, certificate, key):
        """This is who it says it is from now on."""
        self.put("server.crt", certificate)
        self.put("server.key", key)
        with psycopg.connect(self.uri, autocommit=True) as owner:
            owner.execute("ALTER SYSTEM SET ssl = on")
            owner.execute("SELECT pg_reload_conf()")

    def close(self):
        self.machine.clock(0)
        self.machine.disk(full=False)
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)
        self.machine.close()
        shutil.rmtree(self.folder, ignore_errors=True)
