"""The player process, driven over its pipes without the ai2thor package."""

import json
import os
import select
import shlex
import signal
import struct
import subprocess
import sys
import time

import msgpack
import pytest

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

    def wait(self) -> tuple[int, str]:
        _, errors = self.process.communicate(timeout=LIMIT)
        return self.process.returncode, errors

    def close(self) -> None:
        for descriptor in (self.source, self.sink):
            if descriptor >= 0:
                os.close(descriptor)
        self.source = self.sink = -1


@pytest.fixture
def start(tmp_path):
    clients = []

    def make(**options):
        folder = tmp_path / f"pipes {len(clients)}"
        folder.mkdir()
        clients.append(Client(folder, **options))
        return clients[-1]

    yield make
    for client in clients:
        client.close()
        if client.process.poll() is None:
            client.process.kill()
        client.process.communicate(timeout=LIMIT)


@pytest.fixture
def client(start):
    made = start()
    made.connect()
    return made


def test_the_first_message_is_an_event_of_no_action(start):
    field, body = start().connect()
    assert field is FieldType.METADATA
    assert body["sequenceId"] == 0
    assert body["activeAgentId"] == 0
    assert body["thirdPartyCameras"] == []
    assert len(body["agents"]) == 1


def test_answers_carry_the_sequence_id(client):
    _, body = client.step(action="Pass", sequenceId=41)
    assert body["sequenceId"] == 41
    assert body["agents"][0]["lastAction"] == "Pass"


def test_screen_size_comes_from_unitys_arguments(start):
    client = start(arguments=("-screen-width", "640", "-screen-height", "480"))
    _, body = client.connect()
    assert (body["agents"][0]["screenWidth"], body["agents"][0]["screenHeight"]) == (640, 480)


def test_wrong_screen_size_is_a_usage_error(start):
    code, errors = start(arguments=("-screen-width", "-3")).wait()
    assert code == 2
    assert errors.count("\n") == 1
    assert "-screen-width must be a positive number" in errors


def test_client_that_goes_away_ends_the_player(client):
    client.close()
    assert client.wait() == (0, "")


def test_client_that_goes_away_before_it_writes(start):
    client = start()
    client.source = os.open(client.server_path, os.O_RDONLY)
    client.receive()
    client.sink = os.open(client.client_path, os.O_WRONLY)
    client.close()
    assert client.wait() == (0, "")


def test_sigterm_ends_the_player(client):
    client.process.terminate()
    assert client.wait() == (128 + signal.SIGTERM, "")


def test_sigterm_while_nobody_opens_the_pipes(start):
    client = start()
    code, errors = -1, "?"
    # The signal may meet the shell of the start script, which it ends at once.
    client.process.terminate()
    code, errors = client.wait()
    assert code in (128 + signal.SIGTERM, -signal.SIGTERM)
    assert errors == ""


def test_ctrl_c_is_left_to_the_client(client):
    client.agent(action="Pass", sequenceId=0)
    client.process.send_signal(signal.SIGINT)
    assert client.agent(action="Pass", sequenceId=1)["lastActionSuccess"]


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[1, 2]", b'"Pass"', b"{}", b'{"action": 5}', b"\xff\xfe\x00", b"null"],
)
def test_a_message_that_is_no_action_gets_an_error_event(client, body):
    client.send(frame(body))
    agent = client.receive()[1]["agents"][0]
    assert not agent["lastActionSuccess"]
    assert agent["errorCode"] == "InvalidAction"
    assert agent["errorMessage"].startswith("The message is not")
    assert client.agent(action="Pass", sequenceId=1)["lastActionSuccess"]


@pytest.mark.parametrize(
    "garbage",
    [b"\x00" * 64, b"hello, world, this is no message", b"\x02\xff\xff\xff\xff"],
)
def test_garbage_on_the_pipe_ends_the_player_with_one_sentence(client, garbage):
    client.send(garbage)
    code, errors = client.wait()
    assert code == 1
    assert errors.startswith("milo_sim player: ")
    assert errors.count("\n") == 1


def test_half_message_then_silence_of_a_dead_client(client):
    client.send(frame(b'{"action": "Pass", "sequenceId": 1}')[:17])
    client.close()
    code, errors = client.wait()
    assert code == 1
    assert errors == "milo_sim player: The peer closed the pipe in the middle of a message.\n"


def test_without_pipes_it_says_how_it_is_started():
    run = subprocess.run(
        shlex.split(milo_sim.executable()),
        env={k: v for k, v in os.environ.items() if not k.startswith("AI2THOR")},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert run.returncode == 2
    assert "Controller(local_executable_path=milo_sim.executable(), headless=True)" in run.stderr


def test_other_server_types_are_refused(start):
    code, errors = start(AI2THOR_SERVER_TYPE="WSGI").wait()
    assert code == 2
    assert "only FIFO is spoken" in errors


PARENT = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:])
print(child.pid, flush=True)
sys.stdin.read()
"""


def _is_running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as status:
            return status.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _has_started(pid: int) -> bool:
    """Whether the start script has become the player."""
    with open(f"/proc/{pid}/cmdline") as file:
        return "milo_sim" in file.read().split("\0")


def _wait_until(condition) -> None:
    deadline = time.monotonic() + LIMIT
    while not condition() and time.monotonic() < deadline:
        select.select([], [], [], 0.02)
    assert condition()


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
@pytest.mark.parametrize("connected", [True, False])
def test_killed_parent_leaves_no_orphan(start, connected):
    """A client killed by SIGKILL cleans nothing up; another process may still hold the pipes."""
    client = start()
    client.process.kill()
    client.process.communicate(timeout=LIMIT)
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, *shlex.split(milo_sim.executable())],
        env=client.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        player = int(parent.stdout.readline())
        if connected:
            client.connect()
        _wait_until(lambda: _has_started(player))
        parent.kill()
        parent.communicate(timeout=LIMIT)
        _wait_until(lambda: not _is_running(player))
    finally:
        parent.kill()
        parent.communicate(timeout=LIMIT)
