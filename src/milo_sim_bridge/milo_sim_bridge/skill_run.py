"""One execution of a skill: what it needs of the engine, what it may do, how it ends.

Every skill checks its goal, acts, and compares the simulator's state afterwards with what it
should have become. The engine's own words are passed on unchanged as the error message.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Protocol

from milo_core.error_codes import CODES_OF_ACTION, NONE, classify_engine_message
from milo_core.errors import MiloError
from milo_core.snapshot import Snapshot, SnapshotObject, Vector
from milo_sim_bridge.engine import StepResult
from milo_sim_bridge.errors import EngineFailure

MAP_FRAME = "map"


class SkillEngine(Protocol):
    """What a skill needs of the engine."""

    @property
    def latest(self) -> StepResult:
        """The result of the last engine action."""

    @property
    def step_count(self) -> int:
        """Number of the last engine action."""

    @property
    def grid_size(self) -> float:
        """Width of the cells of motion, metres."""

    @property
    def reach(self) -> float:
        """How far the agent sees and reaches, metres."""

    def step(self, action: str, **arguments: object) -> StepResult:
        """Do one engine action."""


@dataclass(frozen=True)
class Control:
    """The client's side of a running skill."""

    canceled: Callable[[], bool] = lambda: False
    feedback: Callable[[str, float], None] = lambda stage, distance: None
    """Takes the stage that begins and the metres that remain (NaN: not a motion)."""


@dataclass(frozen=True)
class EnginePose:
    """Where the agent stands or could stand, Unity's frame: metres and degrees."""

    position: Vector
    yaw: float
    horizon: float = 0.0
    standing: bool = True


@dataclass(kw_only=True)
class SkillReport:
    """What a skill found out and did, beside how it ended."""

    object_id: str = ""
    """The object that was acted on; empty: none."""
    receptacle_id: str = ""
    """The receptacle that holds it now; empty: none."""
    poses_found: int = 0
    piece_ids: tuple[str, ...] = ()
    """Objects that came into being."""
    path_length: float = 0.0
    """Metres driven; 0 for a teleport."""
    shortest_length: float = 0.0
    """Metres of the shortest way over the reachable cells; 0 for a teleport."""
    viewing_pose: EnginePose | None = None
    """Offered where an object can't be reached: the nearest pose that faces it."""
    viewing: bool = False
    """The robot stands where it sees the object, out of reach."""
    type_forced: bool = False
    """The engine's table of receptacle types was overruled."""
    angle_error: float = math.nan
    """Radians between the camera's axis and the line to the point looked at."""


@dataclass(kw_only=True)
class SkillResult(SkillReport):
    """How a skill ended."""

    error_code: int
    """0: none."""
    error_msg: str
    step: int
    """Number of the last engine action."""
    snapshot: Snapshot | None
    """The simulator's state afterwards; None: no scene is loaded."""


class SkillError(MiloError):
    """A skill that can't be done.

    Attributes:
        code: numbered error code for the result.
    """

    def __init__(self, code: IntEnum, message: str) -> None:
        super().__init__(message)
        self.code = code


class SkillRun:
    """One execution of a skill.

    Attributes:
        action: name of the skill action, a key of CODES_OF_ACTION.
        engine: the simulator.
        report: what it has to tell beside its end.
    """

    def __init__(self, action: str, engine: SkillEngine, control: Control) -> None:
        self.action = action
        self._codes = CODES_OF_ACTION[action]
        self.engine = engine
        self._control = control
        self.report = SkillReport()

    def error(self, name: str, message: str) -> SkillError:
        """Return an error with a code that every skill has under the same name."""
        return SkillError(self._codes[name], message)

    def refusal(self, result: StepResult) -> SkillError:
        """Return the error that a refused engine action means."""
        message = result.error_message or f"The engine refused {result.action} without a reason."
        return SkillError(classify_engine_message(self.action, message), message)

    @property
    def grid_size(self) -> float:
        """Width of the cells of motion, metres."""
        return self.engine.grid_size

    @property
    def reach(self) -> float:
        """How far the agent sees and reaches, metres."""
        return self.engine.reach

    def latest(self) -> StepResult:
        """Return the result of the last engine action."""
        return self.engine.latest

    def state(self) -> Snapshot:
        """Return the simulator's present state."""
        return self.engine.latest.snapshot

    def require_object(self, object_id: str, field: str = "object_id") -> SnapshotObject:
        """Return the object with an id, or fail."""
        if not object_id:
            raise self.error("INVALID_GOAL", f"The goal names no {field}.")
        found = self.state().objects.get(object_id)
        if found is None:
            raise self.error("OBJECT_NOT_FOUND", f"There is no object '{object_id}' in the scene.")
        return found

    def announce(self, stage: str, distance: float = math.nan) -> None:
        """Tell the client which stage begins."""
        self._control.feedback(stage, distance)

    def attempt(
        self, stage: str, action: str, *, distance: float = math.nan, **arguments: object
    ) -> StepResult:
        """Do one engine action unless the goal was cancelled; a refusal is a result."""
        if self._control.canceled():
            raise self.error("CANCELED", f"{self.action} was cancelled before {action}.")
        self.announce(stage, distance)
        return self.engine.step(action, **arguments)

    def act(
        self, stage: str, action: str, *, distance: float = math.nan, **arguments: object
    ) -> StepResult:
        """Do one engine action unless the goal was cancelled; fail when the engine refuses."""
        result = self.attempt(stage, action, distance=distance, **arguments)
        if not result.success:
            raise self.refusal(result)
        return result


def execute(
    action: str, engine: SkillEngine, control: Control, body: Callable[[SkillRun], None]
) -> SkillResult:
    """Run the body of a skill; whatever it raises of its own becomes the result's code."""
    run = SkillRun(action, engine, control)
    code, message = NONE, ""
    try:
        body(run)
    except (SkillError, EngineFailure) as error:
        code, message = int(error.code), str(error)
    try:
        snapshot: Snapshot | None = engine.latest.snapshot
    except EngineFailure:
        snapshot = None
    report = {entry.name: getattr(run.report, entry.name) for entry in fields(SkillReport)}
    return SkillResult(
        error_code=code,
        error_msg=message,
        step=engine.step_count,
        snapshot=snapshot,
        **report,
    )


def canceled(action: str, engine: SkillEngine) -> SkillResult:
    """Return the result of a skill that was cancelled before its turn."""

    def body(run: SkillRun) -> None:
        raise run.error("CANCELED", f"{action} was cancelled before it began.")

    return execute(action, engine, Control(), body)
