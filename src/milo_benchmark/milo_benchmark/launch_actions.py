"""Turns the descriptions of the graphs into actions of ROS 2 launch, for the files in launch/."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from launch import LaunchContext
from milo_benchmark.graph import ARGUMENTS, Argument, NodeSpec, RunArguments, run_graph
from milo_benchmark.robot_graph import ROBOT_ARGUMENTS, RobotArguments, robot_graph


def argument_declarations() -> list[Any]:
    """Return a declaration of every run argument."""
    return _declarations(ARGUMENTS)


def robot_argument_declarations() -> list[Any]:
    """Return a declaration of every argument of a robot's graph."""
    return _declarations(ROBOT_ARGUMENTS)


def _declarations(arguments: Sequence[Argument]) -> list[Any]:
    return [
        DeclareLaunchArgument(
            argument.name,
            default_value=argument.default,
            description=argument.description,
            choices=list(argument.choices) or None,
        )
        for argument in arguments
    ]


def graph_actions() -> Any:
    """Return the action that starts the graph of a run once the arguments are known."""
    return _starting(ARGUMENTS, lambda texts: run_graph(RunArguments.parse(texts)))


def robot_graph_actions() -> Any:
    """Return the action that starts the graph of a robot once the arguments are known."""
    return _starting(ROBOT_ARGUMENTS, lambda texts: robot_graph(RobotArguments.parse(texts)))


def _starting(
    arguments: Sequence[Argument], graph: Callable[[Mapping[str, str]], list[NodeSpec]]
) -> Any:
    def start(context: LaunchContext) -> list[Any]:
        texts = {a.name: LaunchConfiguration(a.name).perform(context) for a in arguments}
        return [node_action(spec) for spec in graph(texts)]

    return OpaqueFunction(function=start)


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
        parameters=[*map(str, spec.parameter_files), parameters],
        remappings=list(spec.remappings),
        output="screen" if spec.output == "terminal" else "log",
        on_exit=Shutdown(reason=f"{spec.name} has ended") if spec.required else None,
    )
