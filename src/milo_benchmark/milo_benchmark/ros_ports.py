"""The ports of an episode on a ROS 2 graph: services, one action, one topic."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from rclpy.action import ActionClient
from rclpy.client import Client
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.parameter_client import AsyncParameterClient
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from milo_benchmark.conversions import evaluation, task_goal, task_outcome
from milo_benchmark.mailbox import EpisodeStopped, Mailbox, WaitTimeout
from milo_benchmark.ports import Evaluation, ResetOutcome, StageError, TaskCall, TaskOutcome
from milo_benchmark.truth import TruthLog
from milo_core.error_codes import EngineError, RunTaskError
from milo_core.tasks import SubGoal
from milo_core.world_model import WorldModel
from milo_msgs.action import RunTask
from milo_msgs.msg import SimMetadata
from milo_msgs.srv import EvaluateGoal, ResetScene
from milo_ros.conversions import sub_goal_msg
from milo_ros.waiting import call_in_executor

_POLL_SECONDS = 0.05
"""The graph tells nobody when a server appears; it has to be asked."""

_GREETING_SECONDS = 2.0
_CANCEL_SECONDS = 10.0
"""For a canceled task to end; its skill may have to end first."""


_EVERY_STEP = QoSProfile(
    depth=200,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
"""Deep enough that no step of a drive is missed while this process is busy."""


class PlannerRefusedError(Exception):
    """The planner node doesn't know the planner; the message is its reason."""


def _silent(name: str) -> StageError:
    text = f"Nobody offers {name}; see the logs of the nodes."
    return StageError(EngineError.NODE_UNAVAILABLE, text)


