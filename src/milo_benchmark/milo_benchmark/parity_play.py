"""Plays tasks straight on a player, without ROS, and writes down every engine action.

Planner, executor, skills and engine are those of the nodes; only the messages between them are
left out, so that what differs between two players is the players' own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from milo_core.errors import MiloError
from milo_core.goals import evaluate_all
from milo_core.profiles import Profile
from milo_core.tasks import Task
from milo_core.world_model import WorldModel
from milo_planner.execution import SkillOutcome
from milo_planner.registry import make_planner
from milo_planner.task_runner import TaskRunner
from milo_sim_bridge import skills
from milo_sim_bridge.engine import Engine, EngineConfig, StepResult
from milo_sim_bridge.errors import EngineFailure
from milo_sim_bridge.looking import LookAtGoal, look_at
from milo_sim_bridge.navigation import NavigateGoal, navigate_to
from milo_sim_bridge.skill_run import Control, SkillResult

__all__ = [
    "ActionRecord",
    "EngineConfig",
    "ParityError",
    "RecordingEngine",
    "TaskRecord",
    "play",
    "player_config",
]


class ParityError(MiloError):
    """Two players can't be compared as asked."""


def player_config(name: str, x_display: str = "", platform: str = "") -> EngineConfig:
    """Return how to start a player: milo_sim, unity, or the path of an executable.

    Raises:
        ParityError: it is none of these.
    """
    if name == "milo_sim":
        return EngineConfig(headless=True)
    if name == "unity":
        # Unity without images still needs no display, so that only asking for one starts it.
        headless = not (x_display or platform)
        return EngineConfig(
            player="unity", headless=headless, x_display=x_display, platform=platform
        )
    path = Path(name).expanduser()
    if not path.is_file():
        raise ParityError(f"There is no player '{name}'; use milo_sim, unity or an executable.")
    return EngineConfig(executable=str(path.absolute()), headless=True)


@dataclass(frozen=True)
class ActionRecord:
    """One engine action and what the player said to it."""

    action: str
    arguments: Mapping[str, object]
    success: bool
    error_message: str
    returned: Any
    metadata: Mapping[str, Any]
    """All of AI2-THOR's metadata after it."""


@dataclass
class TaskRecord:
    """How one task went on one player."""

    task_id: str
    actions: list[ActionRecord] = field(default_factory=list)
    executed: bool = False
    """Every step of the plans succeeded."""
    verdicts: tuple[bool | None, ...] = ()
    """Of the sub-goals, by the profile's rule."""
    failure: str = ""
    """The first cause; empty: none."""


class RecordingEngine(Engine):
    """An engine that writes down what it does."""

    def __init__(self, config: EngineConfig) -> None:
        super().__init__(config)
        self.records: list[ActionRecord] = []
        self._request: tuple[str, dict[str, object]] = ("Reset", {})

    def reset(self, scene: str, seed: int = 0) -> StepResult:
        """See Engine.reset."""
        self._request = ("Reset", {"scene": scene})
        return super().reset(scene, seed)

    def step(self, action: str, **arguments: object) -> StepResult:
        """See Engine.step."""
        self._request = (action, arguments)
        return super().step(action, **arguments)

    def _finish(self, event: Any, episode: int) -> StepResult:
        result = super()._finish(event, episode)
        action, arguments = self._request
        self.records.append(
            ActionRecord(
                action,
                arguments,
                result.success,
                result.error_message,
                result.action_return,
                event.metadata,
            )
        )
        return result


class _EngineSkills:
    """Implements milo_planner.execution.Skills on an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._control = Control()

    def navigate(self, object_id: str, mode: str) -> SkillOutcome:
        goal = NavigateGoal(object_id, mode=mode)
        return _outcome(navigate_to(self._engine, self._control, goal))

    def pick(self, object_id: str, force: bool) -> SkillOutcome:
        goal = skills.PickGoal(object_id, force)
        return _outcome(skills.pick(self._engine, self._control, goal))

    def place(self, object_id: str, receptacle_id: str, force: bool) -> SkillOutcome:
        goal = skills.PlaceGoal(receptacle_id, object_id, force)
        return _outcome(skills.place(self._engine, self._control, goal))

    def set_open(self, object_id: str, openness: float, force: bool) -> SkillOutcome:
        goal = skills.SetOpenGoal(object_id, openness, force)
        return _outcome(skills.set_open(self._engine, self._control, goal))

    def set_toggled(self, object_id: str, toggled: bool, force: bool) -> SkillOutcome:
        goal = skills.SetToggledGoal(object_id, toggled, force)
        return _outcome(skills.set_toggled(self._engine, self._control, goal))

    def slice(self, object_id: str, force: bool) -> SkillOutcome:
        goal = skills.SliceGoal(object_id, force)
        return _outcome(skills.slice_object(self._engine, self._control, goal))

    def release(self, object_id: str, force: bool) -> SkillOutcome:
        goal = skills.ReleaseGoal(object_id, force)
        return _outcome(skills.release(self._engine, self._control, goal))

    def look_at(self, object_id: str) -> SkillOutcome:
        return _outcome(look_at(self._engine, self._control, LookAtGoal(object_id)))


def _outcome(result: SkillResult) -> SkillOutcome:
    return SkillOutcome(result.error_code, result.error_msg, result.step)


class _EngineObservations:
    """Implements milo_planner.execution.Observations on an engine, which is always up to date."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def current(self, min_step: int) -> WorldModel:
        latest = self._engine.latest
        return WorldModel.from_snapshot(
            latest.snapshot, step=latest.step, episode=latest.episode, stamp=float(latest.step)
        )


def play(engine: RecordingEngine, task: Task, planner: str, profile: Profile) -> TaskRecord:
    """Play a task; runs in the engine's thread. A player that fails is part of the record."""
    engine.records = []
    record = TaskRecord(task.task_id)
    try:
        step = engine.reset(task.scene).step
        runner = TaskRunner(
            planner=make_planner(planner),
            skills=_EngineSkills(engine),
            observations=_EngineObservations(engine),
            profile=profile,
        )
        outcome = runner.run(task.sub_goals(), step)
        verdicts = evaluate_all(task.sub_goals(), engine.latest.snapshot, profile.goal_rule)
        record.executed, record.failure = outcome.execution_success, outcome.message
        record.verdicts = tuple(verdict.satisfied for verdict in verdicts)
    except EngineFailure as failure:
        record.failure = str(failure)
    record.actions = engine.records
    return record
