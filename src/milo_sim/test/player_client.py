"""The client's end of the player's pipes, without the ai2thor package."""

import json
import os
import select
import shlex
import struct
import subprocess
import time

import msgpack

import milo_sim
from milo_sim.protocol import FieldType

END = struct.pack("!BI", 255, 0)
LIMIT = 30.0


def frame(body: bytes) -> bytes:
    return struct.pack("!BI", FieldType.ACTION, len(body)) + body + END


class Client:
    """The client's end of the two pipes."""

    def __init__(self, folder, arguments=("-batchmode", "-nographics"), **environment) -> None:
        self.server_path = str(folder / "server.pipe")
        self.client_path = str(folder / "client.pipe")
        os.mkfifo(self.server_path)
        os.mkfifo(self.client_path)
        self.environment = {
            **os.environ,
            "AI2THOR_SERVER_TYPE": "FIFO",
            "AI2THOR_FIFO_SERVER_PIPE_PATH": self.server_path,
            "AI2THOR_FIFO_CLIENT_PIPE_PATH": self.client_path,
            **environment,
        }
        self.process = subprocess.Popen(
            [*shlex.split(milo_sim.executable()), *arguments],
            env=self.environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.source = -1
        self.sink = -1

    def connect(self):
        self.source = os.open(self.server_path, os.O_RDONLY)
        started = self.receive()
        self.sink = os.open(self.client_path, os.O_WRONLY)
        return started

    def read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            ready, _, _ = select.select([self.source], [], [], LIMIT)
            assert ready, "the player did not answer"
            part = os.read(self.source, size - len(data))
            assert part, "the player closed the pipe"
            data += part
        return data

    def receive(self):
        """Field type and body of one message."""
        field, length = struct.unpack("!BI", self.read(5))
        body = self.read(length)
        assert self.read(5) == END
        return FieldType(field), msgpack.unpackb(body)

    def send(self, data: bytes) -> None:
        os.write(self.sink, data)

    def step(self, **action):
        self.send(frame(json.dumps(action).encode()))
        return self.receive()

    def agent(self, **action):
        field, body = self.step(**action)
        assert field is FieldType.METADATA
        return body["agents"][0]

    def wait(self, limit=LIMIT) -> tuple[int, str]:
        _, errors = self.process.communicate(timeout=limit)
        return self.process.returncode, errors

    def close(self) -> None:
        for descriptor in (self.source, self.sink):
            if descriptor >= 0:
                os.close(descriptor)
        self.source = self.sink = -1


def is_running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as status:
            return status.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def has_started(pid: int) -> bool:
    """Whether the start script has become the player."""
    with open(f"/proc/{pid}/cmdline") as file:
        return "milo_sim" in file.read().split("\0")


def wait_until(condition) -> None:
    deadline = time.monotonic() + LIMIT
    while not condition() and time.monotonic() < deadline:
        select.select([], [], [], 0.02)
    assert condition()
