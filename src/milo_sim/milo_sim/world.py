"""The running scene: actions of the AI2-THOR agent on the packaged iTHOR scenes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from milo_sim.errors import ActionFailed
from milo_sim.geometry import Vector
from milo_sim.scene import Scene
from milo_sim.state import (
    AgentState,
    HandPose,
    InteractablePose,
    ObjectState,
    Settings,
    Visibility,
)

__all__ = [
    "ActionFailed",
    "AgentState",
    "HandPose",
    "InteractablePose",
    "ObjectState",
    "Settings",
    "Visibility",
    "World",
]


class World:
    """One scene with its agent. Failed actions raise ActionFailed and change nothing."""

    scene: Scene
    settings: Settings
    agent: AgentState
    objects: dict[str, ObjectState]
    held_id: str | None
    revision: int

    def __init__(self, scene: Scene, settings: Settings | None = None) -> None: ...

    def reset(self, settings: Settings | None = None) -> None: ...

    @property
    def camera_position(self) -> Vector: ...

    def hand_pose(self) -> HandPose: ...

    def distance_to(self, object_id: str) -> float: ...

    def move(
        self, direction: str, magnitude: float | None = None, force: bool = False
    ) -> None: ...

    def rotate(self, degrees: float, force: bool = False) -> None: ...

    def look(self, degrees: float, force: bool = False) -> None: ...

    def teleport(
        self,
        position: Vector | None = None,
        rotation: Vector | float | None = None,
        horizon: float | None = None,
        standing: bool | None = None,
        force: bool = False,
    ) -> None: ...

    def crouch(self) -> None: ...

    def stand(self) -> None: ...

    def reachable_positions(
        self,
        grid_size: float | None = None,
        max_steps: int | None = None,
        directions_relative_agent: bool = False,
    ) -> list[Vector]: ...

    def interactable_poses(
        self,
        object_id: str,
        positions: Sequence[Vector] | None = None,
        rotations: Sequence[float] | None = None,
        horizons: Sequence[float] | None = None,
        standings: Sequence[bool] | None = None,
        max_distance: float | None = None,
        max_poses: int | None = None,
    ) -> list[InteractablePose]: ...

    def visibility(self) -> Mapping[str, Visibility]: ...

    def find_target_at(self, x: float, y: float, force: bool = False) -> str: ...

    def pickup(self, object_id: str, force: bool = False) -> str: ...

    def put(self, receptacle_id: str, force: bool = False, place_stationary: bool = True) -> None: ...

    def drop(self, force: bool = False) -> Vector: ...

    def set_openness(self, object_id: str, openness: float, force: bool = False) -> None: ...
