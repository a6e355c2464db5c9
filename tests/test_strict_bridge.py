"""thor_bridge under the strict profile: it judges by what the agent did and saw."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from graph_harness import Graph, Probe

pytest.importorskip("rclpy", reason="needs ROS 2")
pytest.importorskip("milo_msgs", reason="needs the built message package")

from milo_core.error_codes import EngineError, NavigateToError, PickError
from milo_msgs.action import NavigateTo, Pick, Place, SetOpen
from milo_msgs.msg import SimMetadata, SubGoal
from milo_msgs.srv import EvaluateGoal, QueryPoses, ResetScene
from milo_ros.qos import LATCHED

pytestmark = [pytest.mark.graph, pytest.mark.timeout(120)]
STRICT = EvaluateGoal.Request.RULE_STRICT
PATH = NavigateTo.Goal.MODE_PATH


@pytest.fixture
def start(graph: Graph, probe: Probe) -> Callable[[str], list[Any]]:
    """Starts a bridge without pictures in a scene; returns the states as they come."""

    def begin(scene: str) -> list[Any]:
        parameters = {"headless": True}
        graph.start_executable("milo_sim_bridge", "thor_bridge", parameters=parameters)
        states = probe.collect(SimMetadata, "sim/metadata", LATCHED)
        reset = probe.call(ResetScene, "reset_scene", scene=scene)
        assert reset.success, reset.error_msg
        probe.until(lambda: states, "the state after the reset")
        return states

    return begin


def first_of(states: list[Any], object_type: str) -> Any:
    return next(o for o in states[-1].objects if o.object_type == object_type)


def judge(probe: Probe, *goals: SubGoal, rule: str = STRICT, length: bool = False) -> Any:
    response = probe.call(
        EvaluateGoal, "evaluate_goal", goals=goals, rule=rule, with_shortest_length=length
    )
    assert response.success, response.error_msg
    return response


def test_what_was_seen_counts_once_the_agent_has_acted(
    start: Callable[[str], list[Any]], probe: Probe
) -> None:
    states = start("FloorPlan402")
    soap = first_of(states, "SoapBar").object_id
    goal = SubGoal(goal="find", object="soapbar")
    before = judge(probe, goal, length=True)
    assert (before.all_satisfied, list(before.held_at_reset)) == (False, [False])
    assert before.error_msg
    assert 0.0 < before.shortest_length < 3.0

    # Questions are no doing of the agent.
    assert probe.call(QueryPoses, "query_poses", object_id=soap).success
    assert not judge(probe, goal).all_satisfied

    went = probe.do(NavigateTo, "navigate_to", object_id=soap, mode=PATH, purpose="view")
    assert (went.error_code, went.error_msg, went.viewing) == (0, "", True)
    after = judge(probe, goal)
    assert (after.all_satisfied, after.error_msg) == (True, "")
    assert after.verdicts[0].object_id == soap
    assert list(after.side_effects) == []
    assert math.isnan(after.shortest_length)

    again = probe.call(ResetScene, "reset_scene", scene="FloorPlan402")
    assert again.success
    assert not judge(probe, goal).all_satisfied


def test_what_is_put_away_is_judged_with_its_side_effects(
    start: Callable[[str], list[Any]], probe: Probe, graph: Graph
) -> None:
    states = start("FloorPlan302")
    clock = first_of(states, "AlarmClock").object_id
    drawer = "Drawer|+00.30|+00.16|+01.16"
    goal = SubGoal(goal="store", object="alarmclock", target="drawer")
    for object_id, action, name, fields in (
        (clock, Pick, "pick", {"object_id": clock}),
        (drawer, SetOpen, "set_open", {"object_id": drawer, "openness": 1.0}),
    ):
        went = probe.do(NavigateTo, "navigate_to", object_id=object_id, mode=PATH, purpose="place")
        assert (went.error_code, went.error_msg) == (0, "")
        done = probe.do(action, name, **fields)
        assert (done.error_code, done.error_msg) == (0, "")
    assert not judge(probe, goal).all_satisfied
    placed = probe.do(Place, "place", object_id=clock, receptacle_id=drawer, any_type=True)
    assert (placed.error_code, placed.type_forced) == (0, True)
    logged = [line for line in graph.log("thor_bridge").splitlines() if "was overruled" in line]
    assert len(logged) == 1
    assert "AlarmClock went into or onto Drawer" in logged[0]
    done = judge(probe, goal)
    assert (done.all_satisfied, list(done.held_at_reset)) == (True, [False])
    assert list(done.side_effects) == [f"{drawer} was closed and is open now."]
    published = judge(probe, goal, rule="", length=True)
    assert published.side_effects == done.side_effects
    assert published.shortest_length == 0.0
    closed = probe.do(SetOpen, "set_open", object_id=drawer, openness=0.0)
    assert (closed.error_code, closed.error_msg) == (0, "")
    assert list(judge(probe, goal).side_effects) == []


def test_refusals_of_the_strict_profile(start: Callable[[str], list[Any]], probe: Probe) -> None:
    states = start("FloorPlan1")
    steps = states[-1].step
    tomato = first_of(states, "Tomato").object_id
    spoon = first_of(states, "Spoon").object_id
    assert probe.do(Pick, "pick", object_id=spoon).error_code in (
        PickError.CONTAINER_CLOSED,
        PickError.TOO_FAR,
    )
    far = probe.do(Pick, "pick", object_id=tomato)
    assert far.error_code in (PickError.TOO_FAR, PickError.NOT_VISIBLE)
    assert far.step == steps
    purpose = probe.do(NavigateTo, "navigate_to", object_id=tomato, purpose="admire")
    assert purpose.error_code == NavigateToError.INVALID_GOAL
    went = probe.do(NavigateTo, "navigate_to", object_id=tomato)
    assert went.error_code == 0
    other = probe.do(NavigateTo, "navigate_to", object_id=tomato, excluded_poses=[went.pose.pose])
    assert other.error_code == 0
    assert 0 < other.poses_found < went.poses_found
    assert other.pose.pose != went.pose.pose
    rule = probe.call(EvaluateGoal, "evaluate_goal", rule="vibes", with_shortest_length=True)
    assert (rule.success, rule.error_code) == (False, EngineError.INVALID_REQUEST)
    assert "strict" in rule.error_msg
