"""Starts the graph as processes, watches them and ends them together: `launch` without launch.

Linux only. A child is told when this process dies, lives in a session of its own (so the
terminal's Ctrl-C reaches only this process, which passes it on in stages), and takes its own
children with it when it goes.
"""

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from milo_benchmark.graph import NodeSpec
from milo_core.errors import MiloError

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


class SupervisorError(MiloError):
    """The graph can't be started."""


@dataclass(frozen=True)
class Patience:
    """Seconds that the nodes get after each signal; together below five."""

    interrupt: float = 2.5
    terminate: float = 1.0
    kill: float = 1.0


@dataclass
class _Child:
    spec: NodeSpec
    process: subprocess.Popen[bytes]
    log: Path | None
    returncode: int | None = None

    def poll(self) -> bool:
        """Return whether it has ended; what it left in its session is ended with it."""
        if self.returncode is not None:
            return True
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        if os.waitid(os.P_PID, self.process.pid, options) is None:
            return False
        # Not reaped yet, so the group's id is still its own.
        self.signal_group(signal.SIGKILL)
        self.returncode = self.process.wait()
        return True

    def signal(self, number: int) -> None:
        """Signal the node alone."""
        with suppress(ProcessLookupError):
            os.kill(self.process.pid, number)

    def signal_group(self, number: int) -> None:
        """Signal the node and all it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)


def find_executable(spec: NodeSpec) -> list[str]:
    """Return the command of a node, found by the ament index.

    Raises:
        SupervisorError: the package or its executable is not installed.
    """
    from ament_index_python.packages import PackageNotFoundError, get_package_prefix

    try:
        prefix = Path(get_package_prefix(spec.package))
    except (PackageNotFoundError, LookupError, OSError) as error:
        raise SupervisorError(
            f"The ROS 2 package {spec.package} is not built or not sourced; run ./milo setup."
        ) from error
    path = prefix / "lib" / spec.package / spec.executable
    if not os.access(path, os.X_OK):
        raise SupervisorError(
            f"{path} is missing or can't be executed; run ./milo setup to build it again."
        )
    return [str(path)]


def ros_arguments(spec: NodeSpec) -> list[str]:
    """Return the command-line arguments that give a node its name, parameters and remappings."""
    arguments = ["--ros-args", "-r", f"__node:={spec.name}"]
    if spec.namespace:
        arguments += ["-r", f"__ns:=/{spec.namespace.strip('/')}"]
    for path in spec.parameter_files:
        arguments += ["--params-file", str(path)]
    for name, value in spec.parameters.items():
        # YAML, of which JSON is a part; quoted, so that the text "1.1" stays a text.
        arguments += ["-p", f"{name}:={json.dumps(value, ensure_ascii=False)}"]
    for source, target in spec.remappings:
        arguments += ["-r", f"{source}:={target}"]
    # The terminal belongs to the display, a log file needs nothing twice.
    quiet = "stdout" if spec.output == "terminal" else "external-lib"
    return [*arguments, f"--disable-{quiet}-logs"]


def node_environment(domain: int, log_folder: Path) -> dict[str, str]:
    """Return the environment of every node of a run."""
    environment = {
        **os.environ,
        "ROS_DOMAIN_ID": str(domain),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "ROS_LOG_DIR": str(log_folder),
        "ROS_PYTHON_CHECK_FIELDS": "1",
        "RCUTILS_LOGGING_BUFFERED_STREAM": "0",
        "PYTHONUNBUFFERED": "1",
    }
    if not {"FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE"} & set(environment):
        profile = _fastdds_profile()
        if profile is not None:
            environment["FASTDDS_DEFAULT_PROFILES_FILE"] = str(profile)
    return environment


def _fastdds_profile() -> Path | None:
    from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

    try:
        share = get_package_share_directory("milo_benchmark")
    except (PackageNotFoundError, LookupError, OSError):
        return None
    path = Path(share, "config", "fastdds.xml")
    return path if path.exists() else None


@contextmanager
def _signal_pipe() -> Iterator[int]:
    """Turn the stop signals and SIGCHLD into bytes on a pipe; yields its reading end.

    Python runs its own handlers late and anywhere; a pipe can be waited for.
    """
    reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    previous_fd = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    watched = [signal.SIGCHLD, *STOP_SIGNALS]
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        watched.remove(signal.SIGHUP)  # started by nohup
    previous = {number: signal.signal(number, lambda *_: None) for number in watched}
    try:
        yield reader
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(previous_fd)
        os.close(reader)
        os.close(writer)


@contextmanager
def _blocked_stop_signals() -> Iterator[None]:
    """Between fork and exec a child must not act on signals meant for this process."""
    previous = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous)


def _prepare_child(parent: int, keep_blocked: bool) -> Callable[[], None]:
    """Return what a child does between fork and exec."""

    def prepare() -> None:
        signal.set_wakeup_fd(-1)
        for number in (*STOP_SIGNALS, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)  # the parent died before the line above
        if not keep_blocked:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    return prepare


class Supervisor:
    """Runs the nodes of one graph until a required one ends, one fails, or someone stops it."""

    def __init__(
        self,
        specs: Sequence[NodeSpec],
        log_folder: Path,
        environment: Mapping[str, str],
        *,
        locate: Callable[[NodeSpec], list[str]] = find_executable,
        patience: Patience | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        """Args:
        specs: the nodes; those whose output is the terminal get this process's own.
        log_folder: an existing folder; the other nodes write to NAME.log in it.
        environment: of every node.
        locate: returns a node's command without its ROS arguments.
        patience: time limits of the stages of stopping.
        say: shows one sentence to the user.
        """
        self._specs = specs
        self._log_folder = log_folder
        self._environment = dict(environment)
        self._locate = locate
        self._patience = patience or Patience()
        self._say = say or (lambda text: print(text, file=sys.stderr, flush=True))
        self._children: list[_Child] = []
        self._signals: list[int] = []

    def run(self) -> int:
        """Run the graph; return its exit code.

        It is that of the required node that ended, 1 if another node ended, and 128 + N if
        signal N stopped the graph. No process is left when this returns.

        Raises:
            SupervisorError: a node can't be found or started.
        """
        commands = [(spec, [*self._locate(spec), *ros_arguments(spec)]) for spec in self._specs]
        with _signal_pipe() as pipe, ExitStack() as files:
            try:
                for spec, command in commands:
                    if self._read_signals(pipe, 0.0):
                        break
                    self._start(spec, command, files)
                code = self._watch(pipe)
            finally:
                self._stop(pipe)
        return code

    def _start(self, spec: NodeSpec, command: list[str], files: ExitStack) -> None:
        terminal = spec.output == "terminal"
        path = None if terminal else self._log_folder / f"{spec.name}.log"
        try:
            log: IO[bytes] | None = files.enter_context(path.open("ab")) if path else None
            with _blocked_stop_signals():
                process = subprocess.Popen(
                    command,
                    env=self._environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=None if terminal else subprocess.STDOUT,
                    start_new_session=True,
                    # A node on the terminal takes the signals back itself, once it can answer
                    # them without a traceback.
                    preexec_fn=_prepare_child(os.getpid(), keep_blocked=terminal),
                )
        except OSError as error:
            raise SupervisorError(
                f"Can't start the node {spec.name} ({command[0]}): {error.strerror}."
            ) from error
        self._children.append(_Child(spec, process, path))

    def _read_signals(self, pipe: int, timeout: float | None) -> bool:
        """Wait for any signal; return whether a stop was asked for so far."""
        if select.select([pipe], [], [], timeout)[0]:
            with suppress(BlockingIOError):
                self._signals += [n for n in os.read(pipe, 4096) if n in STOP_SIGNALS]
        return bool(self._signals)

    def _watch(self, pipe: int) -> int:
        """Wait until the graph is to end; return its exit code."""
        while True:
            ended = [child for child in self._children if child.poll()]
            for child in sorted(ended, key=lambda child: not child.spec.required):
                return self._code_of_end(child)
            if self._read_signals(pipe, 0.0) or not self._children:
                return 128 + self._signals[0]
            self._read_signals(pipe, None)

    def _code_of_end(self, child: _Child) -> int:
        assert child.returncode is not None  # it has ended
        if child.spec.required and child.returncode >= 0:
            return child.returncode
        how = (
            f"exit code {child.returncode}"
            if child.returncode >= 0
            else f"signal {-child.returncode}, {signal.Signals(-child.returncode).name}"
        )
        where = child.log or self._log_folder
        self._say(f"The node {child.spec.name} ended unexpectedly ({how}); see {where}.")
        return 1

    def _stop(self, pipe: int) -> None:
        """End what still runs in three stages; a further stop signal goes to the next stage."""
        stages: list[tuple[Callable[[_Child], None], float]] = [
            (lambda child: child.signal(signal.SIGINT), self._patience.interrupt),
            (lambda child: child.signal_group(signal.SIGTERM), self._patience.terminate),
            (lambda child: child.signal_group(signal.SIGKILL), self._patience.kill),
        ]
        for send, patience in stages:
            running = [child for child in self._children if not child.poll()]
            for child in running:
                send(child)
            self._await_end(pipe, running, time.monotonic() + patience)

    def _await_end(self, pipe: int, running: list[_Child], deadline: float) -> None:
        signals = len(self._signals)
        while not all(child.poll() for child in running):
            remaining = deadline - time.monotonic()
            if remaining <= 0 or len(self._signals) > signals:
                return
            self._read_signals(pipe, remaining)
