"""The skills of the hand as sequences of engine actions, with numbered error codes."""

import math
from dataclasses import dataclass
from typing import Any

from milo_core.error_codes import (
    PickError,
    PlaceError,
    ReleaseError,
    SetOpenError,
    SetToggledError,
    SliceError,
)
from milo_core.snapshot import Snapshot, SnapshotObject
from milo_sim_bridge import checks
from milo_sim_bridge.engine import StepResult
from milo_sim_bridge.skill_run import (
    Control,
    SkillEngine,
    SkillError,
    SkillResult,
    SkillRun,
    execute,
)

_OPENNESS_TOLERANCE = 0.05


@dataclass(frozen=True)
class PickGoal:
    """Goal of `pick`."""

    object_id: str
    force: bool = False


@dataclass(frozen=True)
class PlaceGoal:
    """Goal of `place`; no object: whatever is held."""

    receptacle_id: str
    object_id: str = ""
    force: bool = False
    any_type: bool = False
    """Unforced: overrule the engine's table of receptacle types, if that is all it refuses for."""
    turn: float = 0.0
    """Radians about the vertical, anticlockwise from above: the object is turned first."""


@dataclass(frozen=True)
class SetOpenGoal:
    """Goal of `set_open`."""

    object_id: str
    openness: float
    force: bool = False


@dataclass(frozen=True)
class SetToggledGoal:
    """Goal of `set_toggled`."""

    object_id: str
    toggled: bool
    force: bool = False


@dataclass(frozen=True)
class SliceGoal:
    """Goal of `slice_object`."""

    object_id: str
    force: bool = False


@dataclass(frozen=True)
class ReleaseGoal:
    """Goal of `release`; no object: whatever is held."""

    object_id: str = ""
    force: bool = False


def pick(engine: SkillEngine, control: Control, goal: PickGoal) -> SkillResult:
    """Take an object into the hand."""

    def body(run: SkillRun) -> None:
        target = run.require_object(goal.object_id)
        if not goal.force:
            checks.check_pick(run, target)
        after = run.act("grasping", "PickupObject", objectId=goal.object_id, forceAction=goal.force)
        held = after.snapshot.held_id
        if held != goal.object_id:
            raise SkillError(
                PickError.NO_EFFECT,
                f"The engine accepted PickupObject, but the hand holds {held or 'nothing'}.",
            )
        run.report.object_id = goal.object_id

    return execute("Pick", engine, control, body)


def place(engine: SkillEngine, control: Control, goal: PlaceGoal) -> SkillResult:
    """Put the held object into or onto a receptacle."""

    def body(run: SkillRun) -> None:
        receptacle = run.require_object(goal.receptacle_id, "receptacle_id")
        held = _require_held(run, goal.object_id)
        if not math.isfinite(goal.turn):
            raise run.error("INVALID_GOAL", "turn must be a number of radians.")
        if not goal.force:
            checks.check_place(run, receptacle)
        if goal.turn:
            # Unity turns clockwise. A hand that can't turn is no reason not to place.
            run.attempt("turning", "RotateHeldObject", yaw=-math.degrees(goal.turn))
        after = _put(run, goal).snapshot
        where = _location(after, held)
        run.report.object_id = (held or "") if where else ""
        run.report.receptacle_id = where[0] if where else ""
        if goal.receptacle_id not in where:
            raise SkillError(
                PlaceError.NO_EFFECT,
                f"The engine accepted PutObject, but {held or 'the object'} is "
                f"{_describe(after, held, where)}, not in or on {goal.receptacle_id}.",
            )
        run.report.receptacle_id = goal.receptacle_id

    return execute("Place", engine, control, body)


def _put(run: SkillRun, goal: PlaceGoal) -> StepResult:
    """Put the held object down, overruling the table of receptacle types where that is allowed."""
    target = goal.receptacle_id
    result = run.attempt("placing", "PutObject", objectId=target, forceAction=goal.force)
    if result.success:
        return result
    refusal = run.refusal(result)
    if goal.force or not goal.any_type or refusal.code != PlaceError.TYPE_NOT_ALLOWED:
        raise refusal
    result = run.act("placing", "PutObject", objectId=target, forceAction=True)
    run.report.type_forced = True
    return result


def _require_held(run: SkillRun, object_id: str) -> str | None:
    """Return what the hand holds; fail when the goal names something else."""
    if object_id:
        run.require_object(object_id)
    held = run.state().held_id
    # An empty hand is left to the engine, which has its own words for it.
    if object_id and held not in (None, object_id):
        raise run.error("OTHER_OBJECT_HELD", f"The hand holds {held}, not {object_id}.")
    return held


def _location(snapshot: Snapshot, object_id: str | None) -> tuple[str, ...]:
    """Ids of the receptacles an object is in or on; empty while it is held."""
    obj = snapshot.objects.get(object_id or "")
    return () if obj is None or obj.is_picked_up else obj.parent_receptacles


