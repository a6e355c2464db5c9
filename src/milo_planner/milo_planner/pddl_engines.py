"""The engines that solve planning tasks: Aries, and Fast Downward as a program of its own.

Aries (MIT) serves gRPC in a process that is kept between tasks, because starting it takes longer
than planning. Fast Downward (GPL-3.0) is never imported: it is run on PDDL files.
"""

import atexit
import importlib.util
import os
import shutil
import socket
import sys
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from milo_core.errors import MiloError
from milo_core.world_model import WorldModel
from milo_planner.guarded_process import GuardedProcess
from milo_planner.pddl_task import GroundTask, Scope, Table

CURE = "run ./milo setup, or pip install unified-planning up-aries"
NO_ENGINE = f"The planner pddl needs an engine; {CURE}."
_START_LIMIT = 5.0
"""Seconds a server may take until it answers."""
_GRACE = 1.0
"""Seconds beyond its time limit after which an engine is taken to be stuck."""


class PddlEngineError(MiloError):
    """An engine that is not there, or not known."""


class EngineFailure(MiloError):
    """An engine ended without an answer."""


class NoPlanFoundError(Exception):
    """An engine says that there is no plan, or found none in time."""


@dataclass(frozen=True)
class Assignment:
    """One task in all forms that an engine may want."""

    scope: Scope
    world: WorldModel
    table: Table
    task: GroundTask


Step = tuple[str, tuple[str, ...]]
"""An action's name and instance ids, in the order of its roles."""


class Engine(ABC):
    """Something that solves tasks; it may be used by several threads."""

    name: str

    @abstractmethod
    def solve(self, assignment: Assignment, limit: float) -> Sequence[Step]:
        """Return the steps of a plan.

        Args:
            assignment: the task.
            limit: seconds it may take.

        Raises:
            NoPlanFoundError: one sentence's worth of why.
            EngineFailure: it broke down.
        """


class AriesEngine(Engine):
    """Solves tasks without variables in one server for the whole process.

    Raises:
        PddlEngineError: it is not installed.
    """

    name = "aries"

    def __init__(self) -> None:
        # Its handlers of fork end children of this process that are about to become other programs.
        os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
        try:
            import grpc
            import up_aries.solver
            from unified_planning.grpc.generated import (
                unified_planning_pb2,
                unified_planning_pb2_grpc,
            )
            from unified_planning.grpc.proto_writer import ProtobufWriter

            self._program = str(up_aries.solver._find_executable())
        except (ImportError, OSError) as error:
            raise PddlEngineError(f"The engine aries can't be used ({error}); {CURE}.") from error
        self._grpc: Any = grpc
        self._messages: Any = unified_planning_pb2
        self._stub_type: Any = unified_planning_pb2_grpc.UnifiedPlanningStub
        self._writer = ProtobufWriter()
        self._lock = threading.Lock()
        self._process: GuardedProcess | None = None
        self._channel: Any = None
        self._stub: Any = None
        atexit.register(self.close)

    def solve(self, assignment: Assignment, limit: float) -> Sequence[Step]:
        """Ask the server, a new one if it died; see Engine.solve."""
        with self._lock:
            request = self._request(assignment.task, limit)
            result = self._answer(request, limit)
        kinds = self._messages.PlanGenerationResult.Status
        solved = (kinds.Value("SOLVED_SATISFICING"), kinds.Value("SOLVED_OPTIMALLY"))
        if result.status not in solved:
            if result.status == kinds.Value("TIMEOUT"):
                raise NoPlanFoundError(f"none was found within {limit:g} s")
            raise NoPlanFoundError(f"aries says {kinds.Name(result.status)}")
        found = (assignment.task.actions[int(a.action_name)] for a in result.plan.actions)
        return [(action.action.name, tuple(action.arguments.values())) for action in found]

    def close(self) -> None:
        """Stop the server; the next task starts another one."""
        if self._channel is not None:
            self._channel.close()
        if self._process is not None:
            self._process.stop()
        self._process = self._channel = self._stub = None

    @property
    def process(self) -> GuardedProcess | None:
        """The server; None: it was not needed yet."""
        return self._process

    def _request(self, task: GroundTask, limit: float) -> Any:
        from milo_planner.pddl_model import environment, ground_problem

        problem = self._writer.convert(ground_problem(task, environment()))
        return self._messages.PlanRequest(
            problem=problem, timeout=limit, engine_options={"optimal": "false"}
        )

    def _answer(self, request: Any, limit: float) -> Any:
        """Return the server's answer; if a server dies over it, that of one other.

        Raises:
            NoPlanFoundError: it did not answer in time.
            EngineFailure: the other one died as well.
        """
        error: Exception | None = None
        for _ in range(2):
            try:
                return self._server().planOneShot(request, timeout=limit + _GRACE)
            except (self._grpc.RpcError, EngineFailure) as failure:
                self.close()
                error = failure
                late = self._grpc.StatusCode.DEADLINE_EXCEEDED
                if isinstance(failure, self._grpc.RpcError) and failure.code() is late:
                    raise NoPlanFoundError(f"none was found within {limit:g} s") from failure
        reason = error.details() if isinstance(error, self._grpc.RpcError) else error
        raise EngineFailure(f"The engine aries died twice over one task: {reason}.") from error

    def _server(self) -> Any:
        """Return the interface of a running server."""
        if self._process is not None and self._process.running:
            return self._stub
        self.close()
        port = _free_port()
        address = f"127.0.0.1:{port}"
        self._process = GuardedProcess([self._program, "serve", "--address", address])
        self._await_server(port)
        # A proxy of the environment is for other machines.
        options = [("grpc.enable_http_proxy", 0)]
        self._channel = self._grpc.insecure_channel(address, options=options)
        self._stub = self._stub_type(self._channel)
        return self._stub

    def _await_server(self, port: int) -> None:
        """Wait until the port is served: gRPC itself tries only once a second."""
        assert self._process is not None
        deadline = time.monotonic() + _START_LIMIT
        while self._process.running and time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
                return
            except OSError:
                time.sleep(0.005)
        raise EngineFailure(f"The engine aries did not start within {_START_LIMIT:g} s.")


