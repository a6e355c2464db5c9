"""Turns the description of the graph into actions of ROS 2 launch, for the files in launch/."""

from typing import Any

from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from launch import LaunchContext
from milo_benchmark.graph import ARGUMENTS, NodeSpec, RunArguments, run_graph


def argument_declarations() -> list[Any]:
    """Return a declaration of every run argument."""
    return [
        DeclareLaunchArgument(
            argument.name,
            default_value=argument.default,
            description=argument.description,
            choices=list(argument.choices) or None,
        )
        for argument in ARGUMENTS
    ]


def graph_actions() -> Any:
    """Return the action that starts the graph once the arguments are known."""
    return OpaqueFunction(function=_start)


def _start(context: LaunchContext) -> list[Any]:
    texts = {a.name: LaunchConfiguration(a.name).perform(context) for a in ARGUMENTS}
    return [node_action(spec) for spec in run_graph(RunArguments.parse(texts))]


def node_action(spec: NodeSpec) -> Any:
    """Return the launch action of one node."""
    # A plain text would be read as YAML, which makes a number of the version 1.1.
    parameters = {
        name: ParameterValue(value, value_type=type(value))
        for name, value in spec.parameters.items()
    }
    return Node(
        package=spec.package,
        executable=spec.executable,
        name=spec.name,
        namespace=spec.namespace or None,
        parameters=[parameters],
        remappings=list(spec.remappings),
        output="screen" if spec.output == "terminal" else "log",
        on_exit=Shutdown(reason=f"{spec.name} has ended") if spec.required else None,
    )
