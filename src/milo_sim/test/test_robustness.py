"""Bad input: an error event or a clean end, never a hang, an orphan or a pipe that stays."""

import json
import os
import shlex
import signal
import subprocess
import sys

import pytest
from player_client import LIMIT, frame, has_started, is_running, wait_until

import milo_sim

HUGE = 10**30
NOT_FINITE = (float("nan"), float("inf"), float("-inf"), 1e30, 1e308, 10**400)


def lives(client):
    """The player still answers, in the scene it was in."""
    agent = client.agent(action="Pass", sequenceId=1)
    return agent["lastActionSuccess"] and len(agent["objects"]) > 10


# --- Messages ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 200_000,
        b'{"action": "Pass", "x": ' + b"[" * 200_000,
        b'{"action": "\\ud800"}',
        b'{"action": "PickupObject", "objectId": "\\uDFFF"}',
        b'{"action": "Pass", "\\ud800": 1}',
        b'{"action": "Pass", "sequenceId": %d}' % HUGE,
        b'{"action": "Pass", "sequenceId": 1.5}',
        b'{"action": "Pass", "sequenceId": true}',
        b'{"action": "Pass", "sequenceId": null}',
        b'{"action": "Pass", "x": %s}' % (b"9" * 5000),
    ],
    ids=lambda body: body[:50].decode(),
)
def test_messages_that_cannot_be_meant_get_an_error_event(client, body):
    client.send(frame(body))
    agent = client.receive()[1]["agents"][0]
    assert not agent["lastActionSuccess"]
    assert agent["errorCode"] == "InvalidAction"
    assert lives(client)


def test_text_of_all_kinds_comes_back(client):
    for text in ("Ünïcödé", "\x00\n\t", "😀", "x" * 1_000_000, ""):
        _, body = client.step(action="TestActionReflectParam", rvalue=text, sequenceId=1)
        assert body["agents"][0]["actionReturn"] == text


def test_unknown_scene_is_an_error_event_and_initialize_repeats_it(client):
    for name in (
        "FloorPlan31",
        "FloorPlan1_physics_physics",
        "../../etc/passwd",
        "\0",
        5,
        "x" * 9999,
    ):
        agent = client.agent(action="Reset", sceneName=name, sequenceId=0)
        assert not agent["lastActionSuccess"]
        assert "not contained in milo_sim" in agent["errorMessage"]
        agent = client.agent(action="Initialize", sequenceId=1, renderImage=False)
        assert not agent["lastActionSuccess"]
        assert "not contained in milo_sim" in agent["errorMessage"]
    assert not client.agent(action="Reset", sceneName="/dev/zero.json")["lastActionSuccess"]
    assert client.agent(action="Reset", sceneName="FloorPlan2_physics")["lastActionSuccess"]
    assert client.agent(action="Initialize", renderImage=False)["lastActionSuccess"]


def poses(value):
    """Actions with a number that no pose has."""
    bad, zero = {"x": value, "y": 0.9, "z": 0.0}, {"x": 0.0, "y": 0.0, "z": 0.0}
    apple, fridge = "Apple|-00.47|+01.15|+00.48", "Fridge|-02.10|+00.00|+01.07"
    named = {"objectName": "Apple_3fef4551", "position": bad, "rotation": zero}
    return [
        {"action": "Teleport", "position": bad, "forceAction": True},
        {"action": "Teleport", "rotation": bad, "forceAction": True},
        {"action": "Teleport", "horizon": value, "forceAction": True},
        {"action": "TeleportFull", **bad, "rotation": zero, "horizon": 0, "standing": True},
        {"action": "RotateRight", "degrees": value},
        {"action": "MoveAhead", "moveMagnitude": value},
        {"action": "LookUp", "degrees": value},
        {"action": "TeleportObject", "objectId": apple, "position": bad, "rotation": zero},
        {"action": "PlaceObjectAtPoint", "objectId": apple, "position": bad},
        {"action": "SetObjectPoses", "objectPoses": [named]},
        {"action": "AddThirdPartyCamera", "position": bad, "rotation": zero},
        {"action": "GetInteractablePoses", "objectId": fridge, "positions": [bad]},
        {"action": "GetInteractablePoses", "objectId": fridge, "rotations": [value]},
        {"action": "GetReachablePositions", "gridSize": value},
        {"action": "OpenObject", "objectId": fridge, "openness": value, "forceAction": True},
        {"action": "Initialize", "gridSize": value, "renderImage": False},
        {"action": "Initialize", "visibilityDistance": value, "renderImage": False},
    ]


