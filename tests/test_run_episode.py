"""The action `run_episode`: one episode for a client, over the whole graph."""

from collections.abc import Callable
from typing import Any

import pytest

from milo_core.error_codes import RunEpisodeError

pytestmark = pytest.mark.graph
action_msgs = pytest.importorskip("action_msgs.msg", reason="no ROS 2")


@pytest.fixture
def serve(graph: Any) -> Callable[..., None]:
    """Starts the nodes of a benchmark run, its orchestrator serving."""

    def start(namespace: str = "") -> None:
        for package, name in (
            ("milo_sim_bridge", "thor_bridge"),
            ("milo_planner", "world_model"),
            ("milo_planner", "planner"),
            ("milo_benchmark", "orchestrator"),
        ):
            graph.start_executable(package, name, namespace=namespace)

    return start


def action() -> Any:
    from milo_msgs.action import RunEpisode

    return RunEpisode


def test_an_episode_with_its_states_and_trace(serve: Any, probe: Any) -> None:
    serve()
    # Feedback and result travel apart, and rclpy's client drops what comes after the result.
    feedback = probe.collect(action().Impl.FeedbackMessage, "run_episode/_action/feedback")
    result = probe.do(action(), "run_episode", 60.0, task_id="fp301-t3a", seed=3)
    assert (result.error_code, result.error_msg) == (0, "")
    episode = result.result
    assert episode.task_id == "milo-v1-fp301-t3a"
    assert (episode.planner, episode.profile, episode.seed) == ("rule_based", "milo", 3)
    assert (episode.plan_success, episode.execution_success, episode.goal_success) == (
        True,
        False,
        False,
    )
    assert episode.cause_code == "THOR_NO_VALID_PLACEMENT"
    assert [step.action for step in episode.plans[0].steps][-2:] == ["place", "close"]
    states = ["RESET", "SEED", "PLAN", "EXECUTE", "SETTLE", "SCORE", "PERCEIVE", "LOG"]
    probe.until(lambda: len(feedback) >= len(states), "the last state")
    assert [message.feedback.state for message in feedback] == states


def test_everything_works_in_a_namespace(serve: Any, probe: Any) -> None:
    serve("/lab/robot1")
    result = probe.do(action(), "/lab/robot1/run_episode", 60.0, task_id="fp1-t2a")
    assert result.error_code == 0
    assert result.result.goal_success


def test_wrong_goals_are_refused_with_their_code(serve: Any, probe: Any) -> None:
    serve()
    for fields, code, word in (
        ({"task_id": "fp9-t9z"}, RunEpisodeError.UNKNOWN_TASK, "fp9-t9z"),
        ({"task_id": "fp1-t1a", "profile": "kind"}, RunEpisodeError.INVALID_PROFILE, "kind"),
        ({"task_id": "fp1-t1a", "planner": "psychic"}, RunEpisodeError.INVALID_PLANNER, "psychic"),
    ):
        result = probe.do(action(), "run_episode", 60.0, **fields)
        assert result.error_code == code
        assert word in result.error_msg
    assert probe.do(action(), "run_episode", 60.0, task_id="fp1-t1a").error_code == 0


def test_one_episode_at_a_time_and_a_cancelled_one_makes_room(serve: Any, probe: Any) -> None:
    serve()
    first = probe.send(action(), "run_episode", task_id="fp1-t4a")
    probe.until(lambda: any(f.state == "EXECUTE" for f in first.feedback), "execution", 60.0)
    second = probe.do(action(), "run_episode", task_id="fp1-t1a")
    assert second.error_code == RunEpisodeError.BUSY
    first.cancel()
    outcome = first.outcome()
    assert outcome.status == action_msgs.GoalStatus.STATUS_CANCELED
    assert outcome.result.error_code == RunEpisodeError.CANCELED
    third = probe.do(action(), "run_episode", 60.0, task_id="fp1-t1a")
    assert (third.error_code, third.result.goal_success) == (0, True)
