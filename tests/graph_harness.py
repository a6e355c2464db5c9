"""Starts ROS 2 nodes as processes in a domain of their own and talks to them.

`Graph` owns the processes: it gives each a log file, notices one that dies while something is
waited for, and ends all of them in stages. `Probe` is the test's own node. Nothing sleeps to
synchronise; whatever is waited for has a deadline.
"""

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parent.parent
FASTDDS_PROFILE = ROOT / "src" / "milo_benchmark" / "config" / "fastdds.xml"
ENVIRONMENT = {
    "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    "ROS_PYTHON_CHECK_FIELDS": "1",
    "FASTDDS_DEFAULT_PROFILES_FILE": str(FASTDDS_PROFILE),
    "RCUTILS_LOGGING_USE_STDOUT": "1",
    "RCUTILS_LOGGING_BUFFERED_STREAM": "0",
    "PYTHONUNBUFFERED": "1",
    "PYTHONFAULTHANDLER": "1",
}
"""For every process of a graph, the test's own included."""

STOP_STAGES = (
    (signal.SIGINT, 15.0),
    (signal.SIGTERM, 3.0),
    (signal.SIGABRT, 2.0),
    (signal.SIGKILL, 2.0),
)
"""Signals and the seconds that processes get after each. SIGABRT shows where one hangs."""
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


def wait_for(
    condition: Callable[[], Any],
    what: str,
    seconds: float = 20.0,
    pause: Callable[[], Any] = lambda: time.sleep(0.02),
) -> Any:
    """Return the condition's first true value; AssertionError naming `what` after the deadline."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds:g} s"
        pause()
    return value


def is_running(pid: int) -> bool:
    """Return whether a process exists and is no zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rsplit(")", 1)[1].split()[0] != "Z"


def children_of(pid: int) -> list[int]:
    """Return the ids of all processes that a process has started, directly or not."""
    return [child.pid for child in psutil.Process(pid).children(recursive=True)]


def _prepare_child() -> None:
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGINT, signal.default_int_handler)


