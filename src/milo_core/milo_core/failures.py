"""Why an episode failed, in one word, and who is to blame.

The details of precondition failures are the error classes of the Embodied Agent Interface (Li et
al. 2024, NeurIPS Datasets and Benchmarks), with its order of precedence and its temporal test.
Everything here is pure: it works on facts that were collected elsewhere.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Literal

from milo_core.error_codes import (
    EngineError,
    LookAtError,
    NavigateToError,
    PickError,
    PlaceError,
    ReleaseError,
    RunEpisodeError,
    RunTaskError,
    SetOpenError,
    SetToggledError,
    SliceError,
)
from milo_core.goals import FIND_VERBS


class FailureClass(StrEnum):
    """What kind of thing went wrong."""

    PERCEPTION = "perception"
    """The agent did all it planned and never saw what it was to find."""
    GROUNDING = "grounding"
    """A name found no instance."""
    PLANNING = "planning"
    """There was no plan, none within the limits, or one that doesn't reach the goal."""
    PRECONDITION = "precondition"
    """An action was not possible in that state; see FailureDetail."""
    GEOMETRY = "geometry"
    """No room, no way, no view, or a collision."""
    ENGINE = "engine"
    """The simulator failed, or refused without a known reason."""
    TIMEOUT = "timeout"
    HARNESS = "harness"
    """Something around agent and simulator failed, or somebody stopped the episode."""


class FailureDetail(StrEnum):
    """What kind of precondition failure it was."""

    MISSING_STEP = "missing_step"
    """An action could have brought about what was missing; it never held in this episode."""
    WRONG_ORDER = "wrong_order"
    """What was missing held earlier in this episode."""
    ADDITIONAL_STEP = "additional_step"
    """What the action brings about was true already."""
    AFFORDANCE = "affordance"
    """The object can never take part in such an action."""


class Blame(StrEnum):
    """Where the failure comes from."""

    WORLD_STATE = "world_state"
    """The agent believed something that was not so."""
    PLAN = "plan"
    """Even by the agent's own beliefs the plan was no good."""
    EXECUTION = "execution"
    """Beliefs and plan were right, and the step was refused all the same."""


