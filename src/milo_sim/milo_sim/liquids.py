"""Filling and emptying vessels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from milo_sim import temperature
from milo_sim.errors import ActionFailed

if TYPE_CHECKING:
    from milo_sim.world import World

LIQUIDS = frozenset({"coffee", "water", "wine"})
HOT_LIQUIDS = frozenset({"coffee"})


def fill(world: World, object_id: str, liquid: str | None, force: bool) -> None:
    """Fill a vessel with water, coffee or wine."""
    world.require_interactable(object_id, force)
    fixed, state = world.scene_objects[object_id], world.objects[object_id]
    if liquid is None:
        raise ActionFailed(
            "Missing Liquid string for FillObject action",
            exception_type="InvalidOperationException",
        )
    liquid = liquid.lower()
    if not fixed.has("canFillWithLiquid"):
        raise ActionFailed(
            f"{fixed.name} does not have CanBeFilled property!", exception_type="ArgumentException"
        )
    if liquid not in LIQUIDS:
        raise ActionFailed(
            f"{liquid} is not a valid Liquid Type", exception_type="ArgumentException"
        )
    if state.is_filled_with_liquid:
        raise ActionFailed(
            f"{fixed.name} is already Filled!", exception_type="InvalidOperationException"
        )
    pour(world, object_id, liquid)


def empty(world: World, object_id: str, force: bool) -> None:
    """Empty a vessel."""
    world.require_interactable(object_id, force)
    fixed = world.scene_objects[object_id]
    if not fixed.has("canFillWithLiquid"):
        raise ActionFailed(f"{fixed.name} does not have CanBeFilled property!")
    if not world.objects[object_id].is_filled_with_liquid:
        raise ActionFailed("object already empty")
    spill(world, object_id)


def pour(world: World, object_id: str, liquid: str) -> None:
    """Fill a vessel, which hot liquids heat."""
    state = world.objects[object_id]
    state.is_filled_with_liquid, state.fill_liquid = True, liquid
    state.touch()
    if liquid in HOT_LIQUIDS:
        temperature.expose(world, object_id, "Hot")


def spill(world: World, object_id: str) -> None:
    """Let a vessel run empty."""
    state = world.objects[object_id]
    state.is_filled_with_liquid, state.fill_liquid = False, None
    state.touch()
