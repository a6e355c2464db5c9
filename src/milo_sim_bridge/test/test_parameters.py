from typing import Any

import pytest

pytest.importorskip("rcl_interfaces", reason="needs ROS 2")

from milo_sim_bridge.engine import EngineConfig
from milo_sim_bridge.parameters import ParameterError, declare, read


class RecordingNode:
    """Takes declarations as rclpy's node does and gives the defaults back."""

    def __init__(self, **overrides: Any) -> None:
        self.overrides = overrides
        self.descriptors: dict[str, Any] = {}

    def declare_parameter(self, name: str, value: Any, descriptor: Any) -> Any:
        self.descriptors[name] = descriptor
        found = self.overrides.get(name, value)
        return type("Parameter", (), {"value": found})


def test_the_defaults_are_the_engines() -> None:
    node = RecordingNode()
    config = declare(node)
    assert config.engine == EngineConfig()
    assert config.step_duration == 100_000_000
    assert all(d.description and d.read_only for d in node.descriptors.values())


def test_values_arrive() -> None:
    config = declare(RecordingNode(player="unity", headless=False, engine_timeout=3.0, width=640))
    assert (config.engine.player, config.engine.headless) == ("unity", False)
    assert (config.engine.step_timeout, config.engine.width) == (3.0, 640)


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"player": "gazebo"}, "There is no player 'gazebo'; use milo_sim or unity."),
        ({"streams": ["color", "sound"]}, "There is no stream 'sound'; use color, depth"),
    ],
)
def test_bad_values_are_named(overrides: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        declare(RecordingNode(**overrides))


def test_read_needs_every_value() -> None:
    with pytest.raises(KeyError):
        read({"player": "unity"})
