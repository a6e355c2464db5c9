"""The parameters of thor_bridge."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor

from milo_core.errors import MiloError
from milo_sim_bridge.engine import EngineConfig

PLAYERS = ("milo_sim", "unity")


class ParameterError(MiloError):
    """A parameter that can't be used."""


@dataclass(frozen=True)
class BridgeConfig:
    """What the parameters mean."""

    engine: EngineConfig
    step_duration: int
    """Simulated nanoseconds that an engine action takes."""


def _number(low: float, high: float) -> dict[str, Any]:
    return {"floating_point_range": [FloatingPointRange(from_value=low, to_value=high)]}


def _count(low: int, high: int) -> dict[str, Any]:
    return {"integer_range": [IntegerRange(from_value=low, to_value=high)]}


_DEFAULTS = EngineConfig()
_PARAMETERS: tuple[tuple[str, Any, str, Mapping[str, Any]], ...] = (
    (
        "player",
        _DEFAULTS.player,
        "The simulator to start.",
        {"additional_constraints": f"One of {', '.join(PLAYERS)}."},
    ),
    (
        "local_executable_path",
        "",
        "Path of a player executable to start instead of the named player's own; empty: none.",
        {},
    ),
    ("width", _DEFAULTS.width, "Width of the camera image, pixels.", _count(1, 8192)),
    ("height", _DEFAULTS.height, "Height of the camera image, pixels.", _count(1, 8192)),
    ("grid_size", _DEFAULTS.grid_size, "Width of the cells of motion, metres.", _number(0.01, 5.0)),
    (
        "visibility_distance",
        _DEFAULTS.visibility_distance,
        "How far the agent sees and reaches, metres.",
        _number(0.01, 100.0),
    ),
    (
        "engine_timeout",
        _DEFAULTS.step_timeout,
        "After how many seconds a player that does not answer is killed.",
        _number(0.01, 86400.0),
    ),
    (
        "start_timeout",
        _DEFAULTS.start_timeout,
        "After how many seconds a player that does not start is killed.",
        _number(0.01, 86400.0),
    ),
    (
        "headless",
        _DEFAULTS.headless,
        "The player sends no images.",
        {"additional_constraints": "The player milo_sim sends none: true."},
    ),
    (
        "step_duration",
        0.1,
        "Simulated seconds that every engine action takes; /clock advances by it.",
        _number(0.001, 3600.0),
    ),
)


def declare(node: Any) -> BridgeConfig:
    """Declare all parameters on a node and read them; they can't change afterwards.

    Raises:
        ParameterError: a value can't be used.
    """
    values: dict[str, Any] = {}
    for name, default, description, constraints in _PARAMETERS:
        descriptor = ParameterDescriptor(description=description, read_only=True, **constraints)
        values[name] = node.declare_parameter(name, default, descriptor).value
    return read(values)


def read(values: Mapping[str, Any]) -> BridgeConfig:
    """Turn parameter values into a configuration.

    Raises:
        ParameterError: a value can't be used.
    """
    player = values["player"]
    if player not in PLAYERS:
        raise ParameterError(f"There is no player '{player}'; use {' or '.join(PLAYERS)}.")
    if player == "milo_sim" and not values["headless"]:
        raise ParameterError("The player milo_sim sends no images; set headless to true.")
    engine = EngineConfig(
        player=cast(Literal["milo_sim", "unity"], player),
        executable=values["local_executable_path"],
        width=values["width"],
        height=values["height"],
        grid_size=values["grid_size"],
        visibility_distance=values["visibility_distance"],
        headless=values["headless"],
        step_timeout=values["engine_timeout"],
        start_timeout=values["start_timeout"],
    )
    return BridgeConfig(engine=engine, step_duration=round(values["step_duration"] * 1e9))