_CLASS_OF_NAME: Mapping[str, FailureClass] = {
    **dict.fromkeys(("UNKNOWN", "NO_EFFECT"), FailureClass.ENGINE),
    **dict.fromkeys(("INVALID_GOAL", "CANCELED"), FailureClass.HARNESS),
    "OBJECT_NOT_FOUND": FailureClass.GROUNDING,
    **dict.fromkeys(
        ("NOT_VISIBLE", "TOO_FAR", "BLOCKED", "COLLISION", "HAND_COLLISION", "UNREACHABLE"),
        FailureClass.GEOMETRY,
    ),
    **dict.fromkeys(
        ("NO_INTERACTABLE_POSE", "NO_VALID_PLACEMENT", "RECEPTACLE_FULL", "OUT_OF_RANGE"),
        FailureClass.GEOMETRY,
    ),
    **dict.fromkeys(
        ("HAND_FULL", "HAND_EMPTY", "OTHER_OBJECT_HELD", "TARGET_IN_HAND", "CONTAINER_CLOSED"),
        FailureClass.PRECONDITION,
    ),
    **dict.fromkeys(
        ("RECEPTACLE_CLOSED", "TARGET_ON", "TARGET_OPEN", "ALREADY_IN_STATE", "ALREADY_SLICED"),
        FailureClass.PRECONDITION,
    ),
    **dict.fromkeys(
        ("NOT_PICKUPABLE", "NOT_OPENABLE", "NOT_TOGGLEABLE", "NOT_SLICEABLE", "NOT_A_RECEPTACLE"),
        FailureClass.PRECONDITION,
    ),
    **dict.fromkeys(
        ("TYPE_NOT_ALLOWED", "CONTROLLED_BY_OTHER", "BROKEN"), FailureClass.PRECONDITION
    ),
    "MODE_UNSUPPORTED": FailureClass.HARNESS,
}
"""Name of a skill's code -> class."""
_CLASS_OF_TASK_NAME: Mapping[str, FailureClass] = {
    **dict.fromkeys(
        ("UNKNOWN", "INVALID_GOAL", "CANCELED", "WORLD_STATE_STALE", "DRIVER_UNAVAILABLE"),
        FailureClass.HARNESS,
    ),
    **dict.fromkeys(("UNSUPPORTED_GOAL", "NO_PLAN", "STEP_LIMIT"), FailureClass.PLANNING),
    **dict.fromkeys(("UNKNOWN_OBJECT_TYPE", "NO_INSTANCE"), FailureClass.GROUNDING),
    **dict.fromkeys(("NO_ROOM", "UNREACHABLE"), FailureClass.GEOMETRY),
    "PRECONDITION_FAILED": FailureClass.PRECONDITION,
    "TIME_LIMIT": FailureClass.TIMEOUT,
    "EXECUTION_FAILED": FailureClass.ENGINE,
}
"""Name of a code of RunTask -> class."""
_SKILL_CODES: tuple[type[IntEnum], ...] = (
    NavigateToError,
    PickError,
    PlaceError,
    SetOpenError,
    SetToggledError,
    SliceError,
    ReleaseError,
    LookAtError,
)
CLASS_OF_CODE: Mapping[int, FailureClass] = MappingProxyType(
    {
        **{int(code): _CLASS_OF_NAME[code.name] for codes in _SKILL_CODES for code in codes},
        **dict.fromkeys(map(int, RunEpisodeError), FailureClass.HARNESS),
        **dict.fromkeys(map(int, EngineError), FailureClass.ENGINE),
        EngineError.HARNESS_EXCEPTION: FailureClass.HARNESS,
        EngineError.NODE_UNAVAILABLE: FailureClass.HARNESS,
        EngineError.INVALID_REQUEST: FailureClass.HARNESS,
        EngineError.STAGE_TIMEOUT: FailureClass.TIMEOUT,
        **{int(code): _CLASS_OF_TASK_NAME[code.name] for code in RunTaskError},
    }
)
"""Every code of milo_core.error_codes -> class."""

CONDITION_OF_CODE: Mapping[int, str] = MappingProxyType(
    {
        PickError.HAND_FULL: "hand_empty",
        PickError.NOT_PICKUPABLE: "is_pickupable",
        PickError.CONTAINER_CLOSED: "not_enclosed",
        PlaceError.RECEPTACLE_CLOSED: "container_ready",
        PlaceError.NOT_A_RECEPTACLE: "is_receptacle",
        PlaceError.HAND_EMPTY: "holding_target",
        PlaceError.OTHER_OBJECT_HELD: "holding_target",
        SetOpenError.NOT_OPENABLE: "is_openable",
        SetOpenError.TARGET_ON: "not_running",
        SetToggledError.NOT_TOGGLEABLE: "is_toggleable",
        SetToggledError.TARGET_OPEN: "door_closed",
        SliceError.NOT_SLICEABLE: "is_sliceable",
        SliceError.ALREADY_SLICED: "not_sliced",
        SliceError.TARGET_IN_HAND: "not_holding_target",
        ReleaseError.HAND_EMPTY: "holding_target",
        ReleaseError.OTHER_OBJECT_HELD: "holding_target",
    }
)
"""Code -> the precondition of milo_core.actions that the refusal speaks of."""
_AFFORDANCE_CODES = frozenset(
    {
        PickError.NOT_PICKUPABLE,
        PlaceError.NOT_A_RECEPTACLE,
        PlaceError.TYPE_NOT_ALLOWED,
        SetOpenError.NOT_OPENABLE,
        SetToggledError.NOT_TOGGLEABLE,
        SetToggledError.CONTROLLED_BY_OTHER,
        SetToggledError.BROKEN,
        SliceError.NOT_SLICEABLE,
    }
)
_ADDITIONAL_CODES = frozenset({SetToggledError.ALREADY_IN_STATE, SliceError.ALREADY_SLICED})
_WHOLE_TASK_CODES = frozenset(
    {
        RunTaskError.UNSUPPORTED_GOAL,
        RunTaskError.UNKNOWN_OBJECT_TYPE,
        RunTaskError.STEP_LIMIT,
        RunTaskError.TIME_LIMIT,
        RunTaskError.CANCELED,
    }
)
"""Codes of RunTask that say why the task ended, whatever its steps did."""
_VAGUE_CODES = frozenset(
    {
        0,
        RunTaskError.UNKNOWN,
        RunTaskError.NO_PLAN,
        RunTaskError.EXECUTION_FAILED,
        RunTaskError.PRECONDITION_FAILED,
    }
)
"""Codes of an abandoned sub-goal about which its steps know more."""

