"""Plays tasks straight on a player, without ROS, and writes down every engine action.

Planner, executor, skills and engine are those of the nodes; only the messages between them are
left out, so that what differs between two players is the players' own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from milo_benchmark.offline import EngineObservations, EngineSkills, make_runner
from milo_core.errors import MiloError
from milo_core.goals import evaluate_all
from milo_core.profiles import Profile
from milo_core.tasks import Task
from milo_planner.registry import make_planner
from milo_sim_bridge.engine import Engine, EngineConfig, StepResult
from milo_sim_bridge.errors import EngineFailure

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
    """Of the sub-goals, by the rule `extended`."""
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


def play(engine: RecordingEngine, task: Task, planner: str, profile: Profile) -> TaskRecord:
    """Play a task; runs in the engine's thread. A player that fails is part of the record."""
    engine.records = []
    record = TaskRecord(task.task_id)
    try:
        step = engine.reset(task.scene).step
        runner = make_runner(
            make_planner(planner), EngineSkills(engine), EngineObservations(engine), profile
        )
        outcome = runner.run(task.sub_goals(), step)
        verdicts = evaluate_all(task.sub_goals(), engine.latest.snapshot, "extended")
        record.executed, record.failure = outcome.execution_success, outcome.message
        record.verdicts = tuple(verdict.satisfied for verdict in verdicts)
    except EngineFailure as failure:
        record.failure = str(failure)
    record.actions = engine.records
    return record
