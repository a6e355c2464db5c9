"""One episode: RESET, SEED, PLAN, EXECUTE, SETTLE, SCORE, PERCEIVE, LOG.

Each state has a time limit; whatever fails on the way leads to LOG with an end reason, so every
episode that began leaves a line. The world is behind `Ports`, so nothing here knows ROS.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

from milo_benchmark.evidence import TruthReader, goal_facts
from milo_benchmark.mailbox import EpisodeStopped
from milo_benchmark.manifest import utc_now
from milo_benchmark.ports import (
    Evaluation,
    Ports,
    ResetOutcome,
    StageError,
    TaskCall,
    TaskOutcome,
)
from milo_benchmark.records import (
    EndReason,
    EpisodeKey,
    EpisodeRecord,
    GoalRecord,
    PlanRecord,
    StepRecord,
    TimeRecord,
    is_strict,
)
from milo_benchmark.scoring import (
    STRICT,
    Cause,
    count_steps,
    find_cause,
    goal_rule,
    goal_share,
    path_weighted_success,
)
from milo_core.error_codes import EngineError, RunTaskError
from milo_core.failures import EpisodeFacts, Failure, classify
from milo_core.profiles import get_profile
from milo_core.tasks import SubGoal, Task


class State(StrEnum):
    """Where an episode is."""

    RESET = "RESET"
    SEED = "SEED"
    PLAN = "PLAN"
    EXECUTE = "EXECUTE"
    SETTLE = "SETTLE"
    SCORE = "SCORE"
    PERCEIVE = "PERCEIVE"
    LOG = "LOG"


@dataclass(frozen=True)
class StageLimits:
    """Seconds of wall clock that each state may take."""

    reset: float = 180.0
    """Unity may have to start first."""
    seed: float = 30.0
    task: float = 600.0
    """PLAN and EXECUTE together: the planner's time limit."""
    answer: float = 30.0
    """For the planner to answer after its limit."""
    settle: float = 10.0
    score: float = 30.0


@dataclass(frozen=True)
class EpisodeRequest:
    """One episode to play."""

    task: Task
    planner: str
    profile: str
    repeat: int
    seed: int
    max_steps: int = 0
    """Actions that the planner may send; 0: its own limit."""

    @property
    def key(self) -> EpisodeKey:
        """Its identity within a run."""
        return EpisodeKey(self.task.task_id, self.planner, self.profile, self.repeat, self.seed)


_HARNESS_CODES = frozenset(
    {
        RunTaskError.UNKNOWN,
        RunTaskError.INVALID_GOAL,
        RunTaskError.WORLD_STATE_STALE,
        RunTaskError.DRIVER_UNAVAILABLE,
    }
)
"""RunTask codes that say nothing about the agent."""
_ENGINE_CODES = frozenset(
    {
        EngineError.ENGINE_DIED,
        EngineError.ENGINE_TIMEOUT,
        EngineError.ENGINE_NOT_READY,
        EngineError.ENGINE_START_FAILED,
        EngineError.UNKNOWN_SCENE,
        EngineError.ENGINE_REFUSED_RESET,
    }
)
NO_VISION = "no vision node in the graph"
OTHER_TIER = "perception is scored in tier 1 only"
NOT_REACHED = "the episode ended before it"


def _end_reason(code: int) -> EndReason:
    if code in _ENGINE_CODES:
        return "engine_error"
    return "timeout" if code == EngineError.STAGE_TIMEOUT else "harness_error"


@dataclass
class _Draft:
    """What is known of the episode so far."""

    started_at: str
    reset: ResetOutcome = field(default_factory=lambda: ResetOutcome("", 0, ""))
    initially_true: list[bool | None] = field(default_factory=list)
    held_at_reset: list[bool] = field(default_factory=list)
    shortest_length: float | None = None
    path_length: float | None = None
    task: TaskOutcome | None = None
    evaluation: Evaluation = field(default_factory=lambda: Evaluation((), False))
    strict: Evaluation = field(default_factory=lambda: Evaluation((), False))
    scored: bool = False
    failure: Failure = field(default_factory=Failure)
    perception_error: str = NOT_REACHED
    end_reason: EndReason = "completed"
    error_code: int = 0
    error_text: str = ""
    stages_ms: dict[str, float] = field(default_factory=dict)


