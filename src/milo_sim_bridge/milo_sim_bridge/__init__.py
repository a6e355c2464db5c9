"""The thor_bridge node: AI2-THOR, or a player that speaks its protocol, as a robot in ROS 2."""

__version__ = "0.1.0"
