"""From a client's message to a checked call: overloads, argument names and argument types.

Follows AI2-THOR's ``ActionDispatcher`` (Apache-2.0, Allen Institute for Artificial Intelligence):
the signature with most arguments named in the message is chosen, then unknown names, types and
missing arguments are checked in this order. Error texts are the engine's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from milo_sim.arguments import ConversionError, Parameter, Support, text_of
from milo_sim.cameras import RENDER_ARGUMENTS
from milo_sim.errors import ActionFailed

if TYPE_CHECKING:
    from milo_sim.session import Session

Handler = Callable[["Session", Mapping[str, Any]], Any]

# Names every action takes without declaring them (DynamicServerAction of the engine).
_GLOBAL_ARGUMENTS = frozenset({"action", "agentId", "sequenceId"}) | RENDER_ARGUMENTS


@dataclass(frozen=True)
class Signature:
    """One way to call an action, and what runs then."""

    handler: Handler
    parameters: tuple[Parameter, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """Names of all parameters."""
        return frozenset(parameter.name for parameter in self.parameters)

    @property
    def order(self) -> tuple[int, int]:
        """The engine tries signatures with fewer required, then with fewer parameters first."""
        required = sum(parameter.is_required for parameter in self.parameters)
        return required, len(self.parameters)

    def describe(self, action: str) -> str:
        """The signature as the engine prints it."""
        return f"Void {action}({', '.join(map(str, self.parameters))})"


@dataclass(frozen=True)
class Action:
    """One action of the engine.

    Attributes:
        name: As the client sends it.
        signatures: Overloads, in the engine's order of trial.
        lenient: Legacy ``ServerAction`` form, which takes any argument name silently.
        fast_emit: The action changes nothing, so its answer is a METADATA_PATCH when the session
            has fastActionEmit.
    """

    name: str
    signatures: tuple[Signature, ...]
    lenient: bool = False
    fast_emit: bool = False


@dataclass(frozen=True)
class Call:
    """An action with its handler and complete, typed arguments."""

    action: Action
    handler: Handler
    arguments: Mapping[str, Any]


class Dispatcher:
    """Finds the call that a message means."""

    def __init__(self, actions: Iterable[Action], unsupported: Iterable[str]) -> None:
        self._actions = {action.name: action for action in actions}
        self._unsupported = frozenset(unsupported)

    def resolve(self, message: Mapping[str, Any]) -> Call:
        """Check a message and complete it with defaults.

        Raises:
            ActionFailed: With the engine's text and errorCode InvalidAction, MissingArguments or
                InvalidArgument, on which ``ai2thor.Controller`` raises ValueError.
        """
        name = text_of(message.get("action"))
        action = self._find(name)
        signature = _best_signature(action, message)
        if not action.lenient:
            _check_names(action, signature, message)
        return Call(action, signature.handler, _arguments(name, signature, message))

    def _find(self, name: str) -> Action:
        if name in self._unsupported:
            raise ActionFailed(
                f"{name} is not supported by milo_sim; run it with AI2-THOR's own player.",
                error_code="InvalidAction",
            )
        if name not in self._actions:
            raise ActionFailed(f"Invalid action: {name}", error_code="InvalidAction")
        return self._actions[name]


def _best_signature(action: Action, message: Mapping[str, Any]) -> Signature:
    # max keeps the first of equals, as the engine does.
    return max(
        sorted(action.signatures, key=lambda signature: signature.order),
        key=lambda signature: len(signature.names & message.keys()),
    )


def _check_names(action: Action, signature: Signature, message: Mapping[str, Any]) -> None:
    given = [name for name in message if name not in _GLOBAL_ARGUMENTS]
    unknown = [name for name in given if name not in signature.names]
    if not unknown:
        return
    ways = sorted(
        sorted(action.signatures, key=lambda way: way.order),
        key=lambda way: -len(way.names & message.keys()),
    )
    raise ActionFailed(
        f'\n\tAction: "{action.name}" called with invalid argument{"s" * (len(unknown) > 1)}:'
        f" {_quoted(unknown)}"
        f"\n\tExpected arguments: {', '.join(map(str, signature.parameters))}"
        f"\n\tYour arguments: {_quoted(given)}"
        f'\n\tValid ways to call "{action.name}" action:'
        + "".join(f"\n\t\t{way.describe(action.name)}" for way in ways),
        error_code="InvalidArgument",
    )


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _arguments(action: str, signature: Signature, message: Mapping[str, Any]) -> Mapping[str, Any]:
    arguments: dict[str, Any] = {}
    missing: list[str] = []
    for parameter in signature.parameters:
        if parameter.name in message:
            value = _convert(action, parameter, message[parameter.name])
            _check_support(action, parameter, value)
            arguments[parameter.name] = value
        elif parameter.is_required:
            missing.append(parameter.name)
        else:
            arguments[parameter.name] = parameter.default
    if missing:
        raise ActionFailed(
            f"action: {action} is missing the following arguments: {','.join(missing)}",
            error_code="MissingArguments",
        )
    return arguments


def _convert(action: str, parameter: Parameter, value: Any) -> Any:
    try:
        return parameter.type.convert(value)
    except ConversionError as error:
        raise ActionFailed(
            f"action: {action} has an invalid argument: {parameter.name} (=={text_of(value)})."
            f" Cannot convert to: {parameter.type.error_name}",
            error_code="InvalidArgument",
        ) from error


def _check_support(action: str, parameter: Parameter, value: Any) -> None:
    if parameter.support is Support.DEFAULT_ONLY and value != parameter.default:
        raise ActionFailed(
            f"{parameter.name}={text_of(value)} of {action} is not supported by milo_sim;"
            f" leave it out or set {text_of(parameter.default) or 'null'}.",
            error_code="InvalidArgument",
        )
