"""The node orchestrator: plays episodes on the graph and keeps their results.

With the parameter `autostart` it plays the selected tasks, prints them and a table, and ends.
Without, it serves the action `run_episode` until it is told to end.
"""

import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import rclpy
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.action import ActionServer, CancelResponse
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future

from milo_benchmark.conversions import episode_result
from milo_benchmark.episode import EpisodeRequest, EpisodeRunner, State
from milo_benchmark.graph import ARGUMENTS, RunArguments
from milo_benchmark.mailbox import EpisodeStopped, Mailbox
from milo_benchmark.manifest import build_manifest, select_tasks
from milo_benchmark.ports import StageError
from milo_benchmark.progress import ProgressDisplay, show
from milo_benchmark.records import EpisodeRecord, Manifest
from milo_benchmark.results import ResultsError, ResultsWriter, folder_lock, make_folder
from milo_benchmark.ros_ports import PlannerRefusedError, RosPorts
from milo_benchmark.run_loop import plan_run, play
from milo_benchmark.summary import render
from milo_core.error_codes import NONE, RunEpisodeError
from milo_core.errors import MiloError
from milo_core.profiles import UnknownProfileError, get_profile
from milo_core.tasks import Task, TaskSet, TaskSetError
from milo_msgs.action import RunEpisode

EXIT_OK, EXIT_FAILURE, EXIT_USAGE = 0, 1, 2
_GRAPH_TIMEOUT = 60.0


@dataclass
class _EpisodeCall:
    """A goal of `run_episode`, and where its result goes."""

    goal_handle: Any
    result: Future


class OrchestratorNode(Node):
    """Parameters (those of a run, and `autostart`), ports, and the action server."""

    def __init__(self, mailbox: Mailbox) -> None:
        super().__init__("orchestrator")
        self._mailbox = mailbox
        self.busy = False
        for argument in ARGUMENTS:
            # Typed dynamically, so that version:=1.1 without quotes is understood as well.
            descriptor = ParameterDescriptor(
                description=argument.description, read_only=True, dynamic_typing=True
            )
            self.declare_parameter(argument.name, argument.default, descriptor)
        self.autostart: bool = self.declare_parameter(
            "autostart", False, ParameterDescriptor(description="Play the selected tasks and end.")
        ).value
        self.ports = RosPorts(self, mailbox)
        self._server = ActionServer(
            self,
            RunEpisode,
            "run_episode",
            execute_callback=self._execute,
            cancel_callback=self._on_cancel,
        )

    def arguments(self) -> RunArguments:
        """Return the parameters as run arguments.

        Raises:
            ArgumentError: one of them is not allowed.
        """
        return RunArguments.parse(
            {a.name: str(self.get_parameter(a.name).value) for a in ARGUMENTS}
        )

    def _on_cancel(self, _: Any) -> CancelResponse:
        self._mailbox.cancel()
        return CancelResponse.ACCEPT

    async def _execute(self, goal_handle: Any) -> RunEpisode.Result:
        """Hand the goal to the working thread and wait for it without blocking this one."""
        if self.busy:
            goal_handle.abort()
            text = "An episode is running already; wait for it or cancel it."
            return RunEpisode.Result(error_code=RunEpisodeError.BUSY, error_msg=text)
        self.busy = True
        self._mailbox.begin()
        result: Future = Future(executor=self.executor)
        self._mailbox.post(_EpisodeCall(goal_handle, result))
        try:
            return await result
        finally:
            self.busy = False


