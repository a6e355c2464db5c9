"""Where a room's walls stand: its plan, found from what is on record.

Walls are not simulator objects, so nothing is known of them but what they enclose: the free cells
of the agent and the objects. The plan is the rectangle around all of it, less corners in which
there is nothing at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from milo_sim.appearance.parts import FloatArray
from milo_sim.interior.blocks import BoolArray, rectangles

CELL = 0.05
"""Wanted side of a cell of the plan [m]."""
_AGENT_SPACE = 0.3
"""What a free agent cell proves to be room around it [m]."""
_BRIDGE = 0.6
"""Gaps up to this width between known spots belong to the room [m]."""
_LEAST_CORNER = 1.0
"""Side of the smallest square that is cut off the rectangle [m]."""
_LEAST_BORDER = 0.2
"""A corner that is cut off lies at the rectangle's edge with this share of its circumference; what
lies there less is the inside of something, such as a shower."""
_MARGIN = 0.01


@dataclass(frozen=True, eq=False, slots=True)
class Outline:
    """Plan of a room.

    Attributes:
        origin: (x, z) of the corner of cell (0, 0) [m].
        cell: (x, z) sides of a cell [m].
        inside: (nx, nz) cells that belong to the room.
    """

    origin: FloatArray
    cell: FloatArray
    inside: BoolArray

    def floor(self) -> FloatArray:
        """Rectangles (n, 4) x0, x1, z0, z1 that cover the room [m]."""
        found = np.array(rectangles(self.inside), dtype=np.float64).reshape(-1, 4)
        return found * self.cell[[0, 0, 1, 1]] + self.origin[[0, 0, 1, 1]]

    def walls(self) -> FloatArray:
        """Lines (n, 2, 2) of (x, z) points; the room is to the right of each when seen from above,
        x to the right and z up [m].
        """
        lines = []
        padded = np.pad(self.inside, 1)
        for axis in (0, 1):
            cells = padded if axis == 0 else padded.T
            for sign in (1, -1):
                edge = cells[:-1] & ~cells[1:] if sign > 0 else cells[1:] & ~cells[:-1]
                for layer, start, end in _runs(edge):
                    a, b = np.zeros(2), np.zeros(2)
                    a[axis] = b[axis] = layer
                    a[1 - axis], b[1 - axis] = start - 1, end - 1
                    forward = (sign > 0) == (axis == 1)
                    lines.append((a, b) if forward else (b, a))
        return np.array(lines).reshape(-1, 2, 2) * self.cell + self.origin


def room_outline(cells: FloatArray, footprints: FloatArray) -> Outline:
    """Plan of a room from free agent cells (n, 2) and objects' footprints (m, 4) x0, x1, z0, z1."""
    spots = np.concatenate(
        [
            footprints,
            np.column_stack([cells[:, i // 2] + (-1, 1)[i % 2] * _AGENT_SPACE for i in range(4)]),
        ]
    )
    if not len(spots):
        raise ValueError("A room needs a free cell or an object.")
    low = spots[:, [0, 2]].min(axis=0) - _MARGIN
    high = spots[:, [1, 3]].max(axis=0) + _MARGIN
    shape = np.maximum(np.rint((high - low) / CELL), 1).astype(int)
    cell = (high - low) / shape
    known = np.zeros(shape, dtype=np.bool_)
    index = np.rint((spots - low[[0, 0, 1, 1]]) / cell[[0, 0, 1, 1]]).astype(int)
    for x0, x1, z0, z1 in index.tolist():
        known[max(x0, 0) : max(x1, x0 + 1), max(z0, 0) : max(z1, z0 + 1)] = True
    reach = round(_BRIDGE / CELL / 2)
    bridged = _eroded(_grown(np.pad(known, reach), reach), reach)[reach:-reach, reach:-reach]
    side = round(_LEAST_CORNER / CELL / 2)
    # Only what is a square wide is cut off: between a bare wall and the agent's last cell there is
    # nothing on record either.
    outside = np.pad(~(bridged | known), 2 * side)
    corner = _grown(_eroded(outside, side), side)[2 * side : -2 * side, 2 * side : -2 * side]
    kept = np.zeros_like(corner)
    for block in _blocks(corner):
        if _border_share(block) >= _LEAST_BORDER:
            kept |= block
    return Outline(low, cell, ~kept)


def _blocks(cells: BoolArray) -> Iterator[BoolArray]:
    """Connected groups of true cells."""
    left = cells.copy()
    while left.any():
        group = np.zeros_like(left)
        group[np.unravel_index(int(np.argmax(left)), left.shape)] = True
        while (spread := _grown(group, 1) & left).sum() > group.sum():
            group = spread
        left &= ~group
        yield group


def _border_share(block: BoolArray) -> float:
    """Share of a group's circumference that lies on the border of the grid."""
    padded = np.pad(block, 1)
    around = sum(int((np.diff(padded.astype(np.int8), axis=axis) != 0).sum()) for axis in (0, 1))
    border = sum(int(edge.sum()) for edge in (block[0], block[-1], block[:, 0], block[:, -1]))
    return border / around


def free_of_cells(
    low: FloatArray, high: FloatArray, cells: FloatArray, space: float, least: float
) -> list[tuple[float, float, float, float]]:
    """Rectangles x0, x1, z0, z1 that cover a rectangle less a square around each agent cell.

    ``low`` and ``high`` are (x, z) corners, ``cells`` (n, 2), ``space`` half a square's side [m];
    what is left narrower than ``least`` metres is left out.
    """
    shape = np.maximum(np.rint((high - low) / CELL), 1).astype(int)
    cell = (high - low) / shape
    left = np.ones(shape, dtype=np.bool_)
    bounds = np.concatenate([cells - space, cells + space], axis=1)
    index = np.rint((bounds - np.tile(low, 2)) / np.tile(cell, 2)).astype(int).clip(0)
    for x0, z0, x1, z1 in index.tolist():
        left[x0:x1, z0:z1] = False
    reach = int(least / CELL / 2)
    left = _grown(_eroded(left, reach), reach)
    found = np.array(rectangles(left), dtype=np.float64).reshape(-1, 4)
    return [
        (x0, x1, z0, z1)
        for x0, x1, z0, z1 in (found * cell[[0, 0, 1, 1]] + low[[0, 0, 1, 1]]).tolist()
    ]


def _grown(cells: BoolArray, reach: int) -> BoolArray:
    """Cells with a true one within ``reach`` along both axes."""
    return _count(cells, reach) > 0


def _eroded(cells: BoolArray, reach: int) -> BoolArray:
    """Cells with none but true ones within ``reach`` along both axes; the border counts as true."""
    return ~_grown(~cells, reach)


def _count(cells: BoolArray, reach: int) -> npt.NDArray[np.int64]:
    """How many true cells lie within ``reach`` along both axes."""
    sums = cells.astype(np.int64)
    for axis in (0, 1):
        padded = np.pad(sums, [(reach + 1, reach) if a == axis else (0, 0) for a in (0, 1)])
        total = padded.cumsum(axis=axis)
        size = sums.shape[axis]
        upper = np.take(total, range(2 * reach + 1, 2 * reach + 1 + size), axis=axis)
        sums = upper - np.take(total, range(size), axis=axis)
    return sums


def _runs(edge: BoolArray) -> list[tuple[int, int, int]]:
    """Runs of true values in each row: (row, first, end)."""
    found = []
    for row in np.flatnonzero(edge.any(axis=1)).tolist():
        steps = np.flatnonzero(np.diff(np.pad(edge[row].astype(np.int8), 1)))
        found += [(row, int(a), int(b)) for a, b in zip(steps[::2], steps[1::2], strict=True)]
    return found
