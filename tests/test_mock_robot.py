"""The unchanged planner on mock_robot: a driver in which there is no simulator."""

import importlib.util
import subprocess
import sys
from typing import Any

import pytest
from graph_harness import Graph, Probe

pytest.importorskip("rclpy", reason="needs ROS 2")
pytest.importorskip("milo_msgs", reason="needs the built message package")

from action_msgs.msg import GoalStatus
from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import Odometry

from milo_benchmark.robot_graph import RobotArguments, robot_graph
from milo_benchmark.supervisor import find_executable, ros_arguments
from milo_core.error_codes import NavigateToError, PickError, RunTaskError
from milo_msgs.action import NavigateTo, Pick, RunTask
from milo_msgs.msg import ObjectState, PlanStep, SubGoal, WorldState
from milo_ros.qos import LATCHED, SENSOR

pytestmark = [pytest.mark.graph, pytest.mark.timeout(120)]
PICK = SubGoal(goal="pick_up", object="apple")
STORE = SubGoal(goal="store", object="mug", target="cabinet")
FAST = {"speed_factor": 20.0, "width": 32, "height": 24}


def start(graph: Graph, namespace: str = "", **parameters: Any) -> None:
    """Start what `robot.launch.py driver:=mock` starts, the robot with other parameters."""
    for spec in robot_graph(RobotArguments.parse({"namespace": namespace})):
        command = [*find_executable(spec), *ros_arguments(spec)]
        if spec.name == "mock_robot":
            given = FAST | parameters
            command += [part for n, v in given.items() for part in ("-p", f"{n}:={v}")]
        graph.start(f"{namespace}{spec.name}", *command)


def facts(world: WorldState) -> dict[str, ObjectState]:
    return {obj.object_id: obj for obj in world.objects}


def test_rule_based_finishes_a_pick_and_a_store(graph: Graph, probe: Probe) -> None:
    start(graph)
    worlds = probe.collect(WorldState, "world_state", LATCHED)
    result = probe.do(RunTask, "run_task", goals=[STORE], profile="milo", seconds=60.0)
    assert (result.error_code, result.failure_cause) == (0, "")
    assert result.execution_success
    assert [step.action for step in result.plans[0].steps] == [
        *("locate", "navigate", "pickup", "locate", "navigate", "open", "place", "close")
    ]
    assert all(step.status == PlanStep.SUCCEEDED for step in result.plans[0].steps)
    probe.until(lambda: worlds and worlds[-1].step >= result.step, "the final world state")
    mug = facts(worlds[-1])["mug_1"]
    assert list(mug.parent_receptacles) == ["cabinet_1"]
    assert mug.provenance == ObjectState.PROVENANCE_SENSED
    assert worlds[-1].world_source == "sensed"
    assert facts(worlds[-1])["cabinet_1"].is_open == ObjectState.NO

    result = probe.do(RunTask, "run_task", goals=[PICK], profile="milo", seconds=60.0)
    assert result.error_code == 0, result.error_msg
    probe.until(lambda: worlds[-1].step >= result.step, "the final world state")
    assert worlds[-1].held_object_id == "apple_1"
    probe.until(lambda: worlds[-1].step > result.step, "facts that come by themselves")


def test_two_robots_in_one_domain_know_nothing_of_each_other(graph: Graph, probe: Probe) -> None:
    start(graph, "left")
    start(graph, "right")
    worlds = {
        name: probe.collect(WorldState, f"{name}/world_state", LATCHED)
        for name in ("left", "right")
    }
    result = probe.do(RunTask, "/left/run_task", goals=[PICK], seconds=60.0)
    assert result.error_code == 0, result.error_msg
    left, right = worlds["left"], worlds["right"]
    probe.until(lambda: left and left[-1].held_object_id == "apple_1", "the left robot's apple")
    probe.until(lambda: right, "the right robot's world")
    assert right[-1].held_object_id == ""

    def none_outside() -> bool:
        names = {name for name, _ in probe.node.get_topic_names_and_types()}
        outside = {n for n in names if not n.startswith(("/left/", "/right/"))}
        return outside <= {"/rosout", "/parameter_events"}

    # Names of nodes that ended in this domain before are forgotten after a while.
    probe.until(none_outside, "a domain with nothing beside the two namespaces", 60.0)


