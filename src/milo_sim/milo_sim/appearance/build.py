"""From an object type, a box and a state to its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from milo_sim.appearance import (
    appliances,
    bathroom,
    electronics,
    fittings,
    food,
    joinery,
    leisure,
    seating,
    tables,
    things,
    utensils,
    vessels,
)
from milo_sim.appearance.look import Builder, Look
from milo_sim.appearance.parts import Part, Vector

_FLAGS = (
    "isBroken",
    "isCooked",
    "isDirty",
    "isFilledWithLiquid",
    "isSliced",
    "isToggled",
    "isUsedUp",
)

_FAMILIES = (
    appliances,
    bathroom,
    electronics,
    fittings,
    food,
    joinery,
    leisure,
    seating,
    tables,
    things,
    utensils,
    vessels,
)

MIN_SIDE = 1e-3
"""Boxes thinner than this along an axis are drawn this thick [m]."""


def _all_builders() -> dict[str, Builder]:
    found: dict[str, Builder] = {}
    for module in _FAMILIES:
        found.update(module.BUILDERS)
    return found


BUILDERS: Mapping[str, Builder] = MappingProxyType(_all_builders())
"""The function that models each object type."""


def build_parts(
    object_type: str,
    size: Sequence[float],
    *,
    openness: float = 0.0,
    state: Mapping[str, Any] | None = None,
    materials: Sequence[str] | None = (),
    asset_id: str = "",
    seed: int = 0,
) -> tuple[Part, ...]:
    """Solids that show an object, in the frame of its oriented box (see ``parts``).

    Args:
        object_type: One of the 131 AI2-THOR types.
        size: Full (x, y, z) size of the object's box as it is now [m], its front towards +z: for a
            fridge, cabinet or shower door that is the box which has grown by the open door, for
            everything else the closed box. Nothing leaves it.
        openness: 0 closed to 1 open.
        state: AI2-THOR state: the flags ``isToggled``, ``isBroken``, ``isSliced``,
            ``isFilledWithLiquid``, ``isDirty``, ``isCooked``, ``isUsedUp`` and ``fillLiquid``;
            what is absent or None is false.
        materials: ``salientMaterials`` of the instance.
        asset_id: ``assetId`` of the instance: two assets of a type differ in colour and shape.
        seed: Selects among plausible colours. Fitted furniture (cabinets, drawers, counters) has
            one colour per seed, so give one seed per scene.

    The result is the same object for the same arguments (the last 4096 are kept).

    Raises:
        KeyError: No such object type.
        ValueError: The size is not three finite positive numbers.
    """
    flags = frozenset(name for name in _FLAGS if (state or {}).get(name))
    liquid = str((state or {}).get("fillLiquid") or "")
    x, y, z = (float(side) for side in size)
    return _build(
        object_type,
        (x, y, z),
        min(max(float(openness), 0.0), 1.0),
        flags,
        liquid,
        tuple(materials or ()),
        asset_id or "",
        seed,
    )


@lru_cache(maxsize=4096)
def _build(
    object_type: str,
    size: Vector,
    openness: float,
    flags: frozenset[str],
    liquid: str,
    materials: tuple[str, ...],
    asset_id: str,
    seed: int,
) -> tuple[Part, ...]:
    if not all(0.0 <= side < 1e3 for side in size):
        raise ValueError(f"A box of {size} metres can't be drawn: give three positive sizes.")
    thick = (max(size[0], MIN_SIDE), max(size[1], MIN_SIDE), max(size[2], MIN_SIDE))
    look = Look(object_type, thick, openness, flags, liquid, materials, asset_id, seed)
    return BUILDERS[object_type](look).within(thick).parts()
