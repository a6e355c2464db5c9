"""The benchmark: ros2 launch milo_benchmark run.launch.py planner:=rule_based profile:=milo.

The arguments are those of `./milo run`, and so are the nodes.
"""

from launch import LaunchDescription
from milo_benchmark.launch_actions import argument_declarations, graph_actions


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the graph."""
    return LaunchDescription([*argument_declarations(), graph_actions()])
