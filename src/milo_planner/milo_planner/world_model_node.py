"""The node world_model: the only publisher of WorldState."""

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node

from milo_core.errors import MiloError
from milo_msgs.msg import SimMetadata, WorldState
from milo_planner.conversions import world_state_from_metadata
from milo_planner.sensed_world import SensedWorld
from milo_ros.qos import LATCHED

WORLD_SOURCES = ("simulated", "sensed")


class UnknownWorldSourceError(MiloError):
    """A world_source that doesn't exist."""


class WorldModelNode(Node):
    """Publishes `world_state` from what `world_source` says is known.

    Source `simulated`: every `sim/metadata` message is taken as truth. Source `sensed`: the facts
    on `object_states`, which a robot's driver observes, are folded; there is no simulator truth.
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
        self._sensed = SensedWorld()
        if source == "simulated":
            self.create_subscription(SimMetadata, "sim/metadata", self._on_metadata, LATCHED)
        else:
            self.create_subscription(WorldState, "object_states", self._on_facts, LATCHED)

    def _on_metadata(self, metadata: SimMetadata) -> None:
        self._publisher.publish(world_state_from_metadata(metadata))

    def _on_facts(self, message: WorldState) -> None:
        known = len(self._sensed.refused)
        self._publisher.publish(self._sensed.fold(message))
        if len(self._sensed.refused) > known:
            self.get_logger().error(
                "object_states holds facts that claim to be simulator truth; they are left out. "
                f"A driver's own facts are sensed or assumed: {', '.join(self._sensed.refused)}."
            )