class EpisodeRunner:
    """Plays episodes, one at a time."""

    def __init__(
        self,
        ports: Ports,
        *,
        versions_digest: str = "",
        limits: StageLimits | None = None,
        on_state: Callable[[State], None] = lambda _: None,
        on_exception: Callable[[Exception], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], str] = utc_now,
    ) -> None:
        """Args:
        ports: the world.
        versions_digest: name of the versions, for the lines.
        limits: time limits of the states.
        on_state: called when an episode enters a state.
        on_exception: called with an exception that ended an episode as a harness error.
        clock: seconds, monotonic.
        now: UTC time as ISO 8601 text.
        """
        self._ports = ports
        self._versions_digest = versions_digest
        self._limits = limits or StageLimits()
        self._on_state = on_state
        self._on_exception = on_exception
        self._clock = clock
        self._now = now

    def run(self, request: EpisodeRequest) -> EpisodeRecord:
        """Play one episode and return its line; never raises for what fails on the way.

        Raises:
            EpisodeStopped: someone wants it to stop.
        """
        draft = _Draft(started_at=self._now())
        try:
            self._play(request, draft)
        except EpisodeStopped:
            raise
        except StageError as error:
            draft.end_reason = _end_reason(error.code)
            draft.error_code, draft.error_text = error.code, str(error)
        except Exception as error:
            self._on_exception(error)
            draft.end_reason = "harness_error"
            draft.error_code = EngineError.HARNESS_EXCEPTION
            draft.error_text = f"harness_exception: {error!r}"
        if draft.error_code:
            draft.failure = classify(EpisodeFacts(False, error_code=draft.error_code))
        self._on_state(State.LOG)
        return _record(request, draft, self._versions_digest)

    def _play(self, request: EpisodeRequest, draft: _Draft) -> None:
        task, limits = request.task, self._limits
        goals = task.sub_goals()
        rule = goal_rule(goals)
        drives = get_profile(request.profile).navigation_mode == "path"
        with self._stage(State.RESET, draft):
            draft.reset = self._ports.reset(task.scene, request.seed, limits.reset)
        with self._stage(State.SEED, draft):
            seeded = self._ports.evaluate(goals, rule, limits.seed)
            draft.initially_true = [verdict.satisfied for verdict in seeded.verdicts]
            strict = self._ports.evaluate(goals, STRICT, limits.seed, with_shortest_length=drives)
            draft.held_at_reset = list(strict.held_at_reset)
            draft.shortest_length = strict.shortest_length
        draft.task = self._plan_and_execute(request, goals, draft)
        _check_task(draft.task, draft)
        with self._stage(State.SETTLE, draft):
            self._ports.wait_for_step(draft.task.step, limits.settle)
        with self._stage(State.SCORE, draft):
            if drives:
                draft.path_length = self._ports.path_length(draft.reset.step, draft.task.step)
            judged = self._ports.evaluate(goals, rule, limits.score)
            # Nothing is scored unless both rules are.
            draft.strict = self._ports.evaluate(goals, STRICT, limits.score)
            draft.evaluation = judged
            draft.scored = True
            draft.failure = self._explain(request, draft, draft.task)
        with self._stage(State.PERCEIVE, draft):
            draft.perception_error = NO_VISION if task.tier == 1 else OTHER_TIER

    def _explain(self, request: EpisodeRequest, draft: _Draft, task: TaskOutcome) -> Failure:
        """Return why the agent failed by the rule of its profile; an empty one if it didn't."""
        judged = _judged(request, draft)
        if judged.all_satisfied:
            return Failure()
        physics = get_profile(request.profile).physics
        reset_step, truth = draft.reset.step, self._ports.truth
        goals = request.task.sub_goals()
        facts = EpisodeFacts(
            satisfied=False,
            task_code=task.error_code,
            canceled=draft.end_reason == "canceled",
            goals=goal_facts(goals, judged.verdicts, task.plans, task.outcomes, truth(reset_step)),
            steps=TruthReader(task.plans, reset_step, physics, truth).step_facts(),
        )
        return classify(facts)

    def _plan_and_execute(
        self, request: EpisodeRequest, goals: Sequence[SubGoal], draft: _Draft
    ) -> TaskOutcome:
        """One RunTask goal covers both states; the first step that begins tells them apart."""
        self._on_state(State.PLAN)
        begun = self._clock()
        acting_since: float | None = None

        def on_step() -> None:
            nonlocal acting_since
            if acting_since is None:
                acting_since = self._clock()
                self._on_state(State.EXECUTE)

        call = TaskCall(
            goals=tuple(goals),
            profile=request.profile,
            min_step=draft.reset.step,
            time_limit=self._limits.task,
            max_steps=request.max_steps,
            seed=request.seed,
        )
        try:
            return self._ports.run_task(call, call.time_limit + self._limits.answer, on_step)
        finally:
            end = self._clock()
            planned = end if acting_since is None else acting_since
            draft.stages_ms[State.PLAN] = (planned - begun) * 1e3
            draft.stages_ms[State.EXECUTE] = (end - planned) * 1e3

    @contextmanager
    def _stage(self, state: State, draft: _Draft) -> Iterator[None]:
        self._on_state(state)
        begun = self._clock()
        try:
            yield
        finally:
            draft.stages_ms[state] = (self._clock() - begun) * 1e3