StepStatus = Literal["pending", "running", "succeeded", "failed", "blocked", "skipped", "canceled"]


@dataclass(frozen=True)
class UnmetCondition:
    """A precondition that was not true."""

    name: str
    """In milo_core.actions."""
    affordance: bool = False
    """No action can bring it about."""
    held_earlier: bool = False
    """It was true in an earlier state of this episode."""
    modelled: bool = True
    """It belongs to the rules by which the agent plans, so that it was checked."""


@dataclass(frozen=True)
class StepTruth:
    """The simulator's truth right before a step."""

    unmet: tuple[UnmetCondition, ...] = ()
    """In the order of milo_core.actions."""
    accomplished: bool = False
    """What the action brings about was true already."""
    exists: bool = True
    """What the step names has an instance in the scene."""


@dataclass(frozen=True)
class StepFacts:
    """One step and what became of it."""

    sub_goal: int
    """0-based."""
    action: str
    status: StepStatus
    error_code: int = 0
    """0: none."""
    believed_unmet: tuple[str, ...] = ()
    """Preconditions that did not hold as the agent believed."""
    truth: StepTruth | None = None
    """None: not known."""


@dataclass(frozen=True)
class GoalFacts:
    """One sub-goal at the end."""

    verb: str
    satisfied: bool
    """By the rule of the profile."""
    abandoned_code: int = 0
    """Of RunTask: why the agent gave it up; 0: it did not, or doesn't say."""
    plan_invalid: bool = False
    """The last plan made for it was none, or was rejected."""
    exists: bool | None = None
    """What it names has an instance in the scene; None: not known."""


@dataclass(frozen=True)
class EpisodeFacts:
    """All that the class of a failure depends on."""

    satisfied: bool
    """The task, by the rule of the profile."""
    error_code: int = 0
    """Of the episode: engine or harness failed."""
    task_code: int = 0
    """Of RunTask."""
    canceled: bool = False
    goals: tuple[GoalFacts, ...] = ()
    steps: tuple[StepFacts, ...] = ()
    """Of all sub-goals, those of one sub-goal in the order of time."""


@dataclass(frozen=True)
class Failure:
    """Why an episode failed; all empty: it did not."""

    failure_class: FailureClass | None = None
    detail: FailureDetail | None = None
    """Of precondition failures; None: not known."""
    unmet: tuple[str, ...] = ()
    """Preconditions that were not true, by truth if it is known, else as the agent believed."""
    blame: Blame | None = None
    """None: nobody's, or not known."""


def classify(facts: EpisodeFacts) -> Failure:
    """Return why an episode failed.

    Engine and harness come first, then what ended the whole task. Otherwise the first sub-goal
    that is not true decides: by the reason the agent gave it up for, by the last step of it that
    failed for such a reason, or, where no step failed, by the plan.
    """
    if facts.error_code:
        return Failure(CLASS_OF_CODE.get(facts.error_code, FailureClass.HARNESS))
    if facts.satisfied:
        return Failure()
    if facts.canceled:
        return Failure(FailureClass.HARNESS)
    if facts.task_code in _WHOLE_TASK_CODES:
        found = CLASS_OF_CODE[facts.task_code]
        own = found in (FailureClass.PLANNING, FailureClass.GROUNDING)
        return Failure(found, blame=Blame.PLAN if own else None)
    index = next((i for i, goal in enumerate(facts.goals) if not goal.satisfied), None)
    steps = [s for s in facts.steps if index is None or s.sub_goal == index]
    goal = None if index is None else facts.goals[index]
    if goal is not None and goal.abandoned_code not in _VAGUE_CODES:
        return _abandoned(goal, steps)
    failed = _failed(steps)
    if failed:
        return _of_step(failed[-1])
    if goal is not None and goal.verb in FIND_VERBS and _was_carried_out(goal, steps):
        return Failure(FailureClass.PERCEPTION, blame=Blame.WORLD_STATE)
    return Failure(FailureClass.PLANNING, blame=Blame.PLAN)


