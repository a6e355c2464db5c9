"""Planners and the executor of plans: ROS-free cores under thin nodes."""

__version__ = "0.1.0"
