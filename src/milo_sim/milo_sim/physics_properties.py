"""Masses, and what stands fast or is free to move."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from milo_sim import dynamics, settling
from milo_sim.errors import ActionFailed

if TYPE_CHECKING:
    from milo_sim.world import World

_HUNG_TYPES = frozenset({"HandTowel", "ToiletPaper", "Towel"})
_HOLDERS = frozenset({"HandTowelHolder", "ToiletPaperHanger", "TowelHolder"})


def set_mass(world: World, object_id: str, mass: float) -> None:
    """Change the mass of a loose object [kg]."""
    fixed = world.scene_objects.get(object_id)
    if fixed is None:
        raise ActionFailed(f"object with ObjectID: {object_id}, could not be found in this scene")
    if not (fixed.has("pickupable") or fixed.has("moveable")):
        raise ActionFailed(
            f"object with ObjectID: {object_id}, is not Moveable or Pickupable, and the Mass "
            "Properties cannot be changed"
        )
    if mass <= 0.0:
        raise ActionFailed(f"The mass of an object must be more than 0 kg, not {mass:g}.")
    world.objects[object_id].mass = mass
    world.objects[object_id].touch()


def free_all(world: World) -> None:
    """Let go of everything that PutObject and the like fixed where it is, a little in the air."""
    for key, state in world.objects.items():
        fixed = world.scene_objects[key]
        placed = state.carrier is not None and key not in world.held_ids()
        if not placed or not fixed.has("pickupable") or not state.is_present:
            continue
        if world.scene_objects[state.carrier or key].object_type in _HOLDERS:
            continue
        if world.physics_paused:
            dynamics.release(world, key)
        else:
            settling.let_down(world, key)


def fix_heavy(world: World, threshold: float | None) -> None:
    """Make everything heavier than a threshold [kg] immovable; None: there is no threshold."""
    if threshold is None:
        return
    for key, fixed in list(world.scene_objects.items()):
        holders = world.objects[key].parent_receptacles or ()
        hangs = fixed.object_type in _HUNG_TYPES and any(
            world.scene_objects[holder].object_type in _HOLDERS for holder in holders
        )
        if not hangs and key not in world.held_ids() and world.mass_of(key) > threshold:
            flags = fixed.flags - {"pickupable", "moveable"}
            world.scene_objects[key] = replace(fixed, flags=flags)
            world.objects[key].touch()