@pytest.mark.parametrize("value", NOT_FINITE, ids=lambda value: str(value)[:8])
def test_numbers_that_no_pose_has_are_refused(client, value):
    before = client.agent(action="Pass", sequenceId=1)
    for action in poses(value):
        agent = client.agent(**action)
        assert not agent["lastActionSuccess"], action
        assert agent["errorMessage"], action
    after = client.agent(action="Pass", sequenceId=1)
    for field in ("agent", "objects", "thirdPartyCameras"):
        assert after.get(field) == before.get(field)


@pytest.mark.parametrize("value", [1e9, -1e9, 1e5])
def test_far_away_places_break_nothing(client, value):
    for action in poses(value):
        client.step(**action)
        assert client.agent(action="Pass")["lastActionSuccess"]


@pytest.mark.parametrize("side", [0, -1, 16385, 2**31 - 1, HUGE])
def test_sizes_that_no_picture_has_are_refused(client, side):
    agent = client.agent(action="ChangeResolution", x=side, y=300)
    assert not agent["lastActionSuccess"]
    assert (agent["screenWidth"], agent["screenHeight"]) == (300, 300)


@pytest.mark.parametrize("side", ["0", "-3", "1e3", "16385", "9" * 5000, ""])
def test_sizes_that_no_screen_has_are_a_usage_error(start, side):
    code, errors = start(arguments=("-screen-width", side)).wait()
    assert code == 2
    assert errors.count("\n") == 1


# --- The ends of the pipes ---------------------------------------------------------------------


@pytest.mark.slow
def test_half_message_then_silence_of_a_living_client(client):
    """The client neither goes on nor closes; see test_protocol.py for the limit itself."""
    client.send(frame(json.dumps({"action": "Pass"}).encode())[:9])
    code, errors = client.wait(LIMIT + 15)
    assert code == 1
    assert errors == "milo_sim player: The message stopped half way for 30 s.\n"


def test_client_that_never_reads(client):
    """Events fill the pipe; when the client goes away the player's write ends."""
    for _ in range(40):
        client.send(frame(b'{"action": "Pass", "sequenceId": 1}'))
    client.close()
    assert client.wait() == (0, "")


CONTROLLER = """
import sys
from ai2thor.controller import Controller
import milo_sim
controller = Controller(
    local_executable_path=milo_sim.executable(), scene="FloorPlan1", headless=True, x_display=":0"
)
print(controller.server.unity_proc.pid, controller.server.server_pipe_path, flush=True)
sys.stdin.read()
"""


def start_program(*command, **options):
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options
    )


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_killed_controller_leaves_neither_player_nor_pipes(number):
    program = start_program(sys.executable, "-c", CONTROLLER)
    try:
        player, pipe = program.stdout.readline().split()
        assert is_running(int(player))
        assert os.path.exists(pipe)
        program.send_signal(number)
        program.communicate(timeout=LIMIT)
        wait_until(lambda: not is_running(int(player)))
        wait_until(lambda: not os.path.exists(os.path.dirname(pipe)))
    finally:
        program.kill()
        program.communicate(timeout=LIMIT)


PARENT = """
import subprocess, sys
child = subprocess.Popen(sys.argv[1:])
print(child.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
def test_parent_killed_before_it_opens_the_pipes(start):
    client = start()
    client.process.kill()
    client.process.communicate(timeout=LIMIT)
    environment = client.environment
    program = start_program(
        *(sys.executable, "-c", PARENT, *shlex.split(milo_sim.executable())), env=environment
    )
    try:
        player = int(program.stdout.readline())
        wait_until(lambda: has_started(player))
        program.kill()
        program.communicate(timeout=LIMIT)
        wait_until(lambda: not is_running(player))
        assert not os.path.exists(client.server_path)
        assert not os.path.exists(client.client_path)
    finally:
        program.kill()
        program.communicate(timeout=LIMIT)


def test_pipes_of_a_living_client_are_its_own(client):
    client.close()
    assert client.wait() == (0, "")
    assert os.path.exists(client.server_path)
    assert os.path.exists(client.client_path)
