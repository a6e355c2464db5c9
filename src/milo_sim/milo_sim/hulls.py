"""Outlines of objects seen from above.

The engine takes them around the meshes, which are not on record; here they are around the tightest
box known.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from milo_sim.errors import ActionFailed

if TYPE_CHECKING:
    from milo_sim.world import World

Point = tuple[float, float]


def hull(world: World, object_id: str) -> list[Point] | None:
    """Convex outline of an object as (x, z) points, counter-clockwise; None if it is not there."""
    if object_id not in world.objects:
        raise ActionFailed(f"No object with ID {object_id}")
    if not world.objects[object_id].is_present:
        return None
    corners = world.box(object_id).corners()
    return _convex({(float(x), float(z)) for x, _, z in corners})


def hulls(
    world: World, ids: Collection[str] | None, types: Collection[str] | None
) -> dict[str, list[Point]]:
    """Outlines by object id, of all objects or of those with certain ids or types."""
    if ids is not None and types is not None:
        raise ActionFailed(
            "Only one of objectIds and objectTypes can have a non-null value.",
            exception_type="ArgumentException",
        )
    for key in ids or ():
        if key not in world.objects:
            raise ActionFailed(
                "The given key was not present in the dictionary.",
                exception_type="KeyNotFoundException",
            )
    found = {}
    for key in world.objects if ids is None else ids:
        if types is not None and world.scene_objects[key].object_type not in types:
            continue
        outline = hull(world, key)
        if outline is not None:
            found[key] = outline
    return found


def _convex(points: set[Point]) -> list[Point]:
    """Convex hull by monotone chains (Andrew, 1979)."""
    ordered = sorted(points)
    if len(ordered) < 3:
        return ordered
    lower, upper = _chain(ordered), _chain(ordered[::-1])
    return lower[:-1] + upper[:-1]


def _chain(points: list[Point]) -> list[Point]:
    chain: list[Point] = []
    for point in points:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 1e-12:
            chain.pop()
        chain.append(point)
    return chain


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
