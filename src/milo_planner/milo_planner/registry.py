"""The planners by name."""

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

from milo_core.errors import MiloError
from milo_planner.planning import Planner


def _loads(module: str, name: str) -> Callable[..., Planner]:
    """Return a factory that imports its planner only when one is made."""

    def make(**options: str) -> Planner:
        planner: Planner = getattr(import_module(f"milo_planner.{module}"), name)(**options)
        return planner

    return make


PLANNERS: Mapping[str, Callable[..., Planner]] = MappingProxyType(
    {
        "rule_based": _loads("rule_based", "RuleBasedPlanner"),
        "behavior_tree": _loads("behavior_tree", "BehaviorTreePlanner"),
        "htn": _loads("htn", "HtnPlanner"),
        "pddl": _loads("pddl_planner", "PddlPlanner"),
        "noop": _loads("controls", "NoopPlanner"),
        "random": _loads("controls", "RandomPlanner"),
        "oracle": _loads("controls", "OraclePlanner"),
    }
)
"""Name -> factory."""
CONTROLS = ("noop", "random", "oracle")
"""Planners that only say what a score is worth."""


class UnknownPlannerError(MiloError):
    """A planner name that doesn't exist."""


def make_planner(name: str, **options: str) -> Planner:
    """Return a new planner.

    Args:
        name: one of PLANNERS.
        options: of that planner; of `pddl`: `engine_name`.

    Raises:
        UnknownPlannerError: names the choices.
        MiloError: the planner needs something that is not installed.
    """
    if name not in PLANNERS:
        raise UnknownPlannerError(f"There is no planner '{name}'; use {', '.join(PLANNERS)}.")
    return PLANNERS[name](**options)
