"""Where something can be left that is in the way; the same for every planner."""

import math

from milo_core.object_types import OBJECT_TYPES
from milo_core.world_model import ObjectBelief


def metres(distance: float) -> float:
    """Return a distance to sort by; unknown ones come last."""
    return math.inf if math.isnan(distance) else distance


def can_keep(spot: ObjectBelief) -> bool:
    """Return whether things can be left somewhere without opening it or carrying it along."""
    return spot.receptacle and not spot.openable and not spot.pickupable


def is_surface(spot: ObjectBelief) -> bool:
    """Return whether things are put on it, as on a table; the floor is nowhere to leave things."""
    kind = OBJECT_TYPES.get(spot.object_type)
    on = kind is not None and kind.receptacle_kind == "on" and kind.name != "Floor"
    return can_keep(spot) and on


def takes(spot: ObjectBelief, held: ObjectBelief) -> bool:
    """Return whether AI2-THOR's table of receptacle types foresees an object there."""
    kind = OBJECT_TYPES.get(held.object_type)
    restrictions = kind.placement_restrictions if kind is not None else None
    return restrictions is None or spot.object_type in restrictions
