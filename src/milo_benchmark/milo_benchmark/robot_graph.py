"""The graph of a robot: a driver and the agent, without the benchmark.

Simulator and robot differ only in the driver: world_model and planner are those of a run.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from milo_benchmark.graph import (
    ARGUMENTS,
    Argument,
    ArgumentError,
    ArgumentTexts,
    NodeSpec,
    agent,
    simulator_driver,
)

PARAMETERS_FILE = "parameters.yaml"
GLOBAL_NAMES = ("/tf", "/tf_static", "/clock", "/diagnostics")
"""Absolute by ROS's convention; in a namespace they must be remapped, or two graphs would meet."""
_EXECUTABLE = r"[A-Za-z_][A-Za-z0-9_]*/[A-Za-z0-9_.-]+"
_NAMESPACE = r"/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*/?"

ROBOT_ARGUMENTS: tuple[Argument, ...] = (
    Argument(
        "driver",
        "mock",
        "What moves: mock (no hardware), sim (AI2-THOR or milo_sim), PACKAGE/EXECUTABLE of your "
        "own, or none (it runs already).",
    ),
    next(argument for argument in ARGUMENTS if argument.name == "planner"),
    Argument("namespace", "", "Namespace of the whole graph, e.g. left; empty: none."),
    Argument("params_file", "", "YAML file with the nodes' parameters; empty: the shipped one."),
)
"""Every argument of a robot's graph, for its launch file and the command line alike."""


@dataclass(frozen=True)
class RobotArguments:
    """The checked arguments of a robot's graph."""

    driver: str
    planner: str
    namespace: str
    params_file: Path

    @classmethod
    def parse(cls, texts: Mapping[str, str | Sequence[str]]) -> "RobotArguments":
        """Read the arguments from texts; one that is absent gets its default.

        Raises:
            ArgumentError: an unknown name, or a value that is not allowed.
        """
        read = ArgumentTexts(texts, ROBOT_ARGUMENTS)
        driver, namespace = read.text("driver"), read.text("namespace")
        if driver not in ("mock", "sim", "none") and not re.fullmatch(_EXECUTABLE, driver):
            raise ArgumentError(
                f"There is no driver '{driver}'; use mock, sim, none or PACKAGE/EXECUTABLE."
            )
        if namespace and not re.fullmatch(_NAMESPACE, namespace):
            raise ArgumentError(
                f"'{namespace}' is no namespace; use letters, digits and _, parted by /."
            )
        path = read.path("params_file") or default_parameters_file()
        if not path.is_file():
            raise ArgumentError(f"There is no parameter file {path}; leave params_file out.")
        return cls(driver, read.text("planner"), namespace.strip("/"), path)


def default_parameters_file() -> Path:
    """Return the parameters that are installed with this package, or lie beside its sources."""
    beside = Path(__file__).resolve().parent.parent / "config" / PARAMETERS_FILE
    if beside.exists():
        return beside
    from ament_index_python.packages import get_package_share_directory

    return Path(get_package_share_directory("milo_benchmark"), "config", PARAMETERS_FILE)


def _drivers(driver: str) -> list[NodeSpec]:
    if driver == "none":
        return []
    if driver == "sim":
        return [simulator_driver({})]
    if driver == "mock":
        return [NodeSpec("milo_sim_bridge", "mock_robot", "mock_robot")]
    package, _, executable = driver.partition("/")
    return [NodeSpec(package, executable, Path(executable).stem)]


def robot_graph(arguments: RobotArguments) -> list[NodeSpec]:
    """Return the nodes of a robot's graph."""
    source = "simulated" if arguments.driver == "sim" else "sensed"
    namespace = arguments.namespace
    remappings = tuple((name, name[1:]) for name in GLOBAL_NAMES) if namespace else ()
    return [
        replace(
            spec,
            namespace=namespace,
            remappings=remappings,
            parameter_files=(arguments.params_file,),
        )
        for spec in (*_drivers(arguments.driver), *agent(source, arguments.planner))
    ]
