"""What happens by itself after an action: heat, cold, water, fire and spilt liquids.

Follows AI2-THOR's contextual interactions. Its zones are colliders of the models and not on record;
here they are boxes:

* a fridge cools, an active microwave, toaster or coffee machine heats what it holds;
* an active burner heats what is over it, up to ``FLAME_REACH``;
* a running faucet wets what is in the nearest basin (the engine: what its narrow stream meets), a
  shower head what is below it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from milo_sim import liquids, temperature
from milo_sim.geometry import FloatArray
from milo_sim.motion import pose_matrix
from milo_sim.state import ObjectState

if TYPE_CHECKING:
    from milo_sim.world import World

SECONDS_PER_STEP = 0.02
"""Simulated time of an action without physics: one physics step of the engine [s]."""

FLAME_REACH = 0.25
"""Height over a burner up to which things get hot and candles catch fire [m]."""
CANDLE_FLAME = (0.03, 0.05)
"""Half width and height of a candle's flame [m]."""
SHOWER_REACH = 0.3
"""Half width of what a shower head wets [m]."""
FAUCET_REACH = 0.6
"""A faucet is no farther from its basin than this on the ground plane [m]."""
MARGIN = 0.02
"""Things reach into a zone also if their middle is this far beside or below it [m]."""

BASIN_TYPES = ("SinkBasin", "BathtubBasin", "Sink", "Bathtub")
"""What a faucet runs into; a basin before the thing it is part of."""
_SWITCHED_TYPES = frozenset(
    {"Candle", "CoffeeMachine", "Faucet", "Microwave", "ShowerHead", "StoveBurner", "Toaster"}
)

Zone = tuple[FloatArray, FloatArray]
"""Least and greatest corner (3,) of an upright box."""


def follow(world: World) -> None:
    """Bring everything up to date after an action."""
    seconds = world.time - world.followed_time
    world.followed_time = world.time
    if world.revision != world.followed_revision:
        _spill(world)
        _burn(world)
        _wet(world)
    temperature.decay(world, seconds, _expose(world))
    world.followed_revision = world.revision


def _active(world: World) -> Iterator[tuple[str, str]]:
    """(id, type) of what is switched on and has an effect on other things."""
    for key, fixed in world.scene_objects.items():
        if fixed.object_type in _SWITCHED_TYPES:
            state = world.objects[key]
            if state.is_toggled and state.is_present:
                yield key, fixed.object_type


def _items(world: World) -> Iterator[str]:
    """Ids of all things that can be picked up and are there."""
    for key, fixed in world.scene_objects.items():
        if fixed.has("pickupable") and world.objects[key].is_present:
            yield key


def _within(world: World, zone: Zone) -> list[str]:
    """Ids of things whose middle is over or in a zone and whose bottom is in it."""
    low, high = zone[0] - MARGIN, zone[1] + MARGIN
    found = []
    for key in _items(world):
        state = world.objects[key]
        x, y, z = state.aabb_center
        bottom = y - state.aabb_size[1] / 2
        if low[0] <= x <= high[0] and low[2] <= z <= high[2] and low[1] <= bottom <= high[1]:
            found.append(key)
    return found


def _contents(world: World, receptacle_id: str) -> list[str]:
    """Ids of the things a receptacle holds, also in other things."""
    found: list[str] = []
    queue = list(world.objects[receptacle_id].receptacle_object_ids or ())
    while queue:
        key = queue.pop()
        if key not in found and world.scene_objects[key].has("pickupable"):
            found.append(key)
            queue += world.objects[key].receptacle_object_ids or ()
    return found


# Temperature


def _expose(world: World) -> frozenset[str]:
    """Heat and cool; returns the ids of all that is in a hot or cold zone."""
    exposed: set[str] = set()
    for key, fixed in list(world.scene_objects.items()):
        if fixed.object_type == "Fridge" and world.objects[key].is_present:
            for item in _contents(world, key):
                temperature.expose(world, item, "Cold")
                exposed.add(item)
    for key, kind in _active(world):
        for item in _heated(world, key, kind):
            temperature.expose(world, item, "Hot")
            exposed.add(item)
            _cook(world, item, kind)
            if kind == "CoffeeMachine":
                _brew(world, item)
    return frozenset(exposed)


def _heated(world: World, key: str, kind: str) -> list[str]:
    if kind in ("Microwave", "Toaster", "CoffeeMachine"):
        return _contents(world, key)
    return _within(world, _burner_zone(world, key)) if kind == "StoveBurner" else []


