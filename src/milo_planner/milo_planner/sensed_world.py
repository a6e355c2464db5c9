"""The world as a driver's own observations tell it (`world_source: sensed`)."""

import math
from collections.abc import Iterable

from milo_msgs.msg import ObjectState, WorldState
from milo_ros.conversions import seconds

WORLD_SOURCE = "sensed"


class SensedWorld:
    """Folds the messages of `object_states` into what is believed.

    An object that a message leaves out is still believed to be where it was last seen; only a new
    episode forgets. An older observation never replaces a newer one. Facts that claim to be
    simulator truth are no observations and are left out.
    """

    def __init__(self) -> None:
        self._objects: dict[str, ObjectState] = {}
        self._episode: int | None = None
        self.refused: set[str] = set()
        """Ids of the objects whose facts claimed to be simulator truth."""

    def fold(self, message: WorldState) -> WorldState:
        """Take over a message's facts; returns all that is believed now."""
        if message.episode != self._episode:
            self._episode = message.episode
            self._objects = {}
        for fact in message.objects:
            if fact.provenance == ObjectState.PROVENANCE_SIMULATED:
                self.refused.add(fact.object_id)
                continue
            known = self._objects.get(fact.object_id)
            if known is None or seconds(fact.observed) >= seconds(known.observed):
                self._objects[fact.object_id] = fact
        robot = message.robot_pose.position
        return WorldState(
            header=message.header,
            step=message.step,
            episode=message.episode,
            scene=message.scene,
            world_source=WORLD_SOURCE,
            robot_pose=message.robot_pose,
            held_object_id=message.held_object_id,
            objects=_measured(self._objects.values(), (robot.x, robot.y, robot.z)),
        )


def _measured(
    objects: Iterable[ObjectState], robot: tuple[float, float, float]
) -> list[ObjectState]:
    """Bring the distances up to date: the robot moves, also while it sees nothing."""
    found = []
    for obj in objects:
        at = obj.pose.position
        obj.distance = math.dist(robot, (at.x, at.y, at.z))
        found.append(obj)
    return found
