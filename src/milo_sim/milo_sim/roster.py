"""Which objects a scene has: copies and pieces that appear, things that vanish or are renamed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from milo_core.object_types import OBJECT_TYPES
from milo_sim import containment, holding
from milo_sim.geometry import Vector
from milo_sim.opening import carried_ids
from milo_sim.scene import SceneObject
from milo_sim.state import ObjectState

if TYPE_CHECKING:
    from milo_sim.world import World


def copy(world: World, source_id: str, new_id: str, name: str) -> None:
    """Add an object like another one, in its place and state but not in any container."""
    source, state = world.scene_objects[source_id], world.objects[source_id]
    fixed = replace(
        source,
        object_id=new_id,
        name=name,
        position=state.position,
        rotation=state.rotation,
        aabb_center=state.aabb_center,
        aabb_size=state.aabb_size,
        oobb=state.oobb,
        parent_receptacles=None,
        receptacle_object_ids=() if source.has("receptacle") else None,
    )
    trigger = world.triggers().get(source_id)
    own = replace(
        state,
        object_id=new_id,
        is_picked_up=False,
        carrier=None,
        parent_receptacles=None,
        receptacle_object_ids=[] if source.has("receptacle") else None,
        revision=0,
    )
    world.add(fixed, own, None if trigger is None else replace(trigger, receptacle_id=new_id))


def add_piece(world: World, fixed: SceneObject, around: Iterable[str]) -> None:
    """Add an object that was made from another one; it is where its description says.

    ``around`` are the closed containers it is in.
    """
    state = ObjectState(
        object_id=fixed.object_id,
        position=fixed.position,
        rotation=fixed.rotation,
        aabb_center=fixed.aabb_center,
        aabb_size=fixed.aabb_size,
        oobb=fixed.oobb,
    )
    world.add(fixed, state, None)
    containment.resettle(world, fixed.object_id, known=around)


def vanish(world: World, object_id: str) -> None:
    """Take an object out of the scene, though not out of the metadata."""
    _let_go(world, object_id)
    world.objects[object_id].is_present = False
    world.objects[object_id].touch()


def appear(world: World, object_id: str) -> None:
    """Undo ``vanish``."""
    world.objects[object_id].is_present = True
    containment.resettle(world, object_id)
    if world.scene_objects[object_id].has("receptacle"):
        for other_id, state in world.objects.items():
            if other_id != object_id and state.is_present and not state.is_picked_up:
                _join(world, other_id, object_id)


def _join(world: World, object_id: str, receptacle_id: str) -> None:
    """Put an object into a receptacle's list if it lies there."""
    parents = world.objects[object_id].parent_receptacles or []
    if receptacle_id in parents or not world.scene_objects[object_id].has("pickupable"):
        return
    if receptacle_id in containment.find_parents(world, object_id):
        containment.attach(world, object_id, [*parents, receptacle_id])


def hide(world: World, object_id: str, hidden: bool, contained: bool) -> None:
    """Leave an object out of pictures, or show it again, with what it encloses."""
    kind = OBJECT_TYPES[world.scene_objects[object_id].object_type]
    inside = world.objects[object_id].receptacle_object_ids or ()
    for key in [object_id, *(inside if contained and not kind.open_receptacle else ())]:
        world.objects[key].is_hidden = hidden
        world.objects[key].touch()


def remove(world: World, object_id: str) -> None:
    """Take an object out of the scene and the metadata."""
    _let_go(world, object_id)
    for key, fixed in world.scene_objects.items():
        if object_id in (fixed.controlled_objects or ()):
            rest = tuple(i for i in fixed.controlled_objects or () if i != object_id)
            world.scene_objects[key] = replace(fixed, controlled_objects=rest)
            world.objects[key].touch()
    world.discard(object_id)


def _let_go(world: World, object_id: str) -> None:
    """Free an object from the hand, from what holds it and from what it holds."""
    if world.held_id == object_id:
        holding.release(world)
    for content_id in list(world.objects[object_id].receptacle_object_ids or ()):
        state = world.objects[content_id]
        rest = [i for i in state.parent_receptacles or () if i != object_id]
        containment.detach(world, content_id)
        containment.attach(world, content_id, rest)
    for carried_id in carried_ids(object_id, world.objects):
        if world.objects[carried_id].carrier == object_id:
            world.objects[carried_id].carrier = None
    containment.detach(world, object_id)
    world.objects[object_id].carrier = None
    world.velocities.pop(object_id, None)


def rename(world: World, old_id: str, new_id: str) -> None:
    """Give an object another id, wherever it is named."""
    state, fixed = world.objects[old_id], world.scene_objects[old_id]
    if old_id == new_id or new_id in world.objects:
        return
    trigger, velocity = world.home_triggers.get(old_id), world.velocities.pop(old_id, None)
    world.discard(old_id)
    state.object_id = new_id
    state.touch()
    renamed = replace(fixed, object_id=new_id)
    world.add(renamed, state, None if trigger is None else replace(trigger, receptacle_id=new_id))
    for other in world.objects.values():
        if other.carrier == old_id:
            other.carrier = new_id
        for names in (other.parent_receptacles, other.receptacle_object_ids):
            if names and old_id in names:
                names[names.index(old_id)] = new_id
                other.touch()
    if velocity is not None:
        world.velocities[new_id] = velocity
    if world.held_id == old_id:
        world.held_id = new_id
    if world.object_filter is not None and old_id in world.object_filter:
        world.object_filter = world.object_filter - {old_id} | {new_id}


def id_at(object_type: str, position: Vector) -> str:
    """The id that the engine gives an object of a type with its pivot at a position."""
    return "|".join([object_type, *(_coordinate(value) for value in position)])


def _coordinate(value: float) -> str:
    """Sign, two integer digits and two decimals; what rounds to zero from below has no sign."""
    text = f"{abs(value):05.2f}"
    if value < 0.0:
        return text if float(text) == 0.0 else f"-{text}"
    return f"+{text}"