def _failed(steps: Iterable[StepFacts]) -> list[StepFacts]:
    return [s for s in steps if s.status in ("failed", "blocked")]


def _was_carried_out(goal: GoalFacts, steps: Sequence[StepFacts]) -> bool:
    return not goal.plan_invalid and any(s.status == "succeeded" for s in steps)


def _abandoned(goal: GoalFacts, steps: Sequence[StepFacts]) -> Failure:
    """Return the failure of a sub-goal that was given up for a reason of its own."""
    found = CLASS_OF_CODE.get(goal.abandoned_code, FailureClass.HARNESS)
    failed = _failed(steps)
    causes = [s for s in failed if class_of_step(s) is found] or failed
    if causes:
        return _of_step(causes[-1])
    if found is FailureClass.GROUNDING and goal.exists is not None:
        return Failure(found, blame=Blame.WORLD_STATE if goal.exists else Blame.PLAN)
    return Failure(found, blame=Blame.PLAN if found is FailureClass.PLANNING else None)


def class_of_step(step: StepFacts) -> FailureClass:
    """Return the class of a step that failed or was blocked."""
    return CLASS_OF_CODE.get(step.error_code, FailureClass.ENGINE)


def _of_step(step: StepFacts) -> Failure:
    found = class_of_step(step)
    detail = detail_of(step) if found is FailureClass.PRECONDITION else None
    return Failure(found, detail, _unmet_names(step), blame_for(step))


def _unmet_names(step: StepFacts) -> tuple[str, ...]:
    if step.truth is not None and step.truth.unmet:
        return tuple(condition.name for condition in step.truth.unmet)
    if step.believed_unmet:
        return step.believed_unmet
    name = CONDITION_OF_CODE.get(step.error_code)
    return (name,) if name else ()


def detail_of(step: StepFacts) -> FailureDetail | None:
    """Return what kind of precondition failure a step was; None: not known.

    The order of precedence is that of the Embodied Agent Interface for BEHAVIOR, additional step,
    affordance, wrong order, missing step; the test for wrong order looks at the first unmet
    condition alone, its default for VirtualHome.
    """
    truth = step.truth
    if step.error_code in _ADDITIONAL_CODES or (truth is not None and truth.accomplished):
        return FailureDetail.ADDITIONAL_STEP
    unmet = () if truth is None else truth.unmet
    if step.error_code in _AFFORDANCE_CODES or any(c.affordance for c in unmet):
        return FailureDetail.AFFORDANCE
    if not unmet:
        return None
    return FailureDetail.WRONG_ORDER if unmet[0].held_earlier else FailureDetail.MISSING_STEP


def blame_for(step: StepFacts) -> Blame | None:
    """Return who is to blame for a step that failed or was blocked; None: not known."""
    truth, found = step.truth, class_of_step(step)
    if truth is None or found in (FailureClass.HARNESS, FailureClass.TIMEOUT):
        return None
    if found is FailureClass.GROUNDING:
        return Blame.WORLD_STATE if truth.exists else Blame.PLAN
    modelled = {condition.name for condition in truth.unmet if condition.modelled}
    if modelled != set(step.believed_unmet):
        return Blame.WORLD_STATE
    if truth.unmet or step.error_code in _AFFORDANCE_CODES | _ADDITIONAL_CODES:
        return Blame.PLAN
    return Blame.EXECUTION