def _check_task(task: TaskOutcome, draft: _Draft) -> None:
    """Take the planner's end for the episode's where it is not about the agent."""
    if task.error_code in _HARNESS_CODES or task.error_code in _ENGINE_CODES:
        raise StageError(task.error_code, task.error_msg)
    if task.error_code == RunTaskError.TIME_LIMIT:
        draft.end_reason = "timeout"
    elif task.error_code == RunTaskError.CANCELED:
        draft.end_reason = "canceled"


def _goal_record(goal: SubGoal) -> GoalRecord:
    return GoalRecord(goal=goal.goal, object=goal.object, target=goal.target)


def _from_reset(plan: PlanRecord, reset_step: int) -> PlanRecord:
    """Count engine steps from the reset, so that they don't depend on earlier episodes."""

    def shifted(step: StepRecord) -> StepRecord:
        if step.engine_step is None:
            return step
        return step.model_copy(update={"engine_step": step.engine_step - reset_step})

    return plan.model_copy(update={"steps": [shifted(step) for step in plan.steps]})


def _time_record(draft: _Draft, task: TaskOutcome | None) -> TimeRecord:
    stages = {str(state): round(ms, 3) for state, ms in draft.stages_ms.items()}
    return TimeRecord(
        started_at=draft.started_at,
        wall_clock_ms=round(stages.get(State.PLAN, 0.0) + stages.get(State.EXECUTE, 0.0), 3),
        stages_ms=stages,
        planning_ms=[round(ms, 3) for ms in task.planning_ms] if task else [],
        steps_ms=[[round(ms, 3) for ms in steps] for steps in task.steps_ms] if task else [],
    )


def _cause(request: EpisodeRequest, draft: _Draft) -> Cause:
    if draft.error_code:
        return Cause("", draft.error_text)
    task, judged = draft.task, _judged(request, draft)
    if task is None:
        return Cause("", None)
    goals = request.task.sub_goals()
    cause = find_cause(goals, task.plans, judged.verdicts, task.error_msg, task.outcomes)
    return Cause(cause.code, cause.text or task.error_msg or judged.reason or None)


def _judged(request: EpisodeRequest, draft: _Draft) -> Evaluation:
    """Return the scores by the rule of the profile."""
    return draft.strict if is_strict(request.profile) else draft.evaluation


def _record(request: EpisodeRequest, draft: _Draft, versions_digest: str) -> EpisodeRecord:
    task, goals = request.task, request.task.sub_goals()
    outcome = draft.task
    plans = [_from_reset(plan, draft.reset.step) for plan in outcome.plans] if outcome else []
    verdicts = list(draft.evaluation.verdicts)
    counts = count_steps(plans)
    cause = _cause(request, draft)
    strict, failure = draft.strict, draft.failure
    return EpisodeRecord(
        task_id=task.task_id,
        scene=task.scene,
        room_type=task.room_type,
        difficulty_tier=task.difficulty_tier,
        instruction=task.instruction,
        sub_goals=[_goal_record(goal) for goal in goals],
        planner=request.planner,
        profile=request.profile,
        repeat=request.repeat,
        seed=request.seed,
        player=draft.reset.player,
        scene_digest=draft.reset.scene_digest,
        versions_digest=versions_digest,
        plan_success=outcome is not None and outcome.plan_success,
        execution_success=outcome is not None and outcome.execution_success,
        goal_rule=goal_rule(goals),
        goal_success=draft.evaluation.all_satisfied,
        goal_success_strict=strict.all_satisfied,
        strict_reason=strict.reason or None,
        goal_conditions=goal_share(goals, verdicts),
        goal_conditions_strict=goal_share(goals, strict.verdicts),
        initially_true=draft.initially_true,
        held_at_reset=draft.held_at_reset,
        path_length=draft.path_length,
        shortest_length=draft.shortest_length,
        spl=path_weighted_success(strict.all_satisfied, draft.shortest_length, draft.path_length),
        side_effect_free=not strict.side_effects if draft.scored else None,
        side_effects=list(strict.side_effects),
        exists_in_scene=verdicts[0].satisfied if task.tier == 1 and verdicts else None,
        perceived_by_agent=None,
        perception_error=draft.perception_error,
        max_steps=request.max_steps,
        plan_step_count=counts.planned,
        action_count=counts.planned,
        dispatched_count=counts.dispatched,
        succeeded_count=counts.succeeded,
        failed_count=counts.failed,
        blocked_count=counts.blocked,
        skipped_count=counts.skipped,
        replans=sum(plan.replans for plan in plans),
        cause_code=cause.code,
        failure_cause=cause.text,
        failure_class=failure.failure_class,
        failure_detail=failure.detail,
        unmet_preconditions=list(failure.unmet),
        blame=failure.blame,
        end_reason=draft.end_reason,
        error_code=draft.error_code,
        plans=plans,
        verdicts=verdicts,
        verdicts_strict=list(strict.verdicts),
        recoveries=list(outcome.recoveries) if outcome else [],
        outcomes=list(outcome.outcomes) if outcome else [],
        tree=outcome.tree if outcome else None,
        time=_time_record(draft, outcome),
    )
