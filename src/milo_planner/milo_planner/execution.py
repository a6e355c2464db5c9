"""The executor: carries out a plan step by step and tells failed, blocked and skipped apart.

Per step: resolve the names to instances, check the preconditions, dispatch the skill, verify the
effect on newer observations, update the symbolic state. The first step that doesn't succeed halts
the plan; the rest is skipped.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

from milo_core.actions import ACTIONS, Action
from milo_core.error_codes import (
    LookAtError,
    NavigateToError,
    PickError,
    PlaceError,
    ReleaseError,
    RunTaskError,
    SetOpenError,
    SetToggledError,
    SliceError,
)
from milo_core.plan import PlannedStep
from milo_core.profiles import Profile
from milo_core.world_model import ObjectBelief, WorldModel
from milo_planner.memory import BasePose


class StepStatus(IntEnum):
    """What became of a step; values as in PlanStep.msg."""

    PENDING = 0
    RUNNING = 1
    SUCCEEDED = 2
    FAILED = 3
    BLOCKED = 4
    SKIPPED = 5
    CANCELED = 6


@dataclass(frozen=True)
class StepOptions:
    """What a reactive agent has learned about how to do a step."""

    purpose: str = ""
    """Of a navigation, as in NavigateTo.action."""
    excluded_poses: tuple[BasePose, ...] = ()
    """Of a navigation: not to be taken again."""
    turn: float = 0.0
    """Of a placement: radians by which the object is turned first."""


@dataclass
class StepRecord:
    """One step with the instances it was bound to and its verdict."""

    step_id: int
    sub_goal: int
    action: str
    object: str
    receptacle: str = ""
    object_id: str = ""
    receptacle_id: str = ""
    status: StepStatus = StepStatus.PENDING
    error_code: int = 0
    error_msg: str = ""
    unmet_preconditions: tuple[str, ...] = ()
    """Names of the preconditions that did not hold, as far as the agent knew."""
    note: str = ""
    forced: bool = False
    engine_step: int = 0
    duration: float = 0.0
    """Seconds of wall clock."""
    options: StepOptions = StepOptions()
    outcome: "SkillOutcome | None" = None
    """What the driver said; None: nothing was sent."""

    @property
    def planned(self) -> PlannedStep:
        """The step as a plan has it."""
        arguments = {"object": self.object}
        if self.receptacle:
            arguments["receptacle"] = self.receptacle
        return PlannedStep(self.action, arguments)


@dataclass(frozen=True)
class SkillOutcome:
    """How a skill ended."""

    error_code: int = 0
    error_msg: str = ""
    engine_step: int = 0
    pose: BasePose | None = None
    """Where the robot stands now; navigations only."""
    viewing: bool = False
    """The navigation ended where the object is seen, but out of reach."""
    type_forced: bool = False
    """The placement overruled the engine's table of receptacle types."""


class Interrupted(Exception):
    """The task was canceled or ran out of time while a skill was under way."""

    def __init__(self, code: RunTaskError, message: str) -> None:
        super().__init__(message)
        self.code = code


class Skills(Protocol):
    """The skills of a robot or simulator driver; each call blocks until the skill has ended.

    Any of them raises Interrupted when the task is to stop.
    """

    def navigate(self, object_id: str, mode: str, options: StepOptions) -> SkillOutcome:
        """Approach an object."""

    def pick(self, object_id: str, force: bool) -> SkillOutcome:
        """Take an object."""

    def place(
        self, object_id: str, receptacle_id: str, force: bool, any_type: bool, turn: float
    ) -> SkillOutcome:
        """Put the held object into or onto a receptacle."""

    def set_open(self, object_id: str, openness: float, force: bool) -> SkillOutcome:
        """Open or close an object."""

    def set_toggled(self, object_id: str, toggled: bool, force: bool) -> SkillOutcome:
        """Switch an object on or off."""

    def slice(self, object_id: str, force: bool) -> SkillOutcome:
        """Cut an object into pieces."""

    def release(self, object_id: str, force: bool) -> SkillOutcome:
        """Let go of the held object."""

    def look_at(self, object_id: str) -> SkillOutcome:
        """Turn the camera to an object."""


class Observations(Protocol):
    """Where the newest WorldState comes from."""

    def current(self, min_step: int) -> WorldModel:
        """Return the world at that engine step or later.

        Raises:
            StaleWorldError: nothing new enough arrived in time.
            Interrupted: the task is to stop.
        """


class StaleWorldError(Exception):
    """WorldState did not catch up with the driver."""