class RosPorts:
    """Implements episode.Ports; its calls belong to the working thread of the mailbox.

    All names are relative: `reset_scene`, `evaluate_goal`, `run_task`, `sim/metadata` and the
    parameters of the node `planner`.
    """

    def __init__(self, node: Node, mailbox: Mailbox) -> None:
        self._node = node
        self._mailbox = mailbox
        # The clients that greet come last of each node's: see _greet.
        self._reset = node.create_client(ResetScene, "reset_scene")
        self._evaluate = node.create_client(EvaluateGoal, "evaluate_goal")
        self._task = ActionClient(node, RunTask, "run_task")
        self._planner = AsyncParameterClient(node, "planner")
        self._truth = TruthLog()
        self._awaits_metadata = False
        # Raw: the objects of most steps are of no interest here, and decoding them is not cheap.
        node.create_subscription(
            SimMetadata, "sim/metadata", self._on_metadata, _EVERY_STEP, raw=True
        )

    def wait_until_ready(self, timeout: float) -> None:
        """Wait until every server is there and its answers arrive.

        Raises:
            StageError: names the node that is not.
        """
        deadline = time.monotonic() + timeout
        bridge = "reset_scene and evaluate_goal (node thor_bridge)"
        planner = "run_task (node planner)"
        self._wait_for_servers(
            bridge,
            lambda: self._reset.service_is_ready() and self._evaluate.service_is_ready(),
            deadline,
        )
        self._wait_for_servers(
            planner,
            lambda: self._task.server_is_ready() and self._planner.services_are_ready(),
            deadline,
        )
        self._greet(bridge, lambda: self._evaluate.call_async(EvaluateGoal.Request()), deadline)
        self._greet(planner, lambda: self._planner.get_parameters(["planner"]), deadline)

    def _wait_for_servers(self, name: str, ready: Callable[[], bool], deadline: float) -> None:
        while not ready():
            if time.monotonic() >= deadline:
                raise _silent(name)
            with suppress(WaitTimeout):
                self._mailbox.wait(lambda: False, _POLL_SECONDS)

    def _greet(self, name: str, ask: Callable[[], Any], deadline: float) -> None:
        """Ask something harmless until an answer comes.

        A server drops the answer to a client that it has not discovered yet. It discovers the
        clients of one process in the order of their creation, so with the answer to the last of
        them it knows them all.
        """
        while time.monotonic() < deadline:
            future = ask()
            future.add_done_callback(self._mailbox.post)
            with suppress(WaitTimeout):
                self._mailbox.wait(future.done, _GREETING_SECONDS)
                return
        raise _silent(name)

    def select_planner(self, name: str, timeout: float = 30.0) -> None:
        """Set the planner node's parameter `planner`.

        Raises:
            PlannerRefusedError: unknown name.
            StageError: no answer.
        """
        parameter = Parameter("planner", value=name)
        future = self._planner.set_parameters([parameter])
        response = self._answer(future, "planner/set_parameters", timeout)
        if not response.results[0].successful:
            raise PlannerRefusedError(response.results[0].reason)

    def reset(self, scene: str, seed: int, timeout: float) -> ResetOutcome:
        """Load the scene."""
        request = ResetScene.Request(scene=scene, seed=seed)
        response = self._call(self._reset, request, "reset_scene", timeout)
        self._truth.begin(response.step)
        return ResetOutcome(response.scene_digest, response.step, response.player)

    def evaluate(
        self,
        goals: Sequence[SubGoal],
        rule: str,
        timeout: float,
        *,
        with_shortest_length: bool = False,
    ) -> Evaluation:
        """Judge the sub-goals on the simulator's state."""
        request = EvaluateGoal.Request(
            goals=[sub_goal_msg(goal) for goal in goals],
            rule=rule,
            with_shortest_length=with_shortest_length,
        )
        judged = evaluation(self._call(self._evaluate, request, "evaluate_goal", timeout))
        return judged if with_shortest_length else replace(judged, shortest_length=None)

    def run_task(self, call: TaskCall, timeout: float, on_step: Callable[[], None]) -> TaskOutcome:
        """Send one RunTask goal and follow it to its end."""
        if not self._task.server_is_ready():
            raise StageError(EngineError.NODE_UNAVAILABLE, "Nobody offers run_task any more.")
        goal = task_goal(call)
        sending = self._send(lambda: self._send_task(goal), timeout)
        handle = self._answer(sending, "run_task", timeout)
        if not handle.accepted:
            raise StageError(RunTaskError.INVALID_GOAL, "The planner refused the task; is it busy?")
        result = self._send(handle.get_result_async, timeout)
        try:
            response = self._answer(result, "run_task", timeout, lambda _: on_step())
        except (EpisodeStopped, StageError):
            call_in_executor(self._node, handle.cancel_goal_async)
            self._let_end(result)
            raise
        return task_outcome(response.result)

    def _send_task(self, goal: Any) -> Any:
        return self._task.send_goal_async(goal, feedback_callback=self._mailbox.post)

    def _send(self, call: Callable[[], Any], timeout: float) -> Any:
        """Have the node's thread send something; returns the future of its answer."""
        try:
            return call_in_executor(self._node, call).result(timeout)
        except TimeoutError as error:
            text = "The orchestrator's own thread did not send the task in time."
            raise StageError(EngineError.STAGE_TIMEOUT, text) from error

    def _let_end(self, result: Any) -> None:
        """Give a canceled task the time to end, else the next one would find the planner busy."""
        with suppress(EpisodeStopped, WaitTimeout):
            self._mailbox.wait(result.done, _CANCEL_SECONDS, cancelable=False)

    def wait_for_step(self, step: int, timeout: float) -> None:
        """Wait for the `sim/metadata` of an engine step."""
        self._awaits_metadata = True
        try:
            self._mailbox.wait(lambda: self._truth.last_step >= step, timeout)
        except WaitTimeout as error:
            raise StageError(
                EngineError.STAGE_TIMEOUT,
                f"No sim/metadata of engine step {step} came within {timeout:g} s.",
            ) from error
        finally:
            self._awaits_metadata = False

    def truth(self, step: int) -> WorldModel | None:
        """Return the simulator's state after an engine step; None: it is not kept."""
        return self._truth.world(step)

    def path_length(self, first: int, last: int) -> float:
        """Return how far the robot drove after engine step `first` up to `last`, metres."""
        return self._truth.path_length(first, last)

    def _on_metadata(self, message: bytes) -> None:
        self._truth.add(message)
        if self._awaits_metadata:
            self._mailbox.post(message)

    def _call(self, client: Client, request: Any, name: str, timeout: float) -> Any:
        """Call a service; its response says itself whether it succeeded."""
        if not client.service_is_ready():
            raise StageError(EngineError.NODE_UNAVAILABLE, f"Nobody offers {name} any more.")
        future = client.call_async(request)
        try:
            response = self._answer(future, name, timeout)
        except (EpisodeStopped, StageError):
            client.remove_pending_request(future)
            raise
        if not response.success:
            code = response.error_code or EngineError.HARNESS_EXCEPTION
            raise StageError(code, response.error_msg or f"{name} failed and doesn't say why.")
        return response

    def _answer(
        self,
        future: Any,
        name: str,
        timeout: float,
        on_event: Callable[[Any], None] = lambda _: None,
    ) -> Any:
        """Wait for a future of rclpy; others' futures that end meanwhile are no events."""
        future.add_done_callback(self._mailbox.post)

        def on_other(event: Any) -> None:
            if isinstance(event, RunTask.Impl.FeedbackMessage):
                on_event(event)

        try:
            self._mailbox.wait(future.done, timeout, on_other)
        except WaitTimeout as error:
            raise StageError(
                EngineError.STAGE_TIMEOUT, f"{name} gave no answer within {timeout:g} s."
            ) from error
        return future.result()
