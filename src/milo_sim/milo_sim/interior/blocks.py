"""Solids made of boxes along the axes: taking boxes out of others, and the skin of what is left."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from milo_sim.appearance.parts import FloatArray

BoolArray = npt.NDArray[np.bool_]
Bounds = tuple[FloatArray, FloatArray]
"""Lowest and highest corner (3,) of a box."""

_THIN = 1e-4


def rectangles(cells: BoolArray) -> list[tuple[int, int, int, int]]:
    """Cover the true cells of a grid by few rectangles (i0, i1, j0, j1), ends excluded."""
    left = cells.copy()
    found = []
    for i0 in range(left.shape[0]):
        for j0 in np.flatnonzero(left[i0]).tolist():
            if not left[i0, j0]:
                continue
            free = np.flatnonzero(~left[i0, j0:])
            j1 = j0 + int(free[0]) if len(free) else left.shape[1]
            i1 = i0 + 1
            while i1 < left.shape[0] and left[i1, j0:j1].all():
                i1 += 1
            left[i0:i1, j0:j1] = False
            found.append((i0, i1, j0, j1))
    return found


def difference_skin(solids: Sequence[Bounds], holes: Sequence[Bounds]) -> FloatArray:
    """Skin of the union of boxes less other boxes: (n, 4, 3) corners of rectangles.

    Corners run so that (b - a) x (c - a), computed from the numbers as they are, points outward.
    """
    if not solids:
        return np.zeros((0, 4, 3))
    low = np.min([s[0] for s in solids], axis=0)
    high = np.max([s[1] for s in solids], axis=0)
    near = [h for h in holes if np.all(h[0] < high) and np.all(h[1] > low)]
    edges = [_edges([*solids, *near], axis, low[axis], high[axis]) for axis in range(3)]
    filled = np.zeros([len(e) - 1 for e in edges], dtype=np.bool_)
    for bounds in solids:
        filled[_inside(edges, bounds)] = True
    for bounds in near:
        filled[_inside(edges, bounds)] = False
    return _skin(filled, edges)


def _edges(boxes: Sequence[Bounds], axis: int, low: float, high: float) -> FloatArray:
    values = np.sort(np.clip([b[axis] for box in boxes for b in box], low, high))
    # Edges that nearly agree are one: slivers cost triangles and show nothing.
    return values[np.r_[True, np.diff(values) > _THIN]]


def _inside(edges: Sequence[FloatArray], bounds: Bounds) -> tuple[slice, ...]:
    return tuple(
        slice(
            int(np.searchsorted(e, bounds[0][axis] - _THIN)),
            int(np.searchsorted(e, bounds[1][axis] - _THIN)),
        )
        for axis, e in enumerate(edges)
    )


def _skin(filled: BoolArray, edges: Sequence[FloatArray]) -> FloatArray:
    quads = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        cells = filled.transpose(axis, u, v)
        padded = np.pad(cells, ((1, 1), (0, 0), (0, 0)))
        for sign, exposed in ((1, padded[:-1] & ~padded[1:]), (-1, padded[1:] & ~padded[:-1])):
            for layer in np.flatnonzero(exposed.any(axis=(1, 2))).tolist():
                for u0, u1, v0, v1 in rectangles(exposed[layer]):
                    corners = [(u0, v0), (u1, v0), (u1, v1), (u0, v1)][::sign]
                    quad = np.empty((4, 3))
                    quad[:, axis] = edges[axis][layer]
                    quad[:, u] = [edges[u][i] for i, _ in corners]
                    quad[:, v] = [edges[v][j] for _, j in corners]
                    quads.append(quad)
    return np.array(quads).reshape(-1, 4, 3)
