"""Building blocks of the action tables: common parameters, ways to name a target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from milo_sim.arguments import ArgumentType as T
from milo_sim.arguments import Parameter, Support
from milo_sim.dispatch import Action, Handler, Signature

if TYPE_CHECKING:
    from milo_sim.session import Session

Arguments = Mapping[str, Any]

FORCE = Parameter("forceAction", T.BOOL, False)
MANUAL = Parameter("manualInteract", T.BOOL, False)
OBJECT = Parameter("objectId", T.TEXT)
XY = (Parameter("x", T.FLOAT), Parameter("y", T.FLOAT))
XYZ = (*XY, Parameter("z", T.FLOAT))
OPTIONAL_TARGET = (
    Parameter("objectId", T.TEXT, None),
    Parameter("x", T.FLOAT, 0.0),
    Parameter("y", T.FLOAT, 0.0),
    FORCE,
)
"""Target of the engine's legacy actions: an id or else an image point."""


def ignored(name: str, kind: T, default: Any) -> Parameter:
    """A parameter that the engine itself does not read, or that only changes what is not shown."""
    return Parameter(name, kind, default, Support.IGNORED)


def default_only(name: str, kind: T, default: Any) -> Parameter:
    """A parameter of which only the default is simulated."""
    return Parameter(name, kind, default, Support.DEFAULT_ONLY)


def simple(name: str, handler: Handler, *parameters: Parameter, **flags: bool) -> Action:
    """An action with one signature."""
    return Action(name, (Signature(handler, parameters),), **flags)


def on_object(name: str, handler: Handler, *parameters: Parameter) -> Action:
    """An action whose target is given by objectId or by the image point x, y."""
    return Action(
        name,
        (Signature(handler, (OBJECT, *parameters)), Signature(handler, (*XY, *parameters))),
    )


def legacy(name: str, handler: Handler, *parameters: Parameter) -> Action:
    """A legacy action on a target, which takes any argument name silently."""
    return simple(name, handler, *OPTIONAL_TARGET, *parameters, lenient=True)


def target(session: Session, arguments: Arguments) -> str:
    """Id of an action's target."""
    key = arguments.get("objectId")
    if key is not None or "x" not in arguments:
        return key or ""
    return session.world.find_target_at(arguments["x"], arguments["y"], arguments["forceAction"])