_OBJECT_NOT_FOUND: dict[str | None, IntEnum] = {
    "NavigateTo": NavigateToError.OBJECT_NOT_FOUND,
    "Pick": PickError.OBJECT_NOT_FOUND,
    "Place": PlaceError.OBJECT_NOT_FOUND,
    "SetOpen": SetOpenError.OBJECT_NOT_FOUND,
    "SetToggled": SetToggledError.OBJECT_NOT_FOUND,
    "Slice": SliceError.OBJECT_NOT_FOUND,
    "Release": ReleaseError.OBJECT_NOT_FOUND,
    "LookAt": LookAtError.OBJECT_NOT_FOUND,
}
_NO_EFFECT: dict[str | None, IntEnum] = {
    "Pick": PickError.NO_EFFECT,
    "Place": PlaceError.NO_EFFECT,
    "SetOpen": SetOpenError.NO_EFFECT,
    "SetToggled": SetToggledError.NO_EFFECT,
    "Slice": SliceError.NO_EFFECT,
    "Release": ReleaseError.NO_EFFECT,
}


def _effect_missing(record: StepRecord, world: WorldModel) -> str:
    """Return what the observations lack of a step's effect; empty: nothing."""
    belief = world.objects.get(record.object_id)
    if belief is None:
        return f"{record.object_id} is no longer observed"
    if record.action == "pickup" and world.held_id != record.object_id:
        return f"{record.object_id} is not in the hand after the pickup"
    if record.action in ("place", "put_down") and world.held_id == record.object_id:
        return f"{record.object_id} is still in the hand"
    return _state_missing(record, belief)


def _state_missing(record: StepRecord, belief: ObjectBelief) -> str:
    """Return which state of the object an action should have changed and didn't."""
    still = {
        "open": "closed" if belief.is_open is False else "",
        "close": "open" if belief.is_open is True else "",
        "toggle_on": "off" if belief.is_toggled is False else "",
        "toggle_off": "on" if belief.is_toggled is True else "",
        "slice": "whole" if belief.is_sliced is False else "",
    }.get(record.action)
    return f"{record.object_id} is still {still}" if still else ""


def _arguments(record: StepRecord, action: Action) -> dict[str, str]:
    """Map the action's roles to the instances a step was bound to."""
    return {role.name: getattr(record, f"{role.name}_id") for role in action.roles}


