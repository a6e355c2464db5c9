"""thor_bridge as a process: its services, skills and topics, and what happens when things break."""

import importlib.util
import json
import math
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from graph_harness import ROOT, Graph, Probe, children_of, is_running, wait_for

pytest.importorskip("rclpy", reason="needs ROS 2")
pytest.importorskip("milo_msgs", reason="needs the built message package")

from action_msgs.msg import GoalStatus
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock

from milo_core.error_codes import (
    EngineError,
    LookAtError,
    NavigateToError,
    PickError,
    PlaceError,
    ReleaseError,
    SetOpenError,
    SetToggledError,
    SliceError,
)
from milo_msgs.action import (
    LookAt,
    NavigateTo,
    Pick,
    Place,
    Release,
    SetOpen,
    SetToggled,
    Slice,
)
from milo_msgs.msg import SimMetadata, SubGoal
from milo_msgs.srv import EvaluateGoal, QueryPoses, QueryReachable, ResetScene
from milo_ros.qos import LATCHED

EVERY_STEP = QoSProfile(
    depth=100,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
pytestmark = [pytest.mark.graph, pytest.mark.timeout(120)]
NODE = ("milo_sim_bridge", "thor_bridge")


def load_scripted_player() -> Any:
    path = ROOT / "src" / "milo_sim_bridge" / "test" / "bridge_scripted_player.py"
    spec = importlib.util.spec_from_file_location("bridge_scripted_player", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


scripted = load_scripted_player()


@pytest.fixture
def bridge(graph: Graph, tmp_path: Path) -> Callable[..., Any]:
    """Starts a bridge; with a script, on the scripted player."""

    def start(script: dict[str, str] | None = None, namespace: str = "", **parameters: Any) -> Any:
        env = {}
        if script is not None:
            env["SCRIPTED_PLAYER"] = json.dumps(script)
            parameters["local_executable_path"] = str(scripted.executable(tmp_path))
        return graph.start_executable(*NODE, parameters=parameters, env=env)

    return start


def reset(probe: Probe, scene: str = "FloorPlan1", name: str = "reset_scene") -> Any:
    response = probe.call(ResetScene, name, scene=scene, seed=3)
    assert response.success, response.error_msg
    return response


def ok(result: Any) -> Any:
    assert (result.error_code, result.error_msg) == (0, "")
    return result


def first_of(metadata: Any, object_type: str, **facts: Any) -> Any:
    for obj in metadata.objects:
        if obj.object_type == object_type and all(
            getattr(obj, name) == value for name, value in facts.items()
        ):
            return obj
    raise AssertionError(f"there is no {object_type} with {facts}")


def test_every_service_and_skill_in_floorplan1(bridge: Any, probe: Probe) -> None:
    bridge()
    states = probe.collect(SimMetadata, "sim/metadata", EVERY_STEP)
    clock = probe.collect(Clock, "/clock")
    response = reset(probe)
    assert (response.step, response.episode, len(response.scene_digest)) == (1, 1, 64)
    assert response.player.startswith("milo_sim ")

    def state(step: int) -> Any:
        probe.until(lambda: states and states[-1].step >= step, f"the state of step {step}")
        return states[-1]

    start = state(1)
    assert (start.scene, start.episode, start.header.frame_id) == ("FloorPlan1", 1, "map")
    assert start.robot_pose == response.robot_pose
    assert start.robot_pose.position.z == pytest.approx(0.0, abs=1e-3)
    assert len(start.objects) > 50

    mug = first_of(start, "Mug").object_id
    fridge = first_of(start, "Fridge").object_id
    poses = probe.call(QueryPoses, "query_poses", object_id=mug)
    assert poses.success
    assert len(poses.poses) == len(poses.camera_pitch) == len(poses.standing) > 1
    assert len(probe.call(QueryPoses, "query_poses", object_id=mug, max_poses=1).poses) == 1
    cells = probe.call(QueryReachable, "query_reachable")
    assert cells.success
    assert len(cells.positions) > 50
    assert state(4).step == 4

    run = probe.send(NavigateTo, "navigate_to", object_id=mug)
    went = ok(run.result())
    assert (went.step, went.poses_found, went.path_length) == (6, len(poses.poses), 0.0)
    assert went.pose.pose.position == poses.poses[0].position
    stages = ["querying_poses", "moving"]
    # A server that has not met the client's subscription yet sends its first feedback to nobody.
    assert [message.stage for message in run.feedback] in (stages, stages[1:], [])
    assert all(math.isfinite(message.distance_remaining) for message in run.feedback)
    assert state(6).robot_pose == went.pose.pose

    held = ok(probe.do(Pick, "pick", object_id=mug))
    assert held.object_id == state(held.step).held_object_id == mug

    ok(probe.do(NavigateTo, "navigate_to", object_id=fridge))
    opened = ok(probe.do(SetOpen, "set_open", object_id=fridge, openness=1.0))
    assert opened.openness == pytest.approx(1.0)
    placed = ok(probe.do(Place, "place", object_id=mug, receptacle_id=fridge, force=True))
    after = state(placed.step)
    assert placed.receptacle_id == fridge
    assert fridge in first_of(after, "Mug").parent_receptacles
    assert placed.pose.pose == first_of(after, "Mug").pose
    assert after.held_object_id == ""

    goals = [SubGoal(goal="store", object="mug", target="fridge"), SubGoal(goal="dance")]
    verdicts = probe.call(EvaluateGoal, "evaluate_goal", goals=goals)
    assert [v.satisfied for v in verdicts.verdicts] == [1, -1]
    assert (verdicts.success, verdicts.all_satisfied) == (True, False)
    assert verdicts.step == placed.step
    assert verdicts.verdicts[0].object_id == mug
    assert probe.call(EvaluateGoal, "evaluate_goal", goals=goals[:1]).all_satisfied

    ok(probe.do(Pick, "pick", object_id=mug, force=True))
    closed = ok(probe.do(SetOpen, "set_open", object_id=fridge, openness=0.0, force=True))
    assert closed.openness == 0.0
    away = ok(probe.do(NavigateTo, "navigate_to", pose=base_pose(cells.positions[0])))
    assert away.pose.pose.position.x == pytest.approx(cells.positions[0].x)
    dropped = ok(probe.do(Release, "release", force=True))
    assert dropped.pose.pose == first_of(state(dropped.step), "Mug").pose

    again = reset(probe)
    assert (again.episode, again.step) == (2, dropped.step + 1)
    assert again.scene_digest == response.scene_digest
    assert reset(probe, "FloorPlan201").scene_digest != response.scene_digest

    last = state(again.step + 1)
    stamp = last.header.stamp
    probe.until(lambda: clock and clock[-1].clock == stamp, "the clock of the last step")
    assert all(obj.observed == stamp for obj in last.objects)
    assert stamp.sec + stamp.nanosec * 1e-9 == pytest.approx(last.step * 0.1)


def base_pose(point: Any) -> Any:
    from geometry_msgs.msg import PoseStamped

    pose = PoseStamped()
    pose.header.frame_id = "map"
    pose.pose.position.x, pose.pose.position.y = point.x, point.y
    return pose


def test_error_codes(bridge: Any, probe: Probe) -> None:
    bridge({})
    apple, counter, drawer = scripted.APPLE, scripted.COUNTER, scripted.DRAWER

    def code(kind: Any, name: str, **fields: Any) -> int:
        outcome = probe.send(kind, name, **fields).outcome()
        assert outcome.status == GoalStatus.STATUS_ABORTED
        assert outcome.result.error_msg
        return int(outcome.result.error_code)

    not_ready = EngineError.ENGINE_NOT_READY
    assert code(NavigateTo, "navigate_to", object_id=apple) == not_ready
    assert code(Release, "release") == not_ready
    for kind, name in (
        (QueryPoses, "query_poses"),
        (QueryReachable, "query_reachable"),
        (EvaluateGoal, "evaluate_goal"),
    ):
        fields = {"object_id": apple} if kind is QueryPoses else {}
        response = probe.call(kind, name, **fields)
        assert (response.success, response.error_code) == (False, not_ready)

    def refused(scene: str) -> int:
        response = probe.call(ResetScene, "reset_scene", scene=scene)
        assert not response.success
        return int(response.error_code)

    assert refused("Kitchen\x00\n'") == EngineError.UNKNOWN_SCENE
    assert refused("FloorPlan2") == EngineError.ENGINE_REFUSED_RESET
    reset(probe)

    assert code(NavigateTo, "navigate_to") == NavigateToError.INVALID_GOAL
    assert code(NavigateTo, "navigate_to", object_id="Mug") == NavigateToError.OBJECT_NOT_FOUND
    path = NavigateTo.Goal.MODE_PATH
    assert (
        code(NavigateTo, "navigate_to", object_id=scripted.MUG, mode=path)
        == NavigateToError.UNREACHABLE
    )
    assert (
        code(NavigateTo, "navigate_to", object_id=apple, mode="fly") == NavigateToError.INVALID_GOAL
    )
    assert (
        code(NavigateTo, "navigate_to", object_id=scripted.MUG)
        == NavigateToError.NO_INTERACTABLE_POSE
    )
    assert code(Pick, "pick") == PickError.INVALID_GOAL
    assert code(Pick, "pick", object_id="x" * 200_000) == PickError.OBJECT_NOT_FOUND
    assert code(Pick, "pick", object_id="Äpfel|\u2603") == PickError.OBJECT_NOT_FOUND
    assert code(Pick, "pick", object_id=counter) == PickError.NOT_PICKUPABLE
    assert code(Place, "place", receptacle_id=counter) == PlaceError.HAND_EMPTY
    assert code(Release, "release") == ReleaseError.HAND_EMPTY
    for openness in (math.nan, -1.0, 1.5):
        assert (
            code(SetOpen, "set_open", object_id=drawer, openness=openness)
            == SetOpenError.INVALID_GOAL
        )
    assert code(SetOpen, "set_open", object_id=apple, openness=1.0) == SetOpenError.NOT_OPENABLE
    lamp = scripted.LAMP
    assert code(SetToggled, "set_toggled", object_id=apple) == SetToggledError.NOT_TOGGLEABLE
    assert code(SetToggled, "set_toggled", object_id=lamp) == SetToggledError.ALREADY_IN_STATE
    assert ok(probe.do(SetToggled, "set_toggled", object_id=lamp, toggled=True)).toggled
    assert code(Slice, "slice", object_id=counter) == SliceError.NOT_SLICEABLE
    assert code(Slice, "slice") == SliceError.INVALID_GOAL
    assert code(LookAt, "look_at") == LookAtError.INVALID_GOAL
    assert ok(probe.do(LookAt, "look_at", object_id=counter)).angle_error < 0.01
    ok(probe.do(Pick, "pick", object_id=apple))
    assert code(Pick, "pick", object_id=scripted.MUG) == PickError.HAND_FULL
    assert code(Place, "place", receptacle_id=drawer) == PlaceError.RECEPTACLE_CLOSED
    assert (
        code(Place, "place", object_id=scripted.MUG, receptacle_id=counter)
        == PlaceError.OTHER_OBJECT_HELD
    )

    def unanswered(kind: Any, name: str, **fields: Any) -> int:
        response = probe.call(kind, name, **fields)
        assert not response.success
        assert response.error_msg
        return int(response.error_code)

    invalid = EngineError.INVALID_REQUEST
    goals = [SubGoal(goal="find", object="apple")]
    assert unanswered(EvaluateGoal, "evaluate_goal", goals=goals, rule="vibes") == invalid
    assert unanswered(QueryReachable, "query_reachable", grid_size=math.nan) == invalid
    assert unanswered(QueryPoses, "query_poses") == NavigateToError.INVALID_GOAL
    empty = probe.call(EvaluateGoal, "evaluate_goal", goals=[SubGoal()])
    assert (empty.success, empty.verdicts[0].satisfied) == (True, -1)


def test_a_player_killed_in_the_middle_of_a_goal(bridge: Any, probe: Probe, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    reached = tmp_path / "reached"
    files = {"pids": str(pids), "once": str(tmp_path / "once"), "reached": str(reached)}
    bridge({"PickupObject": "hang", **files})
    before = reset(probe)
    run = probe.send(Pick, "pick", object_id=scripted.APPLE)
    probe.until(reached.exists, "the beginning of the pick")
    player, child = map(int, pids.read_text().split())
    begin = time.monotonic()
    os.kill(player, signal.SIGKILL)
    outcome = run.outcome()
    assert time.monotonic() - begin < 3
    assert outcome.status == GoalStatus.STATUS_ABORTED
    assert outcome.result.error_code == EngineError.ENGINE_DIED
    assert "SIGKILL" in outcome.result.error_msg
    wait_for(lambda: not is_running(child), "the end of the player's child")
    late = probe.do(Pick, "pick", object_id=scripted.APPLE)
    assert late.error_code == EngineError.ENGINE_NOT_READY
    after = reset(probe)
    assert (after.episode, after.scene_digest) == (2, before.scene_digest)
    ok(probe.do(Pick, "pick", object_id=scripted.APPLE))


def test_a_hung_player(bridge: Any, probe: Probe, tmp_path: Path) -> None:
    bridge({"TeleportFull": "hang", "once": str(tmp_path / "once")}, engine_timeout=1.0)
    reset(probe)
    result = probe.do(NavigateTo, "navigate_to", object_id=scripted.APPLE)
    assert result.error_code == EngineError.ENGINE_TIMEOUT
    assert "within 1 s" in result.error_msg
    reset(probe)
    ok(probe.do(NavigateTo, "navigate_to", object_id=scripted.APPLE))


def test_cancel_and_other_requests_while_a_step_runs(
    bridge: Any, probe: Probe, tmp_path: Path
) -> None:
    gate, reached = tmp_path / "gate", tmp_path / "reached"
    os.mkfifo(gate)
    bridge({"GetInteractablePoses": f"gate:{gate}", "reached": str(reached)})
    states = probe.collect(SimMetadata, "sim/metadata", EVERY_STEP)
    reset(probe)
    running = probe.send(NavigateTo, "navigate_to", object_id=scripted.APPLE)
    probe.until(reached.exists, "the first stage")
    queued = probe.send(Pick, "pick", object_id=scripted.APPLE)
    third = probe.send(SetOpen, "set_open", object_id=scripted.DRAWER, openness=1.0)

    assert len(queued.cancel().goals_canceling) == 1
    outcome = queued.outcome()
    assert outcome.status == GoalStatus.STATUS_CANCELED
    assert outcome.result.error_code == PickError.CANCELED
    goals = [SubGoal(goal="find", object="apple")]
    assert probe.call(EvaluateGoal, "evaluate_goal", goals=goals).all_satisfied
    assert len(running.cancel().goals_canceling) == 1

    gate.write_bytes(b"go")
    outcome = running.outcome()
    assert outcome.status == GoalStatus.STATUS_CANCELED
    assert outcome.result.error_code == NavigateToError.CANCELED
    assert all(message.stage == "querying_poses" for message in running.feedback)
    assert ok(third.result()).openness == 1.0
    probe.until(lambda: states[-1].step == 3, "the state after the third goal")
    assert [s.last_action for s in states] == ["Initialize", "GetInteractablePoses", "OpenObject"]


def test_a_namespace_holds_all_names_but_the_clock(
    graph: Graph, probe: Probe, tmp_path: Path
) -> None:
    parameters = {"local_executable_path": str(scripted.executable(tmp_path))}
    graph.start_executable(
        "milo_sim_bridge", "thor_bridge", namespace="/left/robot", parameters=parameters
    )
    reset(probe, name="/left/robot/reset_scene")
    ok(probe.do(Pick, "/left/robot/pick", object_id=scripted.APPLE))
    late = probe.collect(SimMetadata, "/left/robot/sim/metadata", LATCHED)
    probe.until(lambda: late, "the newest state for a late subscriber")
    assert late[-1].held_object_id == scripted.APPLE
    # What every listener looks for under its absolute name.
    absolute = {"/clock", "/diagnostics", "/parameter_events", "/rosout", "/tf", "/tf_static"}

    def outside() -> set[str]:
        names = {name for name, _ in probe.node.get_topic_names_and_types()}
        return {name for name in names if not name.startswith("/left/robot/")}

    # The names of nodes that have just ended in this domain may linger.
    probe.until(lambda: outside() <= absolute, "no names outside the namespace")
    assert outside() == absolute


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_at_any_moment_ends_it_quietly(
    graph: Graph, probe: Probe, number: signal.Signals, tmp_path: Path
) -> None:
    def handles_signals(pid: int) -> bool:
        line = next(
            line
            for line in Path(f"/proc/{pid}/status").read_text().splitlines()
            if line.startswith("SigCgt")
        )
        return bool(int(line.split()[1], 16) & 1 << (signal.SIGTERM - 1))

    moments: dict[str, Callable[[], Any]] = {
        "imports": lambda: None,
        "reset": lambda: probe.service(ResetScene, "reset_scene").call_async(
            ResetScene.Request(scene="FloorPlan1")
        ),
        "twice": lambda: reset(probe),
    }
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    for name, reach in moments.items():
        process = graph.start_executable(*NODE, name, env={"TMPDIR": str(temporary)})
        graph.wait_for(lambda pid=process.pid: handles_signals(pid), "the handlers")
        reach()
        graph.may_end(name)
        children = children_of(process.pid)
        for _ in range(2 if name == "twice" else 1):
            process.send_signal(number)
        assert process.wait(10) == 0, f"{name}: {graph.log(name)}"
        assert "Traceback" not in graph.log(name)
        assert list(temporary.iterdir()) == []
        wait_for(lambda pids=children: not any(map(is_running, pids)), "the player's end")


def test_the_player_does_not_survive_a_killed_bridge(
    graph: Graph, bridge: Any, probe: Probe, tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    reached = tmp_path / "reached"
    process = bridge({"PickupObject": "hang", "pids": str(pids), "reached": str(reached)})
    reset(probe)
    probe.send(Pick, "pick", object_id=scripted.APPLE)
    probe.until(reached.exists, "the hanging step")
    player = int(pids.read_text().split()[0])
    graph.may_end("thor_bridge")
    process.kill()
    process.wait(5)
    wait_for(lambda: not is_running(player), "the player's end")
    os.kill(int(pids.read_text().split()[1]), signal.SIGKILL)  # a grandchild has no such guard
    del graph.processes["thor_bridge"]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"player": "gazebo"}, "There is no player 'gazebo'; use milo_sim or unity."),
        ({"streams": ["smell"]}, "There is no stream 'smell'"),
        ({"width": 0}, "width"),
        ({"engine_timeout": "soon"}, "engine_timeout"),
    ],
)
def test_bad_parameters_end_it_with_one_sentence(
    graph: Graph, parameters: dict[str, Any], words: str
) -> None:
    process = graph.start_executable(*NODE, parameters=parameters)
    graph.may_end("thor_bridge")
    assert process.wait(20) == 2
    (line,) = graph.log("thor_bridge").strip().splitlines()
    assert words in line
    del graph.processes["thor_bridge"]
