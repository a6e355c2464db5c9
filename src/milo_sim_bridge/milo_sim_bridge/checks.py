"""What the bridge itself checks before it acts on a goal that is not forced.

A failed check has a numbered code and one sentence, and no engine action is taken. What passes is
left to the engine, which may still refuse (an object behind glass is visible, but out of reach).
"""

import math

from milo_core.error_codes import CODES_OF_ACTION, PickError, PlaceError
from milo_core.snapshot import Snapshot, SnapshotObject
from milo_sim_bridge.skill_run import SkillError, SkillRun


def floor_gap(snapshot: Snapshot, target: SnapshotObject) -> float:
    """Return the metres on the floor between the robot's centre and an object's box."""
    x, _, z = snapshot.agent_position
    gaps = (
        max(abs(here - centre) - size / 2, 0.0)
        for here, centre, size in (
            (x, target.box_center[0], target.box_size[0]),
            (z, target.box_center[2], target.box_size[2]),
        )
    )
    return math.hypot(*gaps)


def is_shut(container: SnapshotObject) -> bool:
    """Return whether nothing can be taken out of or put into a container because it is closed.

    Whatever can be opened counts as a container, but for a toilet: things lie on its cistern, and
    its lid doesn't matter to the engine.
    """
    return container.openable and not container.is_open and container.object_type != "Toilet"


def closed_container(snapshot: Snapshot, target: SnapshotObject) -> SnapshotObject | None:
    """Return the closed container in which an object is; None: it lies open."""
    parents = (snapshot.objects.get(parent) for parent in target.parent_receptacles)
    return next((parent for parent in parents if parent is not None and is_shut(parent)), None)


def require_in_reach(run: SkillRun, target: SnapshotObject) -> None:
    """Fail with TOO_FAR or NOT_VISIBLE unless the object is in sight within the arm's reach.

    AI2-THOR's flag `visible` means both; where it is false the distance tells which is missing.
    """
    if target.visible:
        return
    gap = floor_gap(run.state(), target)
    codes = CODES_OF_ACTION[run.action]
    if gap > run.reach:
        raise SkillError(
            codes["TOO_FAR"],
            f"{target.object_id} is {gap:.2f} m away, and the arm reaches {run.reach:g} m; "
            "navigate to it first.",
        )
    raise SkillError(
        codes["NOT_VISIBLE"],
        f"{target.object_id} is {gap:.2f} m away, but not in sight; navigate to it first.",
    )


def require_affordance(run: SkillRun, affords: bool, code: str, sentence: str) -> None:
    """Fail with a code of the action unless the object affords it."""
    if not affords:
        raise SkillError(CODES_OF_ACTION[run.action][code], sentence)


def check_pick(run: SkillRun, target: SnapshotObject) -> None:
    """Check that an object can be taken: it affords that, the hand is free, nothing shuts it in."""
    state = run.state()
    require_affordance(
        run, target.pickupable, "NOT_PICKUPABLE", f"{target.object_id} can't be picked up."
    )
    if state.held_id is not None:
        raise SkillError(
            PickError.HAND_FULL, f"The hand holds {state.held_id}; put that down first."
        )
    container = closed_container(state, target)
    if container is not None:
        raise SkillError(
            PickError.CONTAINER_CLOSED,
            f"{target.object_id} is in {container.object_id}, which is closed; open that first.",
        )
    require_in_reach(run, target)


def check_place(run: SkillRun, receptacle: SnapshotObject) -> None:
    """Check that something is held and that the receptacle can take it now."""
    if run.state().held_id is None:
        raise SkillError(PlaceError.HAND_EMPTY, "The hand holds nothing to place.")
    require_affordance(
        run, receptacle.receptacle, "NOT_A_RECEPTACLE", f"{receptacle.object_id} takes no objects."
    )
    if is_shut(receptacle):
        raise SkillError(
            PlaceError.RECEPTACLE_CLOSED, f"{receptacle.object_id} is closed; open it first."
        )
    require_in_reach(run, receptacle)