class FastDownwardEngine(Engine):
    """Runs the program on the action table written as PDDL.

    Raises:
        PddlEngineError: it is not installed.
    """

    name = "fast_downward"

    def __init__(self) -> None:
        command = _fast_downward()
        if command is None:
            raise PddlEngineError(
                "The engine fast_downward is not installed; run ./milo setup --with eai, or pip "
                "install up-fast-downward."
            )
        self._command = command

    def solve(self, assignment: Assignment, limit: float) -> Sequence[Step]:
        """Run the program in a directory of its own; see Engine.solve."""
        from milo_planner.pddl_model import PddlText, environment, lifted_problem

        problem = lifted_problem(
            assignment.scope, assignment.world, assignment.table, environment()
        )
        text = PddlText(problem)
        with tempfile.TemporaryDirectory(prefix="milo-pddl-") as name:
            folder = Path(name)
            (folder / "domain.pddl").write_text(text.domain)
            (folder / "problem.pddl").write_text(text.problem)
            command = [
                *self._command,
                *("--plan-file", "plan", "--sas-file", "sas", "--alias", "lama-first"),
                *("domain.pddl", "problem.pddl"),
            ]
            process = GuardedProcess(command, folder)
            try:
                code = process.wait(limit)
            finally:
                process.stop()
            plan = folder / "plan"
            if plan.exists() and code is not None:
                return text.steps(plan.read_text())
        raise self._reason(code, limit)

    @staticmethod
    def _reason(code: int | None, limit: float) -> Exception:
        """Return what an exit code means; https://www.fast-downward.org/ExitCodes."""
        if code is None:
            return NoPlanFoundError(f"none was found within {limit:g} s")
        if code in (10, 11, 12):
            return NoPlanFoundError("fast_downward proves that there is none")
        return EngineFailure(f"The engine fast_downward ended with the exit code {code}.")


def _fast_downward() -> list[str] | None:
    """Return the command that runs it; None: it is not installed."""
    spec = importlib.util.find_spec("up_fast_downward")
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        script = Path(place) / "downward" / "fast-downward.py"
        if script.exists():
            return [sys.executable, str(script)]
    program = shutil.which("fast-downward") or shutil.which("fast-downward.py")
    return [program] if program is not None else None


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


_ENGINES: Mapping[str, Callable[[], Engine]] = {
    "aries": cache(AriesEngine),
    "fast_downward": cache(FastDownwardEngine),
}
"""In the order in which `auto` takes them; each is made once for the process."""
ENGINES = ("auto", *_ENGINES)


def engine(name: str = "auto") -> Engine:
    """Return an engine by name; `auto` is the first one that is installed.

    Raises:
        PddlEngineError: there is no such engine, or it is not installed.
    """
    if name not in ENGINES:
        raise PddlEngineError(f"There is no engine '{name}'; use {', '.join(ENGINES)}.")
    if name != "auto":
        return _ENGINES[name]()
    for make in _ENGINES.values():
        try:
            return make()
        except PddlEngineError:
            continue
    raise PddlEngineError(NO_ENGINE)
