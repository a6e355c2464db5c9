"""A robot: ros2 launch milo_benchmark robot.launch.py driver:=mock|sim|none|PACKAGE/EXECUTABLE.

Starts the driver and the agent, which then serves the action run_task. The arguments are those of
`./milo robot`, and so are the nodes.
"""

from launch import LaunchDescription
from milo_benchmark.launch_actions import robot_argument_declarations, robot_graph_actions


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the graph."""
    return LaunchDescription([*robot_argument_declarations(), robot_graph_actions()])
