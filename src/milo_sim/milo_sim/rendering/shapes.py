"""What each object looks like in its present state, as surfaces in the frame of its box."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from milo_sim.appearance import build_parts
from milo_sim.geometry import Vector
from milo_sim.rendering.looks import Styling, recolored_parts
from milo_sim.rendering.scene_model import Drawable
from milo_sim.rendering.surfaces import surfaces_of
from milo_sim.scene import SceneObject
from milo_sim.state import ObjectState

GLASS_WALL_TYPES = frozenset({"ShowerDoor", "ShowerGlass"})
"""Masks and depth look through their panes, as ``visible`` does: things in a shower have masks. A
window's pane is solid in them, because behind it there is nothing to see."""

Look = tuple[tuple[str, Any], ...]
ShapeKey = tuple[str, Vector, float, Look, tuple[str, ...], str, int, int | None]


def shape_key(
    obj: SceneObject, state: ObjectState, size: Vector, scene_name: str, styling: Styling
) -> ShapeKey:
    """Everything that a look depends on; equal keys mean equal surfaces."""
    width, height, depth = (round(side, 4) for side in size)
    # What can be carried looks the same everywhere; furniture follows the style of its room.
    style = obj.asset_id or obj.name if obj.has("pickupable") else scene_name
    return (
        obj.object_type,
        (width, height, depth),
        round(state.openness, 2),
        _look(state),
        obj.salient_materials or (),
        obj.asset_id,
        styling.seed(style),
        styling.color_seed,
    )


def _look(state: ObjectState) -> Look:
    """State that shows, by its name in the metadata; only what is not the default."""
    values = (
        ("isToggled", state.is_toggled),
        ("isBroken", state.is_broken),
        ("isSliced", state.is_sliced),
        ("isDirty", state.is_dirty),
        ("isCooked", state.is_cooked),
        ("isUsedUp", state.is_used_up),
        ("isFilledWithLiquid", state.is_filled_with_liquid),
        ("fillLiquid", state.fill_liquid),
    )
    return tuple((name, value) for name, value in values if value)


@lru_cache(maxsize=512)
def shape(key: ShapeKey) -> tuple[Drawable, ...]:
    """Surfaces of one look; the owner is left open."""
    object_type, size, openness, look, materials, asset_id, seed, color_seed = key
    parts = build_parts(
        object_type,
        size,
        openness=openness,
        state=dict(look),
        materials=materials,
        asset_id=asset_id,
        seed=seed,
    )
    see_through = object_type in GLASS_WALL_TYPES
    return tuple(
        Drawable("", surface, finish, glass=see_through and finish.clear)
        for finish, surface in surfaces_of(recolored_parts(parts, color_seed)).items()
    )
