"""What to do about a refused step; the same for every planner that recovers.

In this order: turn the object in the hand, take another pose, take another instance (nearest
first); when nothing is left the sub-goal is given up, the object is put back where it came from or
on a free surface, and what was opened is closed; what can't be closed is given up and stays open.
Whatever was refused is remembered for the rest of the task. A refusal that only says that the world
differs from what was believed is answered by planning anew.
"""

import math
from collections import Counter
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

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
from milo_planner.execution import StepRecord
from milo_planner.memory import Memory, Refusal


class RecoveryKind(StrEnum):
    """What was done; values as in Recovery.msg."""

    OTHER_POSE = "other_pose"
    OTHER_INSTANCE = "other_instance"
    OTHER_ORIENTATION = "other_orientation"
    PUT_BACK = "put_back"
    REPLAN = "replan"
    GIVE_UP = "give_up"


@dataclass(frozen=True)
class RecoveryRecord:
    """One recovery, for the records."""

    sub_goal: int
    kind: RecoveryKind
    reason: str
    action: str = ""
    """That was refused; empty: none."""
    object_id: str = ""
    receptacle_id: str = ""
    error_code: int = 0


@dataclass(frozen=True)
class RecoveryLimits:
    """How much is tried."""

    poses: int = 3
    """Poses from which a thing is handled before it counts as unreachable."""
    room_poses: int = 2
    """Poses from which a place is looked for on one receptacle."""
    orientations: int = 2
    """Orientations in which an object is placed from one pose."""
    surprises: int = 3
    """How often the same step may find the world different before the instance is refused."""


THOROUGH = RecoveryLimits(poses=8, room_poses=4, orientations=4, surprises=5)

_SURPRISES: frozenset[IntEnum] = frozenset(
    {
        PickError.HAND_FULL,
        PickError.CONTAINER_CLOSED,
        PlaceError.RECEPTACLE_CLOSED,
        PlaceError.HAND_EMPTY,
        PlaceError.OTHER_OBJECT_HELD,
        SetOpenError.TARGET_ON,
        SetToggledError.ALREADY_IN_STATE,
        SetToggledError.TARGET_OPEN,
        SliceError.ALREADY_SLICED,
        SliceError.TARGET_IN_HAND,
        ReleaseError.HAND_EMPTY,
        ReleaseError.OTHER_OBJECT_HELD,
        RunTaskError.PRECONDITION_FAILED,
    }
)
"""The world is not as it was believed to be; a new observation puts that right."""
_NO_ROOM: frozenset[IntEnum] = frozenset(
    {
        PlaceError.NO_VALID_PLACEMENT,
        PlaceError.RECEPTACLE_FULL,
        PlaceError.TYPE_NOT_ALLOWED,
        PlaceError.NO_EFFECT,
        PlaceError.UNKNOWN,
    }
)
_HOPELESS: frozenset[IntEnum] = frozenset(
    {
        NavigateToError.OBJECT_NOT_FOUND,
        NavigateToError.UNREACHABLE,
        NavigateToError.NO_INTERACTABLE_POSE,
        NavigateToError.MODE_UNSUPPORTED,
        PickError.OBJECT_NOT_FOUND,
        PickError.NOT_PICKUPABLE,
        PlaceError.OBJECT_NOT_FOUND,
        PlaceError.NOT_A_RECEPTACLE,
        SetOpenError.OBJECT_NOT_FOUND,
        SetOpenError.NOT_OPENABLE,
        SetToggledError.OBJECT_NOT_FOUND,
        SetToggledError.NOT_TOGGLEABLE,
        SetToggledError.CONTROLLED_BY_OTHER,
        SetToggledError.BROKEN,
        SliceError.OBJECT_NOT_FOUND,
        SliceError.NOT_SLICEABLE,
        LookAtError.OBJECT_NOT_FOUND,
    }
)
"""No pose helps; only another instance can."""


