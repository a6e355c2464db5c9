"""The parameters of thor_bridge."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor

from milo_core.errors import MiloError
from milo_sim_bridge import unity
from milo_sim_bridge.engine import EngineConfig
from milo_sim_bridge.images import STREAMS
from milo_sim_bridge.velocity import VelocityConfig

PLAYERS = ("milo_sim", "unity")
UNITY_PLATFORMS = unity.PLATFORMS
_VELOCITY = VelocityConfig()


class ParameterError(MiloError):
    """A parameter that can't be used."""


@dataclass(frozen=True)
class BridgeConfig:
    """What the parameters mean."""

    engine: EngineConfig
    step_duration: int
    """Simulated nanoseconds that an engine action takes."""
    streams: frozenset[str] = frozenset(STREAMS)
    """Pictures that are offered."""
    rate: float = 10.0
    """Pictures a second while the robot rests and somebody looks; 0: only with actions."""
    velocity: VelocityConfig = _VELOCITY
    stamped_velocity: bool = True
    """`cmd_vel` is a TwistStamped, else a Twist."""


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
    (
        "x_display",
        _DEFAULTS.x_display,
        "X display on which Unity draws, e.g. :0; empty: that of the environment.",
        {},
    ),
    (
        "platform",
        _DEFAULTS.platform,
        "Which of Unity's builds to start; empty: the first that works.",
        {"additional_constraints": f"One of {', '.join(p for p in UNITY_PLATFORMS if p)}."},
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
        "The player is started without images; Unity then needs no display.",
        {},
    ),
    (
        "field_of_view",
        _DEFAULTS.field_of_view,
        "Vertical angle of view of the camera, degrees.",
        _number(1.0, 179.0),
    ),
    (
        "streams",
        list(STREAMS),
        "Pictures on offer; those that nobody subscribes to are not rendered.",
        {"additional_constraints": f"Any of {', '.join(STREAMS)}."},
    ),
    (
        "rate",
        10.0,
        "Pictures a second (wall clock) while the robot rests and somebody subscribes to them; "
        "each is an engine action of its own. 0: only with the actions that skills take.",
        _number(0.0, 1000.0),
    ),
    (
        "enable_stamped_cmd_vel",
        True,
        "cmd_vel is a geometry_msgs/TwistStamped, else a geometry_msgs/Twist.",
        {},
    ),
    (
        "cmd_vel_timeout",
        _VELOCITY.timeout,
        "After how many seconds a velocity command is no longer followed.",
        _number(0.01, 60.0),
    ),
    (
        "turn_step",
        math.degrees(_VELOCITY.turn_step),
        "Degrees that a turn by cmd_vel is made of.",
        _number(1.0, 180.0),
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
    unity.platform_class(values["platform"])
    streams = frozenset(values["streams"])
    unknown = sorted(streams - set(STREAMS))
    if unknown:
        raise ParameterError(f"There is no stream '{unknown[0]}'; use {', '.join(STREAMS)}.")
    engine = EngineConfig(
        player=cast(Literal["milo_sim", "unity"], player),
        executable=values["local_executable_path"],
        x_display=values["x_display"],
        platform=values["platform"],
        width=values["width"],
        height=values["height"],
        grid_size=values["grid_size"],
        visibility_distance=values["visibility_distance"],
        headless=values["headless"] or not streams,
        field_of_view=values["field_of_view"],
        step_timeout=values["engine_timeout"],
        start_timeout=values["start_timeout"],
    )
    return BridgeConfig(
        engine=engine,
        step_duration=round(values["step_duration"] * 1e9),
        streams=streams,
        rate=values["rate"],
        velocity=VelocityConfig(
            cell=values["grid_size"],
            turn_step=math.radians(values["turn_step"]),
            timeout=values["cmd_vel_timeout"],
        ),
        stamped_velocity=values["enable_stamped_cmd_vel"],
    )