def test_skills_one_by_one(graph: Graph, probe: Probe) -> None:
    graph.start_executable("milo_sim_bridge", "mock_robot", parameters={**FAST, "latency": 0.5})
    facts_seen = probe.collect(WorldState, "object_states", LATCHED)
    far = probe.do(Pick, "pick", object_id="mug_1")
    assert far.error_code == PickError.TOO_FAR
    assert "navigate to it" in far.error_msg
    run = probe.send(NavigateTo, "navigate_to", object_id="mug_1", mode="path")
    outcome = run.outcome()
    assert outcome.status == GoalStatus.STATUS_SUCCEEDED
    assert outcome.result.path_length == pytest.approx(outcome.result.shortest_length, rel=0.01)
    remaining = [f.distance_remaining for f in run.feedback if f.stage == "moving"]
    assert remaining == sorted(remaining, reverse=True)
    assert probe.do(Pick, "pick", object_id="mug_1").object_id == "mug_1"
    step = probe.do(Pick, "pick", object_id="mug_1")
    assert step.error_code == PickError.HAND_FULL
    probe.until(lambda: facts_seen[-1].step >= step.step, "facts as new as the result")
    assert facts_seen[-1].held_object_id == "mug_1"


def test_canceling_a_motion_and_a_waiting_goal(graph: Graph, probe: Probe) -> None:
    graph.start_executable("milo_sim_bridge", "mock_robot", parameters={**FAST, "drop_rate": 1.0})
    running = probe.send(NavigateTo, "navigate_to", object_id="mug_1")
    waiting = probe.send(Pick, "pick", object_id="mug_1")
    probe.until(lambda: running.feedback, "the beginning")
    waiting.cancel()
    assert waiting.outcome().result.error_code == PickError.CANCELED
    running.cancel()
    outcome = running.outcome()
    assert outcome.status == GoalStatus.STATUS_CANCELED
    assert outcome.result.error_code == NavigateToError.CANCELED


def test_failures_on_purpose_reach_the_task(graph: Graph, probe: Probe) -> None:
    start(graph, failure_rate=1.0)
    result = probe.do(RunTask, "run_task", goals=[PICK], seconds=60.0)
    assert result.error_code == RunTaskError.EXECUTION_FAILED
    assert result.plans[0].steps[1].error_code == NavigateToError.BLOCKED
    assert "on purpose" in result.failure_cause


def test_velocity_commands_move_the_odometry(graph: Graph, probe: Probe) -> None:
    graph.start_executable("milo_sim_bridge", "mock_robot", parameters=FAST)
    odometry = probe.collect(Odometry, "odom", SENSOR)
    publisher = probe.node.create_publisher(TwistStamped, "cmd_vel", 10)
    message = TwistStamped()
    message.twist.linear.x = 0.3

    def moved() -> bool:
        publisher.publish(message)
        return bool(odometry) and odometry[-1].pose.pose.position.x > 0.3

    probe.until(moved, "the motion")


def test_no_simulator_is_loaded() -> None:
    code = (
        "import sys, milo_sim_bridge.mock_robot.node; "
        "print([m for m in sys.modules if m.split('.')[0] in ('ai2thor', 'milo_sim', 'mujoco')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"


def test_standard_interfaces_that_are_not_installed_are_named(graph: Graph) -> None:
    graph.start_executable("milo_sim_bridge", "standard_interfaces")
    missing = [
        name
        for name in ("nav2_msgs", "control_msgs", "vision_msgs", "simulation_interfaces")
        if importlib.util.find_spec(name) is None
    ]
    for name in missing:
        words = f"{name} is not installed"
        graph.wait_for(lambda w=words: w in graph.log("standard_interfaces"), words)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"home": "/nowhere.yaml"}, "/nowhere.yaml can't be read"),
        ({"image_folder": "/nowhere"}, "image folder /nowhere"),
        ({"failure_rate": 2.0}, "failure_rate"),
    ],
)
def test_bad_parameters_end_it_with_one_sentence(
    graph: Graph, parameters: dict[str, Any], words: str
) -> None:
    process = graph.start_executable("milo_sim_bridge", "mock_robot", parameters=parameters)
    graph.may_end("mock_robot")
    assert process.wait(20) == 2
    (line,) = graph.log("mock_robot").strip().splitlines()
    assert words in line
    del graph.processes["mock_robot"]