@dataclass
class Executor:
    """Carries out the plans of one task."""

    skills: Skills
    observations: Observations
    profile: Profile
    on_change: Callable[[StepRecord], None] = lambda _: None
    engine_step: int = 0
    """Engine step of the newest skill result."""
    _halt: Interrupted | None = field(default=None, init=False)

    def run(
        self,
        steps: Sequence[PlannedStep],
        belief: WorldModel,
        sub_goal: int,
        drive: Callable[[Sequence[PlannedStep], Callable[[int], bool]], None],
    ) -> list[StepRecord]:
        """Execute a plan and return its records, also when it was interrupted.

        `belief` is the symbolic state the plan was made on; it is updated. `drive` has the steps
        run one by one, see Planner.drive; those that it leaves out are skipped.
        """
        records = [
            StepRecord(
                step_id=number,
                sub_goal=sub_goal,
                action=step.action,
                object=step.arguments.get("object", ""),
                receptacle=step.arguments.get("receptacle", ""),
            )
            for number, step in enumerate(steps, start=1)
        ]
        drive(steps, lambda index: self.execute(records[index], belief))
        for record in records:
            if record.status is StepStatus.PENDING:
                self._finish(record, StepStatus.SKIPPED)
        return records

    def execute(self, record: StepRecord, belief: WorldModel) -> bool:
        """Execute one step, write its verdict into the record, return whether it succeeded."""
        start = time.perf_counter()
        record.status = StepStatus.RUNNING
        self.on_change(record)
        self._run_step(record, belief)
        record.duration = time.perf_counter() - start
        self.on_change(record)
        return record.status is StepStatus.SUCCEEDED

    @property
    def interrupted(self) -> Interrupted | None:
        """Why the task is to stop; None: it isn't."""
        return self._halt

    def _finish(
        self, record: StepRecord, status: StepStatus, code: int = 0, message: str = ""
    ) -> None:
        record.status, record.error_code, record.error_msg = status, int(code), message
        if status is StepStatus.SKIPPED:
            self.on_change(record)

    def _run_step(self, record: StepRecord, belief: WorldModel) -> None:
        action = ACTIONS[record.action]
        try:
            live = self.observations.current(self.engine_step)
            for belief_of_instance in live:
                belief.objects.setdefault(belief_of_instance.object_id, belief_of_instance)
            if self._is_bound(record, action, live) and self._is_ready(record, action, belief):
                self._judge(record, action, self._dispatch(record))
        except StaleWorldError as error:
            self._finish(record, StepStatus.FAILED, RunTaskError.WORLD_STATE_STALE, f"{error}")
        except Interrupted as interruption:
            self._halt = interruption
            self._finish(record, StepStatus.CANCELED, interruption.code, str(interruption))
        if record.status is StepStatus.SUCCEEDED:
            self._apply_effect(record, action, belief)

    def _is_bound(self, record: StepRecord, action: Action, live: WorldModel) -> bool:
        """Bind the step's names to instances; a step that can't be bound gets its verdict."""
        for role in action.roles:
            name = getattr(record, role.name)
            instance = live.nearest(name)
            if instance is not None:
                setattr(record, f"{role.name}_id", instance.object_id)
            elif action.skill is None:
                # Published behaviour: locating never fails, the navigation after it does.
                record.note = f"No instance of '{name}' is known."
                self._finish(record, StepStatus.SUCCEEDED)
                return False
            else:
                code = _OBJECT_NOT_FOUND[action.skill]
                text = f"No instance of '{name}' is known."
                self._finish(record, StepStatus.BLOCKED, code, text)
                return False
        return True

    def _is_ready(self, record: StepRecord, action: Action, belief: WorldModel) -> bool:
        """Check the preconditions of a bound step; a blocked step gets its verdict."""
        arguments = _arguments(record, action)
        unmet = action.unmet(belief, arguments, self.profile.physics)
        record.unmet_preconditions = tuple(condition.name for condition in unmet)
        if unmet:
            reasons = "; ".join(f"{c.sentence.format_map(arguments)} ({c.name})" for c in unmet)
            code = RunTaskError.PRECONDITION_FAILED
            self._finish(record, StepStatus.BLOCKED, code, f"Precondition failed: {reasons}.")
        return not unmet

    def _dispatch(self, record: StepRecord) -> SkillOutcome:
        force = self.profile.force
        match record.action:
            case "navigate":
                mode = self.profile.navigation_mode
                return self.skills.navigate(record.object_id, mode, record.options)
            case "pickup":
                record.forced = force
                return self.skills.pick(record.object_id, force)
            case "place":
                record.forced = force
                return self.skills.place(
                    record.object_id,
                    record.receptacle_id,
                    force,
                    self.profile.any_receptacle_type,
                    record.options.turn,
                )
            case "open" | "close":
                record.forced = force
                openness = 1.0 if record.action == "open" else 0.0
                return self.skills.set_open(record.object_id, openness, force)
            case "toggle_on" | "toggle_off":
                record.forced = force
                toggled = record.action == "toggle_on"
                return self.skills.set_toggled(record.object_id, toggled, force)
            case "slice":
                record.forced = force
                return self.skills.slice(record.object_id, force)
            case "look":
                return self.skills.look_at(record.object_id)
            case "put_down":
                record.forced = force
                return self.skills.release(record.object_id, force)
            case _:  # locate: nothing moves
                return SkillOutcome(engine_step=self.engine_step)

    def _judge(self, record: StepRecord, action: Action, outcome: SkillOutcome) -> None:
        record.outcome = outcome if action.skill else None
        self.engine_step = max(self.engine_step, outcome.engine_step)
        if outcome.type_forced:
            record.note = "The engine's table of receptacle types was overruled."
        record.engine_step = outcome.engine_step if action.skill else 0
        if outcome.error_code == NavigateToError.NO_INTERACTABLE_POSE and (
            self.profile.stay_without_pose
        ):
            record.note = f"{outcome.error_msg} The robot stayed where it was."
            self._finish(record, StepStatus.SUCCEEDED)
            return
        if outcome.error_code:
            self._finish(record, StepStatus.FAILED, outcome.error_code, outcome.error_msg)
            return
        if action.skill in _NO_EFFECT:
            live = self.observations.current(self.engine_step)
            missing = _effect_missing(record, live)
            if missing:
                code = _NO_EFFECT[action.skill]
                self._finish(record, StepStatus.FAILED, code, f"{missing}.")
                return
        self._finish(record, StepStatus.SUCCEEDED)

    def _apply_effect(self, record: StepRecord, action: Action, belief: WorldModel) -> None:
        arguments = _arguments(record, action)
        if not all(arguments.values()):
            return
        action.apply(belief, arguments, self.profile.physics)
        if self.profile.binding == "nearest_each_step" and action.name in ("locate", "navigate"):
            # With names resolved anew at each step, what holds for one instance is taken to hold
            # for its type (Profile.binding).
            for instance in belief.instances(record.object):
                action.apply(belief, {"object": instance.object_id})


def seeded_belief(live: WorldModel, profile: Profile) -> WorldModel:
    """Return the symbolic state that a sub-goal is planned on."""
    belief = live.copy()
    belief.located.clear()
    belief.near.clear()
    if not profile.seeds_held_object:
        belief.held_id = None
    return belief
