"""The node world_model: the only publisher of WorldState."""

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node

from milo_core.errors import MiloError
from milo_msgs.msg import SimMetadata, WorldState
from milo_planner.conversions import world_state_from_metadata
from milo_ros.qos import LATCHED

WORLD_SOURCES = ("simulated",)


class UnknownWorldSourceError(MiloError):
    """A world_source that doesn't exist."""


class WorldModelNode(Node):
    """Publishes `world_state` from what `world_source` says is known.

    Source `simulated`: every `sim/metadata` message is taken as truth.
    """

    def __init__(self) -> None:
        super().__init__("world_model")
        descriptor = ParameterDescriptor(
            description="Where facts come from.",
            additional_constraints=f"one of {', '.join(WORLD_SOURCES)}",
            read_only=True,
        )
        source = self.declare_parameter("world_source", "simulated", descriptor).value
        if source not in WORLD_SOURCES:
            raise UnknownWorldSourceError(
                f"There is no world_source '{source}'; use {', '.join(WORLD_SOURCES)}."
            )
        self._publisher = self.create_publisher(WorldState, "world_state", LATCHED)
        self.create_subscription(SimMetadata, "sim/metadata", self._on_metadata, LATCHED)

    def _on_metadata(self, metadata: SimMetadata) -> None:
        self._publisher.publish(world_state_from_metadata(metadata))
