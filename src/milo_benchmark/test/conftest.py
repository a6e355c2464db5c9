"""Scripted worlds and example records."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from milo_benchmark.episode import EpisodeRequest
from milo_benchmark.graph import RunArguments
from milo_benchmark.manifest import build_manifest, select_tasks
from milo_benchmark.ports import Evaluation, ResetOutcome, TaskCall, TaskOutcome
from milo_benchmark.records import (
    EpisodeRecord,
    GoalRecord,
    Manifest,
    OutcomeRecord,
    PlanRecord,
    StepRecord,
    TimeRecord,
    VerdictRecord,
)
from milo_core.tasks import SubGoal, load_tasks
from milo_core.world_model import WorldModel


def make_step(number: int, action: str = "navigate", **changes: Any) -> StepRecord:
    values: dict[str, Any] = {
        "step_id": number,
        "action": action,
        "object": "mug",
        "receptacle": None,
        "object_id": "Mug|1",
        "receptacle_id": None,
        "status": "succeeded",
        "error_code": 0,
        "error_msg": "",
        "unmet_preconditions": [],
        "note": "",
        "forced": False,
        "engine_step": 100 + number,
    }
    return StepRecord(**{**values, **changes})


def make_plan(steps: Sequence[StepRecord], index: int = 0, **changes: Any) -> PlanRecord:
    values: dict[str, Any] = {
        "sub_goal_index": index,
        "sub_goal": GoalRecord(goal="find", object="mug", target=None),
        "planner": "rule_based",
        "status": "succeeded",
        "replans": 0,
        "errors": [],
        "steps": list(steps),
    }
    return PlanRecord(**{**values, **changes})


def make_outcome(plans: Sequence[PlanRecord], **changes: Any) -> TaskOutcome:
    values: dict[str, Any] = {
        "plans": tuple(plans),
        "plan_success": True,
        "execution_success": True,
        "step": 110,
        "error_code": 0,
        "error_msg": "",
        "planning_ms": tuple(1.0 for _ in plans),
        "steps_ms": tuple(tuple(2.0 for _ in plan.steps) for plan in plans),
    }
    return TaskOutcome(**{**values, **changes})


def make_goal_outcome(status: str = "achieved", **changes: Any) -> OutcomeRecord:
    values: dict[str, Any] = {
        "status": status,
        "object_id": "Mug|1",
        "receptacle_id": None,
        "error_code": 0,
        "error_msg": "",
        "instances_tried": [],
        "poses_tried": 0,
    }
    return OutcomeRecord(**{**values, **changes})


def verdict(satisfied: bool | None = True) -> VerdictRecord:
    return VerdictRecord(satisfied=satisfied, object_id="Mug|1", target_id=None, reason="so")


def make_record(task_id: str = "a-fp1-t1a", **changes: Any) -> EpisodeRecord:
    values: dict[str, Any] = {
        "task_id": task_id,
        "scene": "FloorPlan1",
        "room_type": "kitchen",
        "difficulty_tier": "tier1_locate",
        "instruction": "Find the mug.",
        "sub_goals": [GoalRecord(goal="find", object="mug", target=None)],
        "planner": "rule_based",
        "profile": "milo",
        "repeat": 0,
        "seed": 0,
        "player": "milo_sim 0.1.0",
        "scene_digest": "ab" * 32,
        "versions_digest": "0123456789abcdef",
        "plan_success": True,
        "execution_success": True,
        "goal_rule": "milo",
        "goal_success": True,
        "goal_success_strict": True,
        "strict_reason": None,
        "goal_conditions": 1.0,
        "goal_conditions_strict": 1.0,
        "held_at_reset": [False],
        "path_length": None,
        "shortest_length": None,
        "spl": None,
        "side_effect_free": True,
        "side_effects": [],
        "max_steps": 0,
        "exists_in_scene": True,
        "perceived_by_agent": None,
        "perception_error": "no vision node in the graph",
        "initially_true": [True],
        "plan_step_count": 2,
        "action_count": 2,
        "dispatched_count": 2,
        "succeeded_count": 2,
        "failed_count": 0,
        "blocked_count": 0,
        "skipped_count": 0,
        "replans": 0,
        "cause_code": "",
        "failure_cause": None,
        "failure_class": None,
        "failure_detail": None,
        "unmet_preconditions": [],
        "blame": None,
        "end_reason": "completed",
        "error_code": 0,
        "plans": [make_plan([make_step(1, "locate"), make_step(2)])],
        "verdicts": [verdict()],
        "verdicts_strict": [verdict()],
        "recoveries": [],
        "outcomes": [],
        "tree": None,
        "time": TimeRecord(
            started_at="2026-01-01T00:00:00.000Z",
            wall_clock_ms=12.5,
            stages_ms={"PLAN": 2.5, "EXECUTE": 10.0},
            planning_ms=[1.0],
            steps_ms=[[2.0, 2.0]],
        ),
    }
    return EpisodeRecord(**{**values, **changes})


def make_request(task_id: str = "fp1-t1a", profile: str = "milo", **values: Any) -> EpisodeRequest:
    task = load_tasks("1.1").find(task_id)
    return EpisodeRequest(task, "rule_based", profile, **{"repeat": 0, "seed": 0, **values})


def make_manifest(**texts: str) -> Manifest:
    arguments = RunArguments.parse({"out": "/nowhere", **texts})
    return build_manifest(arguments, *select_tasks(arguments))


@dataclass
class ScriptedPorts:
    """Ports that answer from a script; an exception in it is raised. Time passes as it says."""

    reset_answer: Any = field(default_factory=lambda: ResetOutcome("digest", 100, "player 1"))
    before: Any = field(default_factory=lambda: Evaluation((verdict(),), True))
    outcome: Any = field(
        default_factory=lambda: make_outcome([make_plan([make_step(1, "locate"), make_step(2)])])
    )
    settled: Any = None
    after: Any = field(default_factory=lambda: Evaluation((verdict(),), True))
    strict_before: Any = field(default_factory=lambda: Evaluation((verdict(False),), False))
    strict_after: Any = field(default_factory=lambda: Evaluation((verdict(),), True))
    worlds: dict[int, WorldModel] = field(default_factory=dict)
    driven: float = 0.0
    seconds: float = 0.0
    """Fake clock; each call takes one second, planning two, each step one."""
    calls: list[tuple[Any, ...]] = field(default_factory=list)

    def clock(self) -> float:
        return self.seconds

    def _answer(self, answer: Any, *call: Any) -> Any:
        self.calls.append(call)
        self.seconds += 1.0
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def reset(self, scene: str, seed: int, timeout: float) -> ResetOutcome:
        return self._answer(self.reset_answer, "reset", scene, seed, timeout)

    def evaluate(
        self,
        goals: Sequence[SubGoal],
        rule: str,
        timeout: float,
        *,
        with_shortest_length: bool = False,
    ) -> Evaluation:
        acted = any(call[0] == "run_task" for call in self.calls)
        if rule == "strict":
            answer = self.strict_after if acted else self.strict_before
        else:
            answer = self.after if acted else self.before
        return self._answer(answer, "evaluate", tuple(goals), rule, timeout, with_shortest_length)

    def run_task(self, call: TaskCall, timeout: float, on_step: Callable[[], None]) -> TaskOutcome:
        self.seconds += 1.0
        if isinstance(self.outcome, TaskOutcome):
            for plan in self.outcome.plans:
                for _ in plan.steps:
                    on_step()
                    self.seconds += 1.0
        return self._answer(self.outcome, "run_task", call, timeout)

    def truth(self, step: int) -> WorldModel | None:
        return self.worlds.get(step)

    def path_length(self, first: int, last: int) -> float:
        self.calls.append(("path_length", first, last))
        return self.driven

    def wait_for_step(self, step: int, timeout: float) -> None:
        self._answer(self.settled, "wait_for_step", step, timeout)


@pytest.fixture(scope="session")
def make() -> SimpleNamespace:
    """The builders above."""
    return SimpleNamespace(
        step=make_step,
        plan=make_plan,
        outcome=make_outcome,
        goal_outcome=make_goal_outcome,
        verdict=verdict,
        record=make_record,
        request=make_request,
        manifest=make_manifest,
        ports=ScriptedPorts,
    )