@dataclass
class RecoveryPolicy:
    """Answers refusals by changing what the agent remembers, so that it decides otherwise."""

    memory: Memory
    limits: RecoveryLimits = RecoveryLimits()
    _attempts: Counter[tuple[str, str, str, str]] = field(default_factory=Counter, init=False)

    def respond(self, step: StepRecord, *, tidying: bool = False) -> RecoveryRecord:
        """Remember a refused step and return what follows from it.

        Args:
            step: with its code and message.
            tidying: it was only to close what the agent opened, for which there is no other
                instance.
        """
        code = step.error_code
        self.memory.refusals.append(
            Refusal(step.action, step.object_id, step.receptacle_id, code, step.error_msg)
        )
        if code in _SURPRISES:
            kind = self._surprise(step)
        elif step.action == "place" and code in _NO_ROOM:
            kind = self._no_room(step)
        elif code in _HOPELESS:
            kind = self._refuse(step)
        else:
            kind = self._other_pose(step)
        if tidying and kind is RecoveryKind.OTHER_INSTANCE:
            kind = RecoveryKind.GIVE_UP
        return RecoveryRecord(
            step.sub_goal,
            kind,
            step.error_msg,
            step.action,
            step.object_id,
            step.receptacle_id,
            code,
        )

    def _count(self, step: StepRecord, what: str) -> int:
        key = (what, step.action, step.object_id, step.receptacle_id)
        self._attempts[key] += 1
        return self._attempts[key]

    def _handled(self, step: StepRecord) -> str:
        """Return the instance that the robot has to stand at for a step."""
        return step.receptacle_id or step.object_id

    def _surprise(self, step: StepRecord) -> RecoveryKind:
        if self._count(step, "surprise") > self.limits.surprises:
            return self._refuse(step)
        return RecoveryKind.REPLAN

    def _no_room(self, step: StepRecord) -> RecoveryKind:
        pair = (step.object_id, step.receptacle_id)
        attempts = self._count(step, "room")
        if attempts % self.limits.orientations:
            self.memory.turns[pair] = attempts % self.limits.orientations * math.pi / 2
            return RecoveryKind.OTHER_ORIENTATION
        self.memory.turns.pop(pair, None)
        if attempts < self.limits.orientations * self.limits.room_poses:
            self.memory.exclude(step.receptacle_id, step.action)
            return RecoveryKind.OTHER_POSE
        self.memory.no_room.add(pair)
        return RecoveryKind.OTHER_INSTANCE

    def _other_pose(self, step: StepRecord) -> RecoveryKind:
        handled = self._handled(step)
        if self._count(step, "pose") >= self.limits.poses:
            return self._refuse(step)
        self.memory.exclude(handled, step.action)
        return RecoveryKind.OTHER_POSE

    def _refuse(self, step: StepRecord) -> RecoveryKind:
        """Give the instance up for which the step was taken."""
        handled = self._handled(step)
        if step.action == "place" and (step.object_id, handled) not in self.memory.no_room:
            # The receptacle may be fine for something else, but not for this from anywhere.
            self.memory.no_room.add((step.object_id, handled))
        elif step.action == "navigate" and self._room_was_missing(handled):
            # Every pose was tried because nothing fitted; there is no other one.
            self.memory.no_room.update((held, r) for held, r in self._asked(handled))
        else:
            self.memory.unreachable.add(handled)
        return RecoveryKind.OTHER_INSTANCE

    def _asked(self, receptacle_id: str) -> list[tuple[str, str]]:
        return [
            (refusal.object_id, refusal.receptacle_id)
            for refusal in self.memory.refusals
            if refusal.action == "place" and refusal.receptacle_id == receptacle_id
        ]

    def _room_was_missing(self, receptacle_id: str) -> bool:
        return bool(self._asked(receptacle_id)) and bool(
            self.memory.excluded_poses.get((receptacle_id, "place"))
        )
