"""Cutting food into pieces.

The pieces are slabs of the whole's box, cut across its longest level side: the engine's own pieces
are models whose sizes are not on record. Their number is the highest seen in recorded ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from milo_core.object_types import OBJECT_TYPES
from milo_sim import containment, roster, settling
from milo_sim.errors import ActionFailed
from milo_sim.geometry import IDENTITY, Box, as_vector, matrix_to_euler
from milo_sim.motion import object_box
from milo_sim.scene import SceneObject

if TYPE_CHECKING:
    from milo_sim.world import World

KERF = 0.9
"""Share of its slab that a piece keeps."""


def slice_object(world: World, object_id: str, force: bool) -> None:
    """Cut something up; cutting it again changes nothing."""
    world.require_interactable(object_id, force)
    fixed, state = world.scene_objects[object_id], world.objects[object_id]
    if world.held_id == object_id:
        raise ActionFailed("target object cannot be sliced if it is in the agent's hand")
    if not fixed.has("sliceable"):
        raise ActionFailed(f"{fixed.name} Does not have the CanBeSliced property!")
    if state.is_sliced or not state.is_present:
        return
    state.is_sliced = True
    fall_apart(world, object_id)


def fall_apart(world: World, object_id: str) -> None:
    """Put the pieces of an object in its place."""
    around = containment.closed_holders(world, object_id)
    roster.vanish(world, object_id)
    fixed, state = world.scene_objects[object_id], world.objects[object_id]
    slices = OBJECT_TYPES[fixed.object_type].slices
    if slices is None:
        return
    piece_type, count = slices
    boxes = [_yolk(object_box(state))] if count == 1 else _slabs(object_box(state), count)
    for number, box in enumerate(boxes):
        piece = _piece(fixed, piece_type, number, box, count)
        if piece.object_id in world.objects:
            continue
        roster.add_piece(world, piece, around)
        world.objects[piece.object_id].is_cooked = state.is_cooked and piece.has("cookable")
        world.objects[piece.object_id].touch()
        settling.let_down(world, piece.object_id)


def _slabs(box: Box, count: int) -> list[Box]:
    """Equal parts of a box, side by side along its longest level axis."""
    level = np.abs(box.axes[1]) < np.sqrt(0.5)
    axis = int(np.argmax(np.where(level, box.half, -1.0)))
    half = box.half.copy()
    half[axis] /= count
    places = (2.0 * np.arange(count) + 1.0 - count) * half[axis]
    half[axis] *= KERF
    return [Box(box.center + box.axes[:, axis] * place, box.axes, half) for place in places]


def _yolk(box: Box) -> Box:
    """The lower half of the upright box around an egg: what is left of it lies flat."""
    half = box.extent()
    half[1] /= 2
    return Box(box.center - np.array([0.0, half[1], 0.0]), IDENTITY, half)


def _piece(whole: SceneObject, piece_type: str, number: int, box: Box, count: int) -> SceneObject:
    kind = OBJECT_TYPES[piece_type]
    extent = box.extent()
    model = whole.asset_id or whole.name
    flags = {"pickupable"} | ({"cookable"} if kind.cookable else set())
    return SceneObject(
        object_id=f"{whole.object_id}|{piece_type}_{number}",
        object_type=piece_type,
        name=model.replace("Egg", "Egg_Cracked") if count == 1 else f"{model}_Slice_{number + 1}",
        asset_id="",
        position=as_vector(box.center),
        rotation=matrix_to_euler(box.axes),
        aabb_center=as_vector(box.center),
        aabb_size=as_vector(2 * extent),
        oobb=box.corners(),
        flags=frozenset(flags),
        state={},
        temperature="RoomTemp",
        mass=whole.mass / count,
        salient_materials=whole.salient_materials,
        parent_receptacles=None,
        receptacle_object_ids=None,
        controlled_objects=None,
        is_moving=False,
        lattice=None,
        content_height=None,
    )