def _describe(snapshot: Snapshot, object_id: str | None, where: tuple[str, ...]) -> str:
    if snapshot.held_id is not None and snapshot.held_id == object_id:
        return "still in the hand"
    return f"in or on {', '.join(where)}" if where else "nowhere to be found"


def set_open(engine: SkillEngine, control: Control, goal: SetOpenGoal) -> SkillResult:
    """Open an object to a degree, 0 (closed) to 1."""

    def body(run: SkillRun) -> None:
        target = run.require_object(goal.object_id)
        if not 0.0 <= goal.openness <= 1.0:  # false for NaN, too
            raise run.error("INVALID_GOAL", f"openness must be in 0..1, not {goal.openness:g}.")
        run.report.object_id = goal.object_id
        if not goal.force:
            sentence = f"{goal.object_id} can't be opened."
            checks.require_affordance(run, target.openable, "NOT_OPENABLE", sentence)
            checks.require_in_reach(run, target)
        after = run.act(*_opening(goal.openness), **_opening_arguments(goal)).snapshot
        state = after.objects.get(goal.object_id)
        if state is None or not _is_open_as_wanted(state, goal.openness):
            measured = "gone" if state is None else f"open to {state.openness:g}"
            raise SkillError(
                SetOpenError.NO_EFFECT,
                f"The engine accepted the action, but {goal.object_id} is {measured}, "
                f"not {goal.openness:g}.",
            )

    return execute("SetOpen", engine, control, body)


def _opening(openness: float) -> tuple[str, str]:
    return ("opening", "OpenObject") if openness > 0 else ("closing", "CloseObject")


def _opening_arguments(goal: SetOpenGoal) -> dict[str, Any]:
    arguments = {"objectId": goal.object_id, "forceAction": goal.force}
    # Without an openness the engine opens fully.
    return arguments | ({"openness": goal.openness} if 0.0 < goal.openness < 1.0 else {})


def _is_open_as_wanted(state: SnapshotObject, openness: float) -> bool:
    near = abs(state.openness - openness) <= _OPENNESS_TOLERANCE
    return state.is_open == (openness > 0.0) and near


def set_toggled(engine: SkillEngine, control: Control, goal: SetToggledGoal) -> SkillResult:
    """Switch an object on or off."""

    def body(run: SkillRun) -> None:
        target = run.require_object(goal.object_id)
        run.report.object_id = goal.object_id
        if not goal.force:
            sentence = f"{goal.object_id} has no switch."
            checks.require_affordance(run, target.toggleable, "NOT_TOGGLEABLE", sentence)
            checks.require_in_reach(run, target)
        action = "ToggleObjectOn" if goal.toggled else "ToggleObjectOff"
        stage = "switching_on" if goal.toggled else "switching_off"
        after = run.act(
            stage, action, objectId=goal.object_id, forceAction=goal.force
        ).snapshot.objects.get(goal.object_id)
        if after is None or after.is_toggled != goal.toggled:
            state = "gone" if after is None else "still on" if after.is_toggled else "still off"
            raise SkillError(
                SetToggledError.NO_EFFECT,
                f"The engine accepted {action}, but {goal.object_id} is {state}.",
            )

    return execute("SetToggled", engine, control, body)


def slice_object(engine: SkillEngine, control: Control, goal: SliceGoal) -> SkillResult:
    """Cut an object into pieces."""

    def body(run: SkillRun) -> None:
        target = run.require_object(goal.object_id)
        if target.is_sliced:  # the engine would do nothing and say yes
            raise SkillError(
                SliceError.ALREADY_SLICED, f"{goal.object_id} has been cut up already."
            )
        if not goal.force:
            sentence = f"{goal.object_id} can't be cut."
            checks.require_affordance(run, target.sliceable, "NOT_SLICEABLE", sentence)
            # What is in the hand is in reach; that it must not be there is the engine's to say.
            if not target.is_picked_up:
                checks.require_in_reach(run, target)
        before = set(run.state().objects)
        after = run.act(
            "cutting", "SliceObject", objectId=goal.object_id, forceAction=goal.force
        ).snapshot
        state = after.objects.get(goal.object_id)
        run.report.object_id = goal.object_id
        run.report.piece_ids = tuple(key for key in after.objects if key not in before)
        if not run.report.piece_ids and (state is None or not state.is_sliced):
            raise SkillError(
                SliceError.NO_EFFECT,
                f"The engine accepted SliceObject, but {goal.object_id} is still whole.",
            )

    return execute("Slice", engine, control, body)


def release(engine: SkillEngine, control: Control, goal: ReleaseGoal) -> SkillResult:
    """Let go of the held object where the hand is."""

    def body(run: SkillRun) -> None:
        held = _require_held(run, goal.object_id)
        after = run.act("releasing", "DropHandObject", forceAction=goal.force).snapshot
        if after.held_id is not None:
            raise SkillError(
                ReleaseError.NO_EFFECT,
                f"The engine accepted DropHandObject, but the hand still holds {after.held_id}.",
            )
        run.report.object_id = held or ""

    return execute("Release", engine, control, body)
