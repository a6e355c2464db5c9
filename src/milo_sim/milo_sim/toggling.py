"""Switching things on and off, directly or through what controls them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from milo_core.object_types import OBJECT_TYPES
from milo_sim.errors import ActionFailed

if TYPE_CHECKING:
    from milo_sim.world import World

CONTROLLED_TYPES = frozenset({"StoveBurner"})
"""Types that report ``isToggled`` but are switched by another object only."""


def toggle(world: World, object_id: str, on: bool, force: bool) -> None:
    """Switch an object, and what it controls, on or off."""
    world.require_interactable(object_id, force)
    fixed, state = world.scene_objects[object_id], world.objects[object_id]
    if fixed.object_type in CONTROLLED_TYPES:
        raise ActionFailed(
            "target object is controlled by another sim object. "
            "target object cannot be turned on/off directly"
        )
    if not fixed.has("toggleable"):
        raise ActionFailed("object is not toggleable.")
    if state.is_toggled == on:
        word = "on" if on else "off"
        raise ActionFailed(f"can't toggle object {word} if it's already {word}!")
    if on and state.is_open and OBJECT_TYPES[fixed.object_type].must_be_closed_to_turn_on:
        raise ActionFailed("Target must be closed to Toggle On!")
    if on and fixed.has("breakable") and state.is_broken:
        raise ActionFailed("Target is broken and cannot be Toggled On!")
    switch(world, object_id, on)


def switch(world: World, object_id: str, on: bool) -> None:
    """Set the state of an object and of what it controls."""
    for key in (object_id, *(world.scene_objects[object_id].controlled_objects or ())):
        if key in world.objects:
            world.objects[key].is_toggled = on
            world.objects[key].touch()