def _burner_zone(world: World, key: str) -> Zone:
    trigger = world.triggers()[key]
    center, extent = trigger.box.center, trigger.box.extent()
    low, high = center - extent, center + extent
    low[1], high[1] = trigger.bottom, trigger.bottom + FLAME_REACH
    return low, high


def _cook(world: World, key: str, source: str) -> None:
    """Cook what can be cooked; a microwave does not toast bread, a coffee machine cooks nothing."""
    state, fixed = world.objects[key], world.scene_objects[key]
    if state.is_cooked or not fixed.has("cookable") or source == "CoffeeMachine":
        return
    if source == "Microwave" and fixed.object_type == "BreadSliced":
        return
    state.is_cooked = True
    state.touch()


def _brew(world: World, key: str) -> None:
    fixed, state = world.scene_objects[key], world.objects[key]
    if fixed.has("canFillWithLiquid") and not state.is_filled_with_liquid:
        liquids.pour(world, key, "coffee")


# Water


def _wet(world: World) -> None:
    """Clean and fill what is under running water, and put out candles there."""
    for key, kind in list(_active(world)):
        zone = _water_zone(world, key, kind)
        if zone is None:
            continue
        for item in _within(world, zone):
            _rinse(world, item)


def _water_zone(world: World, key: str, kind: str) -> Zone | None:
    state = world.objects[key]
    center, half = np.array(state.aabb_center), np.array(state.aabb_size) / 2
    if kind == "ShowerHead":
        low = center - np.array([SHOWER_REACH, 0.0, SHOWER_REACH])
        high = center + np.array([SHOWER_REACH, 0.0, SHOWER_REACH])
        low[1] = world.scene.floor_y
        return low, high
    if kind != "Faucet":
        return None
    basin = _basin_of(world, center)
    if basin is None:
        return None
    trigger = world.triggers()[basin]
    low, high = (trigger.box.center + sign * trigger.box.extent() for sign in (-1, 1))
    high[1] = max(high[1], center[1] + half[1])
    return low, high


def _basin_of(world: World, place: FloatArray) -> str | None:
    """Id of the basin that a faucet at a place runs into."""
    found: list[tuple[int, float, str]] = []
    for key, fixed in world.scene_objects.items():
        if fixed.object_type in BASIN_TYPES and key in world.home_triggers:
            box = world.triggers()[key].box
            gap = np.maximum(np.abs(place - box.center) - box.extent(), 0.0)
            if np.hypot(gap[0], gap[2]) < FAUCET_REACH and box.center[1] < place[1] + MARGIN:
                order = BASIN_TYPES.index(fixed.object_type)
                found.append((order, float(np.hypot(gap[0], gap[2])), key))
    return min(found)[2] if found else None


def _rinse(world: World, key: str) -> None:
    fixed, state = world.scene_objects[key], world.objects[key]
    if fixed.has("dirtyable") and state.is_dirty:
        state.is_dirty = False
        state.touch()
    if fixed.has("canFillWithLiquid") and not state.is_filled_with_liquid and not _is_over(state):
        liquids.pour(world, key, "water")
    if fixed.object_type == "Candle" and state.is_toggled:
        state.is_toggled = False
        state.touch()


# Fire and spilling


def _burn(world: World) -> None:
    """Light candles whose wick is in a flame."""
    candles = [
        key
        for key in _items(world)
        if world.scene_objects[key].object_type == "Candle" and not world.objects[key].is_toggled
    ]
    if not candles:
        return
    flames = [_flame(world, key, kind) for key, kind in _active(world)]
    for key in candles:
        state = world.objects[key]
        wick = np.array(state.aabb_center)
        wick[1] += state.aabb_size[1] / 2
        if any(f is not None and np.all((f[0] <= wick) & (wick <= f[1])) for f in flames):
            state.is_toggled = True
            state.touch()


def _flame(world: World, key: str, kind: str) -> Zone | None:
    if kind == "StoveBurner":
        return _burner_zone(world, key)
    if kind != "Candle":
        return None
    state = world.objects[key]
    half, height = CANDLE_FLAME
    low = np.array(state.aabb_center) + np.array([-half, state.aabb_size[1] / 2 - half, -half])
    return low, low + np.array([2 * half, half + height, 2 * half])


def _spill(world: World) -> None:
    """Empty vessels that are upside down."""
    for key, state in world.objects.items():
        if state.is_filled_with_liquid and _is_over(state):
            liquids.spill(world, key)


def _is_over(state: ObjectState) -> bool:
    """Tell whether an object leans by more than a quarter turn."""
    return bool(pose_matrix(state)[1, 1] < -1e-6)
