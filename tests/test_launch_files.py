"""The launch files start the very nodes of `milo run`; with recording doubles where there is no
`launch`, else with the real classes (whose constructors check what they are given)."""

import importlib
import importlib.util
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from milo_benchmark import cli
from milo_benchmark.graph import ARGUMENTS, NodeSpec
from milo_benchmark.robot_graph import ROBOT_ARGUMENTS
from milo_benchmark.supervisor import ros_arguments

ROOT = Path(__file__).resolve().parent.parent


class _Context:
    def __init__(self) -> None:
        self.launch_configurations: dict[str, str] = {}


class _Declare:
    def __init__(
        self,
        name: str,
        *,
        default_value: str | None = None,
        description: str = "",
        choices: list[str] | None = None,
    ) -> None:
        self.name, self.default_value, self.description = name, default_value, description
        self.choices = choices

    def visit(self, context: Any) -> None:
        value = context.launch_configurations.setdefault(self.name, self.default_value)
        if self.choices and value not in self.choices:
            raise RuntimeError(f"{self.name} must be one of {self.choices}")


class _OpaqueFunction:
    def __init__(self, *, function: Any) -> None:
        self.function = function

    def visit(self, context: Any) -> Any:
        return self.function(context)


class _Configuration:
    def __init__(self, name: str) -> None:
        self.name = name

    def perform(self, context: Any) -> str:
        return context.launch_configurations[self.name]


class _Record:
    """Takes down what it is made with."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self.arguments, self.named = arguments, named


class _Description(_Record):
    @property
    def entities(self) -> Any:
        return self.arguments[0]


class _Value:
    def __init__(self, value: Any, *, value_type: type) -> None:
        assert type(value) is value_type
        self.value, self.value_type = value, value_type


def _modules() -> dict[str, dict[str, Any]]:
    return {
        "launch": {"LaunchDescription": _Description, "LaunchContext": _Context},
        "launch.actions": {
            "DeclareLaunchArgument": _Declare,
            "OpaqueFunction": _OpaqueFunction,
            "Shutdown": _Record,
        },
        "launch.substitutions": {"LaunchConfiguration": _Configuration},
        "launch_ros": {},
        "launch_ros.actions": {"Node": _Record},
        "launch_ros.parameter_descriptions": {"ParameterValue": _Value},
    }


def _real_launch() -> bool:
    try:
        importlib.import_module("launch_ros.actions")
        return hasattr(importlib.import_module("launch"), "LaunchDescription")
    except ImportError:
        return False


@pytest.fixture
def launch(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Loads a launch file and starts it with arguments; returns the nodes as they were made."""
    if not _real_launch():
        for name, members in _modules().items():
            module = types.ModuleType(name)
            vars(module).update(members)
            monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "milo_benchmark.launch_actions", raising=False)
    actions = importlib.import_module("milo_benchmark.launch_actions")
    made: list[dict[str, Any]] = []
    real_node = actions.Node

    def node(**named: Any) -> Any:
        made.append(named)
        return real_node(**named)

    monkeypatch.setattr(actions, "Node", node)

    def start(file: str, **arguments: str) -> list[dict[str, Any]]:
        spec = importlib.util.spec_from_file_location("launch_file", ROOT / "launch" / file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        context = importlib.import_module("launch").LaunchContext()
        context.launch_configurations.update(arguments)
        for entity in module.generate_launch_description().entities:
            entity.visit(context)
        return made

    yield start
    sys.modules.pop("milo_benchmark.launch_actions", None)


def commands_of_launch(made: list[dict[str, Any]]) -> list[list[str]]:
    """The processes that launch would start, in the supervisor's words."""
    specs = [
        NodeSpec(
            package=node["package"],
            executable=node["executable"],
            name=node["name"],
            namespace=node["namespace"] or "",
            parameters={name: value.value for name, value in node["parameters"][-1].items()},
            parameter_files=tuple(map(Path, node["parameters"][:-1])),
            remappings=tuple(node["remappings"]),
            required=node["on_exit"] is not None,
            output="terminal" if node["output"] == "screen" else "log",
        )
        for node in made
    ]
    return [commands(spec) for spec in specs]


def commands(spec: NodeSpec) -> list[str]:
    return [spec.package, spec.executable, str(spec.required), *ros_arguments(spec)]


def commands_of_supervisor(
    monkeypatch: pytest.MonkeyPatch, options: list[str], verb: str = "run"
) -> list[list[str]]:
    """The processes that `milo run` or `milo robot` starts."""
    seen: list[NodeSpec] = []

    class Supervisor:
        def __init__(self, specs: list[NodeSpec], *_: Any) -> None:
            seen.extend(specs)

        def run(self) -> int:
            return 0

    monkeypatch.setattr("milo_benchmark.supervisor.Supervisor", Supervisor)
    monkeypatch.setattr("milo_benchmark.supervisor.find_executable", lambda spec: [])
    assert cli.main([verb, *options]) == 0
    return [commands(spec) for spec in seen]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"planner": "rule_based", "profile": "milo", "version": "1.1"},
        {"version": "1.0", "tier": "1,3", "scene": "FloorPlan1,FloorPlan301", "repeat": "2"},
        {"task": "fp301-t3a", "seed": "-4"},
    ],
)
def test_launch_starts_what_milo_run_starts(
    launch: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: dict[str, str]
) -> None:
    given = {**arguments, "out": str(tmp_path / "out")}
    options = [part for name, value in given.items() for part in (f"--{name}", value)]
    launched = commands_of_launch(launch("run.launch.py", **given))
    assert launched == commands_of_supervisor(monkeypatch, options)
    assert len(launched) == 4