class Orchestrator:
    """The working thread: everything that takes time happens here."""

    def __init__(self, node: OrchestratorNode, mailbox: Mailbox) -> None:
        self._node = node
        self._mailbox = mailbox

    def run(self) -> int:
        """Play what the parameters select, or serve; return the exit code."""
        try:
            arguments = self._node.arguments()
            task_set, tasks = select_tasks(arguments)
            if self._node.autostart:
                self._node.busy = True
                return self._play(arguments, task_set, tasks)
            return self._serve(arguments, task_set)
        except (MiloError, PlannerRefusedError) as error:
            return _complain(error, EXIT_USAGE)

    def _play(self, arguments: RunArguments, task_set: TaskSet, tasks: Sequence[Task]) -> int:
        manifest = build_manifest(arguments, task_set, tasks)
        make_folder(arguments.out)
        with ExitStack() as stack:
            stack.enter_context(folder_lock(arguments.out))
            writer = ResultsWriter(arguments.out, manifest)
            stack.callback(writer.close)
            done = len(writer.found.records)
            display = stack.enter_context(ProgressDisplay(manifest.episode_count, done))
            for line in _opening(arguments, manifest, writer):
                display.show(line)
            runner = self._runner(manifest, display.state)
            try:
                self._node.ports.wait_until_ready(_GRAPH_TIMEOUT)
                self._node.ports.select_planner(arguments.planner)
                records = play(plan_run(manifest, tasks), runner, writer, display)
            except (StageError, ResultsError) as error:
                return _complain(error, EXIT_FAILURE)
            except EpisodeStopped:
                display.show(
                    f"Stopped; the episodes that are done are safe in {arguments.out}, and the "
                    "same arguments with that as out go on from there."
                )
                return self._mailbox.exit_code or EXIT_FAILURE
        return _finish(records, arguments, manifest)

    def _runner(self, manifest: Manifest, on_state: Callable[[State], None]) -> EpisodeRunner:
        def log_exception(error: Exception) -> None:
            self._node.get_logger().error("".join(traceback.format_exception(error)))

        return EpisodeRunner(
            self._node.ports,
            versions_digest=manifest.sessions[-1].versions_digest,
            on_state=on_state,
            on_exception=log_exception,
        )

    def _serve(self, arguments: RunArguments, task_set: TaskSet) -> int:
        manifest = build_manifest(arguments, task_set, task_set.tasks)
        try:
            while True:
                call = self._mailbox.receive()
                if isinstance(call, _EpisodeCall):
                    self._answer(call, arguments, task_set, manifest)
        except EpisodeStopped:
            return EXIT_FAILURE if self._mailbox.exit_code == EXIT_FAILURE else EXIT_OK

    def _answer(
        self, call: _EpisodeCall, arguments: RunArguments, task_set: TaskSet, manifest: Manifest
    ) -> None:
        """Play one episode for a client of `run_episode`; it leaves no line."""
        goal: RunEpisode.Goal = call.goal_handle.request
        planner = goal.planner or arguments.planner
        if call.goal_handle.is_cancel_requested:
            self._mailbox.cancel()

        def on_state(state: State) -> None:
            call.goal_handle.publish_feedback(RunEpisode.Feedback(state=state))

        try:
            task = task_set.find(goal.task_id)
            profile = get_profile(goal.profile or arguments.profile).name
            self._node.ports.wait_until_ready(_GRAPH_TIMEOUT)
            if goal.planner:
                self._node.ports.select_planner(planner)
            request = EpisodeRequest(task, planner, profile, repeat=0, seed=goal.seed)
            record = self._runner(manifest, on_state).run(request)
        except Exception as error:
            self._refuse(call, error)
            if self._mailbox.exit_code is not None:
                raise
            return
        call.goal_handle.succeed()
        self._resolve(call, RunEpisode.Result(result=episode_result(record), error_code=NONE))

    def _refuse(self, call: _EpisodeCall, error: Exception) -> None:
        code = _code_of(error)
        if code == RunEpisodeError.CANCELED and call.goal_handle.is_cancel_requested:
            call.goal_handle.canceled()
        else:
            call.goal_handle.abort()
        text = str(error) or "The episode was canceled."
        self._resolve(call, RunEpisode.Result(error_code=code, error_msg=text))

    def _resolve(self, call: _EpisodeCall, result: RunEpisode.Result) -> None:
        """Complete the future that the executor's thread awaits."""
        call.result.set_result(result)
        # rclpy looks at an awaited future only when something wakes its executor.
        if self._node.executor is not None:
            self._node.executor.wake()


def _complain(error: Exception, exit_code: int) -> int:
    print(f"milo: {error}", file=sys.stderr, flush=True)
    return exit_code


def _code_of(error: Exception) -> int:
    codes: dict[type[Exception], int] = {
        TaskSetError: RunEpisodeError.UNKNOWN_TASK,
        UnknownProfileError: RunEpisodeError.INVALID_PROFILE,
        PlannerRefusedError: RunEpisodeError.INVALID_PLANNER,
        EpisodeStopped: RunEpisodeError.CANCELED,
    }
    if isinstance(error, StageError):
        return error.code
    return codes.get(type(error), RunEpisodeError.UNKNOWN)


def _opening(arguments: RunArguments, manifest: Manifest, writer: ResultsWriter) -> list[str]:
    domain = manifest.sessions[-1].ros_domain_id
    lines = [
        f"{arguments.planner}, profile {arguments.profile}, tasks of {manifest.dataset.name}: "
        f"{manifest.episode_count} episodes into {arguments.out}"
        + (f" (ROS domain {domain})" if domain else "")
    ]
    if writer.found.records:
        lines.append(f"{len(writer.found.records)} of them are done already.")
    if writer.found.truncated:
        lines.append("The last line was incomplete; its episode is played again.")
    return lines


def _finish(records: list[EpisodeRecord], arguments: RunArguments, manifest: Manifest) -> int:
    title = f"{arguments.planner}, profile {arguments.profile}, tasks of {manifest.dataset.name}"
    table = render(records, title, manifest.episode_count)
    show(table, f"Results: {arguments.out}")
    return EXIT_OK if all(record.judged for record in records) else EXIT_FAILURE


@contextmanager
def _spinning(node: Node, mailbox: Mailbox) -> Iterator[None]:
    """Spin the node in a thread of its own."""
    executor = SingleThreadedExecutor()
    executor.add_node(node)

    def spin() -> None:
        try:
            executor.spin()
        except ExternalShutdownException:
            pass
        except Exception:
            # A callback that raises is a bug; it must not go on as if nothing had happened.
            traceback.print_exc()
            mailbox.stop(EXIT_FAILURE)

    thread = threading.Thread(target=spin, name="executor", daemon=True)
    thread.start()
    try:
        yield
    finally:
        executor.shutdown(timeout_sec=1.0)
        thread.join(timeout=1.0)


def run_orchestrator(mailbox: Mailbox) -> int:
    """Run the node until its work is done or the mailbox says stop; return the exit code."""
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = OrchestratorNode(mailbox)
        try:
            with _spinning(node, mailbox):
                return Orchestrator(node, mailbox).run()
        finally:
            node.destroy_node()
    finally:
        rclpy.try_shutdown()
