"""MILO's ROS-free core: object types, tasks, world model, action table, goals, scoring."""

__version__ = "0.1.0"