class Graph:
    """The processes of one test."""

    def __init__(self, domain: int, folder: Path) -> None:
        self.domain = domain
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._expected_to_end: set[str] = set()
        self.environment = {
            **os.environ,
            **ENVIRONMENT,
            "ROS_DOMAIN_ID": str(domain),
            "ROS_LOG_DIR": str(folder),
        }

    def start(
        self, name: str, *command: str, env: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a command under a name of this test's."""
        with self.log_path(name).open("wb") as log:
            process = subprocess.Popen(
                command,
                env={**self.environment, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_prepare_child,
            )
        self.processes[name] = process
        return process

    def start_module(
        self,
        module: str,
        name: str = "",
        *,
        namespace: str = "",
        parameters: Mapping[str, Any] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a node by the module of its entry point."""
        command = (sys.executable, "-m", module, *ros_arguments(namespace, parameters or {}))
        return self.start(name or module.rpartition(".")[2], *command, env=env)

    def start_executable(
        self,
        package: str,
        executable: str,
        name: str = "",
        *,
        namespace: str = "",
        parameters: Mapping[str, Any] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a node by its package and executable, as `ros2 run` does."""
        from ament_index_python.packages import get_package_prefix

        path = Path(get_package_prefix(package), "lib", package, executable)
        command = (str(path), *ros_arguments(namespace, parameters or {}))
        return self.start(name or executable, *command, env=env)

    def log_path(self, name: str) -> Path:
        """Return the file of a process's output."""
        return self.folder / f"{name}.log"

    def log(self, name: str) -> str:
        """Return what a process has written."""
        return self.log_path(name).read_text("utf-8", "replace")

    def logs(self) -> str:
        """Return the output of all processes, for a failure report."""
        return "\n".join(f"--- {name} ---\n{self.log(name)[-5000:]}" for name in self.processes)

    def may_end(self, name: str) -> None:
        """Allow a process to be gone while others are waited for."""
        self._expected_to_end.add(name)

    def check(self) -> None:
        """Fail when a process is gone that should run."""
        for name, process in self.processes.items():
            if name not in self._expected_to_end and process.poll() is not None:
                raise AssertionError(
                    f"{name} ended with exit code {process.returncode}\n{self.logs()}"
                )

    def wait_for(self, condition: Callable[[], Any], what: str, seconds: float = 20.0) -> Any:
        """Wait while every process lives; see the function of the same name."""

        def alive() -> Any:
            self.check()
            return condition()

        return wait_for(alive, what, seconds)

    def stop(self) -> dict[str, int]:
        """End all processes in stages; returns the exit codes by name."""
        for number, patience in STOP_STAGES:
            running = [p for p in self.processes.values() if p.poll() is None]
            for process in running:
                _signal(process, number)
            deadline = time.monotonic() + patience
            for process in running:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(max(0.0, deadline - time.monotonic()))
        return {name: process.wait(1.0) for name, process in self.processes.items()}


def cut_short(code: int, log: str) -> bool:
    """Return whether a node ended a clean-up that hung in the middleware; see run_node."""
    from milo_ros.node_main import CLEAN_UP_LIMIT

    return code == 1 and f"Timeout (0:00:{CLEAN_UP_LIMIT:02.0f})!" in log


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        if number == signal.SIGKILL:
            os.killpg(process.pid, number)
        else:
            os.kill(process.pid, number)


def ros_arguments(namespace: str, parameters: Mapping[str, Any]) -> list[str]:
    """Return the command-line arguments of a node."""
    arguments = ["--ros-args"]
    if namespace:
        arguments += ["-r", f"__ns:={namespace}"]
    for name, value in parameters.items():
        arguments += ["-p", f"{name}:={json.dumps(value)}"]
    return arguments


@dataclass
class GoalRun:
    """A goal that was sent to an action server."""

    probe: "Probe"
    handle: Any
    feedback: list[Any] = field(default_factory=list)

    def cancel(self) -> Any:
        """Ask for the goal to be cancelled; returns the server's answer."""
        return self.probe.until_done(self.handle.cancel_goal_async(), "the cancel answer")

    def outcome(self, seconds: float = 30.0) -> Any:
        """Return the wrapped result: `.status` and `.result`."""
        return self.probe.until_done(self.handle.get_result_async(), "the result", seconds)

    def result(self, seconds: float = 30.0) -> Any:
        """Return the result message."""
        return self.outcome(seconds).result


class Probe:
    """The test's own node, with calls that wait.

    Its executor runs only while something is waited for; the processes of the graph are watched
    all the while.
    """

    def __init__(self, graph: Graph, name: str = "probe") -> None:
        import rclpy
        from rclpy.context import Context
        from rclpy.executors import SingleThreadedExecutor

        self.graph = graph
        self.context = Context()
        rclpy.init(context=self.context, domain_id=graph.domain)
        self.node = rclpy.create_node(name, context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self._clients: dict[str, Any] = {}

    def close(self) -> None:
        """Take the node out of the graph."""
        import rclpy

        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.try_shutdown(context=self.context)

    def until(self, condition: Callable[[], Any], what: str, seconds: float = 20.0) -> Any:
        """Spin until a condition holds; returns its value."""

        def checked() -> Any:
            self.graph.check()
            return condition()

        return wait_for(checked, what, seconds, lambda: self.executor.spin_once(timeout_sec=0.05))

    def until_done(self, future: Any, what: str, seconds: float = 30.0) -> Any:
        """Spin until a future is done; returns its result."""
        self.until(future.done, what, seconds)
        return future.result()

    def service(self, kind: Any, name: str) -> Any:
        """Return a client of a service that is there."""
        if name not in self._clients:
            self._clients[name] = self.node.create_client(kind, name)
        client = self._clients[name]
        self.until(client.service_is_ready, f"the service {name}")
        return client

    def call(self, kind: Any, name: str, seconds: float = 30.0, **fields: Any) -> Any:
        """Call a service; returns its response."""
        future = self.service(kind, name).call_async(kind.Request(**fields))
        return self.until_done(future, f"the response of {name}", seconds)

    def action(self, kind: Any, name: str) -> Any:
        """Return a client of an action server that is there."""
        from rclpy.action import ActionClient

        if name not in self._clients:
            self._clients[name] = ActionClient(self.node, kind, name)
            self._greet(name)
        client = self._clients[name]
        self.until(client.server_is_ready, f"the action {name}")
        return client

    def _greet(self, name: str) -> None:
        """Cancel a goal that nobody has, until that is answered.

        A server drops the answer to a client that it has not discovered yet, and it discovers the
        clients of one process in the order of their creation; so it then knows the action's.
        """
        from action_msgs.srv import CancelGoal

        client = self.service(CancelGoal, f"{name}/_action/cancel_goal")
        request = CancelGoal.Request()
        request.goal_info.goal_id.uuid = list(uuid.uuid4().bytes)
        asked: list[Any] = []

        def answered() -> bool:
            if not asked or time.monotonic() > asked[-1][0] + 1.0:
                asked.append((time.monotonic(), client.call_async(request)))
            return any(future.done() for _, future in asked)

        self.until(answered, f"an answer of the action {name}")

    def send(self, kind: Any, name: str, **fields: Any) -> GoalRun:
        """Send a goal; returns once it is accepted."""
        feedback: list[Any] = []
        future = self.action(kind, name).send_goal_async(
            kind.Goal(**fields), feedback_callback=lambda message: feedback.append(message.feedback)
        )
        handle = self.until_done(future, f"the goal response of {name}")
        assert handle.accepted, f"{name} rejected the goal"
        return GoalRun(self, handle, feedback)

    def do(self, kind: Any, name: str, seconds: float = 30.0, **fields: Any) -> Any:
        """Send a goal and return its result message."""
        return self.send(kind, name, **fields).result(seconds)

    def collect(self, kind: Any, topic: str, qos: Any = 10) -> list[Any]:
        """Subscribe; returns the list that the messages go into."""
        messages: list[Any] = []
        self.node.create_subscription(kind, topic, messages.append, qos)
        return messages
