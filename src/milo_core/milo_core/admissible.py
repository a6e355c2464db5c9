"""The ground actions that the action table admits in a state of the world."""

from collections.abc import Iterator

from milo_core.actions import ACTIONS, Action, Physics
from milo_core.plan import PlannedStep
from milo_core.world_model import WorldModel


def admissible_actions(world: WorldModel, physics: Physics = "physical") -> list[PlannedStep]:
    """Return every ground action whose preconditions hold, arguments being instance ids.

    Only actions that a skill carries out are listed, and only instances whose affordances fit; the
    order is that of the action table and of the world's objects.
    """
    return [
        PlannedStep(action.name, arguments)
        for action in ACTIONS.values()
        if action.skill is not None
        for arguments in _bindings(action, world)
        if not action.unmet(world, arguments, physics) and _affords(action, world, arguments)
    ]


def _bindings(action: Action, world: WorldModel) -> Iterator[dict[str, str]]:
    # Whatever acts on what is held has one candidate for it.
    holds = any(
        p.literal.predicate == "holding" and p.literal.positive for p in action.preconditions
    )
    objects = [world.held_id] if holds else list(world.objects)
    names = [role.name for role in action.roles]
    for object_id in objects:
        if object_id is None:
            continue
        if names == ["object"]:
            yield {"object": object_id}
            continue
        for receptacle_id in world.objects:
            if receptacle_id != object_id:
                yield {"object": object_id, "receptacle": receptacle_id}


def _affords(action: Action, world: WorldModel, arguments: dict[str, str]) -> bool:
    """Whether the instances can take part at all, also where the rules don't ask for it."""
    conditions = action.conditions("physical")
    return all(c.holds(world, arguments) for c in conditions if c.affordance)