@pytest.mark.parametrize(
    ("arguments", "drivers"),
    [
        ({}, ["mock_robot"]),
        ({"driver": "sim", "planner": "rule_based"}, ["thor_bridge"]),
        ({"driver": "none", "namespace": "left/arm"}, []),
        ({"driver": "my_robot/my_driver.py", "namespace": "/left"}, ["my_driver"]),
    ],
)
def test_launch_starts_what_milo_robot_starts(
    launch: Any, monkeypatch: pytest.MonkeyPatch, arguments: dict[str, str], drivers: list[str]
) -> None:
    options = [part for name, value in arguments.items() for part in (f"--{name}", value)]
    made = launch("robot.launch.py", **arguments)
    assert [node["name"] for node in made] == [*drivers, "world_model", "planner"]
    assert commands_of_launch(made) == commands_of_supervisor(monkeypatch, options, "robot")


def test_robot_arguments_are_described(launch: Any) -> None:
    launch("robot.launch.py")
    actions = importlib.import_module("milo_benchmark.launch_actions")
    declared = {entity.name: entity for entity in actions.robot_argument_declarations()}
    assert list(declared) == [argument.name for argument in ROBOT_ARGUMENTS]
    assert all(entity.description for entity in declared.values())


@pytest.mark.parametrize(
    ("name", "value"),
    [("driver", "my robot"), ("namespace", "1st"), ("params_file", "/nowhere.yaml")],
)
def test_a_bad_robot_argument_is_refused(launch: Any, name: str, value: str) -> None:
    with pytest.raises(Exception, match=value):
        launch("robot.launch.py", **{name: value})


def test_every_argument_is_declared_with_its_default_and_choices(launch: Any) -> None:
    launch("run.launch.py")
    actions = importlib.import_module("milo_benchmark.launch_actions")
    declared = {entity.name: entity for entity in actions.argument_declarations()}
    assert list(declared) == [argument.name for argument in ARGUMENTS]
    for argument in ARGUMENTS:
        assert declared[argument.name].description == argument.description
        assert (declared[argument.name].choices or []) == list(argument.choices)


def test_texts_stay_texts(launch: Any) -> None:
    made = launch("run.launch.py", version="1.0", out="/o")
    version = made[-1]["parameters"][0]["version"]
    assert (version.value, version.value_type) == ("1.0", str)


def test_the_end_of_the_orchestrator_ends_the_launch(launch: Any) -> None:
    made = launch("run.launch.py", out="/o")
    assert [node["name"] for node in made if node["on_exit"] is not None] == ["orchestrator"]
    assert [node["name"] for node in made if node["output"] == "screen"] == ["orchestrator"]


@pytest.mark.parametrize(
    ("name", "value"), [("planner", "psychic"), ("tier", "9"), ("repeat", "none")]
)
def test_a_bad_argument_is_refused(launch: Any, name: str, value: str) -> None:
    with pytest.raises(Exception, match=value if name != "planner" else name):
        launch("run.launch.py", **{name: value})


def test_the_root_folder_has_the_only_copy() -> None:
    linked = ROOT / "src/milo_benchmark/launch"
    assert linked.is_symlink()
    assert linked.resolve() == ROOT / "launch"
