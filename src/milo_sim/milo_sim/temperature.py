"""Hot and cold: exposure and decay."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from milo_sim.errors import ActionFailed

if TYPE_CHECKING:
    from milo_sim.world import World

ROOM = "RoomTemp"


def expose(world: World, object_id: str, temperature: str) -> None:
    """Heat or cool an object; the time until it has room temperature starts anew."""
    state = world.objects[object_id]
    state.decay_left = state.decay_time
    if state.temperature != temperature:
        state.temperature = temperature
        state.touch()


def decay(world: World, seconds: float, exposed: Collection[str]) -> None:
    """Let time pass for everything that is hot or cold and not exposed any more.

    What cannot be picked up keeps the temperature the scene starts with (in ten scenes the floor
    under a fridge is cold).
    """
    if not world.temperatures_decay:
        return
    for object_id, state in world.objects.items():
        if state.temperature == ROOM or object_id in exposed:
            continue
        if not world.scene_objects[object_id].has("pickupable"):
            continue
        state.decay_left -= seconds
        if state.decay_left <= 0.0:
            state.temperature = ROOM
            state.decay_left = state.decay_time
            state.touch()


def set_decay_time(world: World, seconds: float, object_id: str | None) -> None:
    """Set how long one object, or all (None), stay hot or cold [s]."""
    if seconds < 0:
        raise ActionFailed(
            f"decayTime must be >= 0. You gave {seconds:g}",
            exception_type="ArgumentOutOfRangeException",
        )
    if object_id is not None:
        world.require_known(object_id)
    for key in world.objects if object_id is None else [object_id]:
        world.objects[key].decay_time = world.objects[key].decay_left = seconds
