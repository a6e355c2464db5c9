"""What is where in the mock robot's home, and what the robot knows of it. ROS-free.

Everything is a box in the map frame (REP 103, metres) along the axes.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from milo_core.object_types import OBJECT_TYPES, ObjectType
from milo_core.snapshot import Vector
from milo_core.world_model import ObjectBelief, Provenance
from milo_sim_bridge.mock_robot.home import Home

WALL = 0.02
"""Thickness of the walls of furniture that opens, metres."""
_TINY = 1e-12
GRID = 0.05
"""Spacing of the places that are tried when something is put down, metres."""


@dataclass(frozen=True)
class Box:
    """A box along the axes, by two corners."""

    low: Vector
    high: Vector

    @classmethod
    def around(cls, center: Vector, size: Vector) -> "Box":
        """Return the box with a centre and a size."""
        low = tuple(c - s / 2 for c, s in zip(center, size, strict=True))
        high = tuple(c + s / 2 for c, s in zip(center, size, strict=True))
        return cls((low[0], low[1], low[2]), (high[0], high[1], high[2]))

    def overlaps(self, other: "Box") -> bool:
        """Whether the insides of two boxes meet."""
        return all(
            a < d - 1e-9 and c < b - 1e-9
            for a, b, c, d in zip(self.low, self.high, other.low, other.high, strict=True)
        )

    def floor_distance(self, x: float, y: float) -> float:
        """Metres on the floor from a point to the nearest point of the box."""
        dx = max(self.low[0] - x, 0.0, x - self.high[0])
        dy = max(self.low[1] - y, 0.0, y - self.high[1])
        return math.hypot(dx, dy)


@dataclass
class Item:
    """One object."""

    item_id: str
    type: str
    center: Vector
    size: Vector
    front: str = ""
    """Side with the door, e.g. `-x`; empty: it can be picked up."""
    parent: str = ""
    """The furniture it is in or on; empty: on the floor or in the hand."""
    is_open: bool = False
    openness: float = 0.0
    is_on: bool = False
    is_sliced: bool = False
    known: bool = True
    """The robot knows that it exists."""
    seen: float | None = None
    """Seconds of the clock when it was last seen; None: only the home file says so."""

    @property
    def kind(self) -> ObjectType:
        """The facts of its type."""
        return OBJECT_TYPES[self.type]

    @property
    def box(self) -> Box:
        """Its extent."""
        return Box.around(self.center, self.size)

    @property
    def container(self) -> bool:
        """Things go into it, through a door."""
        return bool(self.front) and self.kind.receptacle_kind == "in"

    @property
    def surface(self) -> bool:
        """Things go onto it."""
        return bool(self.front) and self.kind.receptacle_kind == "on"

    def solids(self) -> list[Box]:
        """What stops a look: the box, or the walls of an open container without its door."""
        if not (self.container and self.is_open):
            return [self.box]
        return [wall for side, wall in self._walls() if side != self.front]

    def _walls(self) -> Iterator[tuple[str, Box]]:
        low, high = self.box.low, self.box.high
        for axis, name in enumerate("xyz"):
            for sign in ("-", "+"):
                a, b = list(low), list(high)
                if sign == "-":
                    b[axis] = low[axis] + WALL
                else:
                    a[axis] = high[axis] - WALL
                yield sign + name, Box((a[0], a[1], a[2]), (b[0], b[1], b[2]))


@dataclass
class State:
    """All objects, and what the hand holds."""

    items: dict[str, Item]
    held: str = ""

    @classmethod
    def of(cls, home: Home) -> "State":
        """Return the state in which a home begins; what is behind doors is not known yet."""
        items: dict[str, Item] = {}
        for piece in home.furniture:
            items[piece.id] = Item(piece.id, piece.type, piece.center, piece.size, piece.front)
        for thing in home.things:
            place = items[thing.place]
            inside = place.container
            bottom = place.box.low[2] + WALL if inside else place.box.high[2]
            center = (
                place.center[0] + thing.at[0],
                place.center[1] + thing.at[1],
                bottom + thing.size[2] / 2,
            )
            items[thing.id] = Item(
                thing.id, thing.type, center, thing.size, parent=place.item_id, known=not inside
            )
        return cls(items)

    @property
    def furniture(self) -> list[Item]:
        """What stands on the floor for good."""
        return [item for item in self.items.values() if item.front]

    def contents(self, item_id: str) -> list[Item]:
        """What is in or on a piece of furniture."""
        return [item for item in self.items.values() if item.parent == item_id]

    def is_shut_in(self, item: Item) -> bool:
        """Whether it is behind a closed door."""
        parent = self.items.get(item.parent)
        return parent is not None and parent.container and not parent.is_open

    def solids(self) -> list[tuple[Item, Box]]:
        """Everything that can be seen, with its owner."""
        return [
            (item, box)
            for item in self.items.values()
            if not self.is_shut_in(item) and not item.is_sliced
            for box in item.solids()
        ]

    def free_place(self, item: Item, place: Item, near: tuple[float, float]) -> Vector | None:
        """Return the centre of the free place nearest to a point of the floor; None: no room."""
        low, high = place.box.low, place.box.high
        margin = WALL if place.container else 0.0
        bottom = low[2] + WALL if place.container else high[2]
        center_z = bottom + item.size[2] / 2
        if place.container and center_z + item.size[2] / 2 > high[2] - WALL:
            return None
        axes = [
            np.arange(
                low[axis] + margin + item.size[axis] / 2,
                high[axis] - margin - item.size[axis] / 2 + 1e-9,
                GRID,
            )
            for axis in (0, 1)
        ]
        others = [o.box for o in self.contents(place.item_id) if not o.is_sliced]
        places = [(float(x), float(y), center_z) for x in axes[0] for y in axes[1]]
        places.sort(key=lambda p: math.hypot(p[0] - near[0], p[1] - near[1]))
        for center in places:
            box = Box.around(center, item.size)
            if not any(box.overlaps(other) for other in others):
                return center
        return None

    def cut(self, item: Item) -> list[str]:
        """Replace an object by pieces, side by side along its longest side; return their ids."""
        assert item.kind.slices is not None
        piece_type, number = item.kind.slices
        axis = max((0, 1), key=lambda a: item.size[a])
        size = list(item.size)
        size[axis] /= number
        pieces = []
        for index in range(number):
            center = list(item.center)
            center[axis] = item.box.low[axis] + (index + 0.5) * size[axis]
            piece = Item(
                f"{item.item_id}_slice_{index + 1}",
                piece_type,
                (center[0], center[1], center[2]),
                (size[0], size[1], size[2]),
                parent=item.parent,
                seen=item.seen,
            )
            self.items[piece.item_id] = piece
            pieces.append(piece.item_id)
        item.is_sliced = True
        item.parent = ""
        return pieces

    def beliefs(self, robot: Vector, visible: Mapping[str, bool]) -> list[ObjectBelief]:
        """Return what the robot knows.

        Args:
            robot: position of base_link.
            visible: whether each known object is in sight.
        """
        found = []
        for item in self.items.values():
            if not item.known:
                continue
            contents = tuple(o.item_id for o in self.contents(item.item_id) if o.known)
            found.append(self._belief(item, robot, visible.get(item.item_id, False), contents))
        return found

    def _belief(
        self, item: Item, robot: Vector, visible: bool, contents: tuple[str, ...]
    ) -> ObjectBelief:
        kind = item.kind
        bottom = item.box.low[2]
        return ObjectBelief(
            object_id=item.item_id,
            object_type=item.type,
            position=(item.center[0], item.center[1], bottom),
            box_center=item.center,
            box_size=item.size,
            distance=math.dist(robot, (item.center[0], item.center[1], bottom)),
            receptacle=item.container or item.surface,
            pickupable=kind.pickupable and not item.is_sliced,
            openable=item.container,
            toggleable=kind.toggleable,
            sliceable=kind.slices is not None,
            visible=visible,
            is_open=item.is_open if item.container else None,
            openness=item.openness if item.container else math.nan,
            is_picked_up=item.item_id == self.held,
            is_toggled=item.is_on if kind.toggleable else None,
            is_sliced=item.is_sliced if kind.slices is not None else None,
            parent_receptacles=(item.parent,) if item.parent else (),
            receptacle_object_ids=contents,
            provenance=Provenance.ASSUMED if item.seen is None else Provenance.SENSED,
            observed=item.seen or 0.0,
        )


def hit_distances(
    origin: Vector, directions: NDArray[np.float64], boxes: list[Box]
) -> NDArray[np.float64]:
    """Return how far rays go until they enter a box from outside (the slab method).

    Args:
        origin: where all rays begin.
        directions: (N, 3), of any length.
        boxes: B boxes.

    Returns:
        (B, N) multiples of the directions; infinite where a ray misses.
    """
    # A ray along a plane of the box never crosses it; a tiny slope keeps 0 / 0 away.
    slopes = 1.0 / np.where(np.abs(directions) < _TINY, _TINY, directions).T
    low = np.array([box.low for box in boxes]) - np.array(origin)
    high = np.array([box.high for box in boxes]) - np.array(origin)
    enter = np.full((len(boxes), len(directions)), -np.inf)
    leave = np.full_like(enter, np.inf)
    for axis, slope in enumerate(slopes):
        a, b = low[:, axis, None] * slope, high[:, axis, None] * slope
        np.maximum(enter, np.minimum(a, b), out=enter)
        np.minimum(leave, np.maximum(a, b), out=leave)
    enter[(enter > leave) | (enter <= 0)] = np.inf
    return enter
