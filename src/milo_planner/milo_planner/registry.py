"""The planners by name."""

from collections.abc import Callable

from milo_core.errors import MiloError
from milo_planner.planning import Planner
from milo_planner.rule_based import RuleBasedPlanner

PLANNERS: dict[str, Callable[[], Planner]] = {RuleBasedPlanner.name: RuleBasedPlanner}
"""Name -> factory."""


class UnknownPlannerError(MiloError):
    """A planner name that doesn't exist."""


def make_planner(name: str) -> Planner:
    """Return a new planner.

    Raises:
        UnknownPlannerError: names the choices.
    """
    if name not in PLANNERS:
        raise UnknownPlannerError(f"There is no planner '{name}'; use {', '.join(PLANNERS)}.")
    return PLANNERS[name]()
