"""Actions that change what an object is like: broken, dirty, cooked, used up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from milo_core.object_types import OBJECT_TYPES
from milo_sim import holding, settling, slicing
from milo_sim.errors import ActionFailed

if TYPE_CHECKING:
    from milo_sim.world import World

SHATTERING_TYPES = frozenset(
    {"Bottle", "Bowl", "Cup", "Egg", "Mug", "Plate", "Statue", "Vase", "WineBottle"}
)
"""Types that fall to pieces; other breakable things crack and stay where they are."""


def break_object(world: World, object_id: str, force: bool) -> None:
    """Break something: it shatters, or cracks and switches itself off."""
    world.require_interactable(object_id, force)
    fixed, state = world.scene_objects[object_id], world.objects[object_id]
    if not fixed.has("breakable"):
        raise ActionFailed(f"{fixed.name} does not have the CanBreak property!!")
    if state.is_broken:
        return
    state.is_broken = True
    state.is_toggled = False
    state.touch()
    if fixed.object_type not in SHATTERING_TYPES or not state.is_present:
        return
    contents = [i for i in state.receptacle_object_ids or () if world.objects[i].is_present]
    if world.held_id == object_id:
        holding.release(world)
    # Only of an egg does something remain: of other shards the engine reports nothing.
    slicing.fall_apart(world, object_id)
    for content_id in contents:
        if world.scene_objects[content_id].has("pickupable"):
            settling.let_down(world, content_id)


def set_dirty(world: World, object_id: str, dirty: bool, force: bool) -> None:
    """Make something dirty or clean."""
    world.require_interactable(object_id, force)
    fixed, state = world.scene_objects[object_id], world.objects[object_id]
    if not fixed.has("dirtyable"):
        wanted = "CanBeDirty" if dirty else "dirtyable"
        raise ActionFailed(f"{fixed.name} does not have {wanted} property!")
    if state.is_dirty == dirty:
        raise ActionFailed(f"{fixed.name} is already {'dirty' if dirty else 'Clean'}!")
    state.is_dirty = dirty
    state.touch()


def cook(world: World, object_id: str, force: bool) -> None:
    """Cook something."""
    world.require_interactable(object_id, force)
    state = world.objects[object_id]
    if not world.scene_objects[object_id].has("cookable"):
        raise ActionFailed("target object is not cookable")
    if state.is_cooked:
        raise ActionFailed(f"{object_id} is already Toasted!")
    state.is_cooked = True
    state.touch()


def use_up(world: World, object_id: str, force: bool) -> None:
    """Use up a roll of paper."""
    world.require_interactable(object_id, force)
    fixed, state = world.scene_objects[object_id], world.objects[object_id]
    if not OBJECT_TYPES[fixed.object_type].can_be_used_up:
        raise ActionFailed(f"{fixed.name} does not have CanBeUsedUp property!")
    if state.is_used_up:
        raise ActionFailed("object already used up!")
    state.is_used_up = True
    state.touch()
