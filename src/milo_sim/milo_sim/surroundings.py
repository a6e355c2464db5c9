"""All boxes and visibility points of a scene as arrays, kept up to date object by object."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from milo_sim.geometry import BoolArray, FloatArray, IndexArray, stack
from milo_sim.solids import TRANSPARENT_TYPES

if TYPE_CHECKING:
    from milo_sim.world import World


class Occluders(NamedTuple):
    """Solid boxes: ``stack`` arrays and, for each box, its owner's index and kind."""

    boxes: tuple[FloatArray, FloatArray, FloatArray]
    owners: IndexArray
    glass: BoolArray
    pickupable: BoolArray

    def only(self, keep: BoolArray) -> Occluders:
        """The boxes for which ``keep`` is true."""
        centers, axes, half = self.boxes
        return Occluders(
            (centers[keep], axes[keep], half[keep]),
            self.owners[keep],
            self.glass[keep],
            self.pickupable[keep],
        )


class Surroundings:
    """Arrays over the n objects of a world.

    Attributes:
        ids: Object ids in the world's order; an owner's index is its place here.
        index: Place of each id.
        low: Least corners (n, 3) of the axis-aligned boxes.
        high: Greatest corners (n, 3).
        present: Which objects are there at all (n,).
        points: Visibility points (m, 3) of all objects.
        point_owners: Owner of each point (m,).
        occluders: All solid boxes.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self.refresh()

    def refresh(self) -> None:
        """Follow the world's changes since the last call."""
        world = self._world
        self.ids: list[str] = list(world.objects)
        self.index = {key: i for i, key in enumerate(self.ids)}
        self._states = list(world.objects.values())
        self._seen = [state.revision for state in self._states]
        self._read_boxes(range(len(self.ids)))
        self._read_shapes()

    def update(self) -> None:
        """As ``refresh``, but only for changed objects; the set of objects must be the same."""
        seen = self._seen
        changed = [i for i, state in enumerate(self._states) if state.revision != seen[i]]
        if not changed:
            return
        self._read_boxes(changed)
        for i in changed:
            seen[i] = self._states[i].revision
            if not self._replace_shapes(i):
                self._read_shapes()
                return

    def _read_boxes(self, indices: Iterable[int]) -> None:
        if not hasattr(self, "low") or len(self.low) != len(self.ids):
            self.low: FloatArray = np.zeros((len(self.ids), 3))
            self.high: FloatArray = np.zeros((len(self.ids), 3))
            self.present: BoolArray = np.zeros(len(self.ids), dtype=np.bool_)
        for i in indices:
            state = self._states[i]
            center, half = np.array(state.aabb_center), np.array(state.aabb_size) / 2
            self.low[i], self.high[i] = center - half, center + half
            self.present[i] = state.is_present

    def _read_shapes(self) -> None:
        """Collect the solid boxes and the points of all objects."""
        world = self._world
        parts = [world.solid_parts(key) for key in self.ids]
        points = [world.visibility_points(key) for key in self.ids]
        self._box_starts = np.cumsum([0, *(len(p) for p in parts)])
        self._point_starts = np.cumsum([0, *(len(p) for p in points)])
        self.points = np.concatenate(points) if points else np.zeros((0, 3))
        everyone = np.arange(len(self.ids))
        self.point_owners: IndexArray = np.repeat(everyone, np.diff(self._point_starts))
        owners: IndexArray = np.repeat(everyone, np.diff(self._box_starts))
        kinds = [world.scene_objects[key] for key in self.ids]
        glass = np.array([kind.object_type in TRANSPARENT_TYPES for kind in kinds], dtype=np.bool_)
        pickupable = np.array([kind.has("pickupable") for kind in kinds], dtype=np.bool_)
        self.occluders = Occluders(
            stack([box for part in parts for box in part]),
            owners,
            glass[owners],
            pickupable[owners],
        )

    def _replace_shapes(self, i: int) -> bool:
        """Overwrite one object's boxes and points; False if their number has changed."""
        world, key = self._world, self.ids[i]
        parts, points = world.solid_parts(key), world.visibility_points(key)
        box_row, point_row = self._box_starts[i], self._point_starts[i]
        if len(parts) != self._box_starts[i + 1] - box_row:
            return False
        if len(points) != self._point_starts[i + 1] - point_row:
            return False
        self.points[point_row : point_row + len(points)] = points
        centers, axes, half = self.occluders.boxes
        for row, box in enumerate(parts, start=box_row):
            centers[row], axes[row], half[row] = box.center, box.axes, box.half
        return True
