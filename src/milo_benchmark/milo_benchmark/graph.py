"""The one description of the node graph, and of the arguments that shape it.

Launch files turn it into launch actions, the supervisor into processes; neither has a list of its
own. Importing this module is cheap: a wrong argument is answered before anything heavy is loaded.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from milo_core.errors import MiloError

ParameterValue = bool | int | float | str
Kind = Literal["text", "integer", "list"]


class ArgumentError(MiloError):
    """A run argument that can't be used."""


@dataclass(frozen=True)
class Argument:
    """One argument of a benchmark run: `--tasks-file X` on the command line, `tasks_file:=X` in
    a launch, parameter `tasks_file` of the orchestrator.
    """

    name: str
    default: str
    description: str
    choices: tuple[str, ...] = ()
    """Empty: checked elsewhere. An empty text among them means any."""
    kind: Kind = "text"
    """A `list` is comma-separated; on the command line it may also be repeated."""
    minimum: int | None = None


ARGUMENTS: tuple[Argument, ...] = (
    Argument(
        "planner",
        "rule_based",
        "Strategy that decides what to do, or a control: noop, random, oracle.",
        ("rule_based", "behavior_tree", "htn", "pddl", "noop", "random", "oracle"),
    ),
    Argument("profile", "milo", "Rules of acting and scoring.", ("milo", "strict")),
    Argument(
        "version",
        "1.1",
        "Task set: a version of the MILO Benchmark, or milo-120, 600 tasks in all 120 scenes.",
        ("1.0", "1.1", "milo-120"),
    ),
    Argument("tier", "", "Only tasks of these tiers, 1 to 5.", kind="list"),
    Argument("scene", "", "Only tasks in these scenes, e.g. FloorPlan301.", kind="list"),
    Argument(
        "task", "", "Only these tasks: full ids or unique endings, e.g. fp301-t3a.", kind="list"
    ),
    Argument(
        "split",
        "",
        "Only tasks in the scenes of this split of AI2-THOR's.",
        ("", "train", "val", "test"),
    ),
    Argument("repeat", "1", "How often each task is played.", kind="integer", minimum=1),
    Argument("seed", "0", "Seed of the first repeat; each further one adds 1.", kind="integer"),
    Argument("out", "", "Folder of the results; empty: a new one under runs/."),
    Argument(
        "player",
        "milo_sim",
        "What simulates: the built-in player, or AI2-THOR's Unity.",
        ("milo_sim", "unity"),
    ),
    Argument("x_display", "", "X display on which Unity draws, e.g. :0; empty: the environment's."),
    Argument(
        "platform",
        "",
        "Unity's build: Linux64 (X display) or CloudRendering (Vulkan); empty: what works.",
    ),
    Argument(
        "local_executable_path", "", "Path of a player to start instead of the named one's own."
    ),
    Argument("tasks_file", "", "A task file of your own, in place of the dataset."),
)
"""Every argument of a run, for launch files, command line and orchestrator alike."""

_ENGINE_ARGUMENTS = ("x_display", "platform", "local_executable_path")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


class ArgumentTexts:
    """The texts of some arguments, read and checked one by one.

    Raises:
        ArgumentError: one of the texts belongs to no argument.
    """

    def __init__(
        self, texts: Mapping[str, str | Sequence[str]], arguments: Sequence[Argument]
    ) -> None:
        self._known = {argument.name: argument for argument in arguments}
        for name in texts:
            if name not in self._known:
                names = ", ".join(self._known)
                raise ArgumentError(f"There is no argument '{name}'; use {names}.")
        self._texts = texts

    def text(self, name: str) -> str:
        """Return a text, one of the choices where there are any."""
        argument = self._known[name]
        value = self._texts.get(name, argument.default)
        if not isinstance(value, str):
            raise ArgumentError(f"{_option(name)} can be given only once.")
        if argument.choices and value not in argument.choices:
            choices = ", ".join(filter(None, argument.choices))
            raise ArgumentError(f"There is no {name} '{value}'; use {choices}.")
        return value

    def integer(self, name: str) -> int:
        """Return a whole number."""
        text = self.text(name).strip()
        # 18 digits: a seed travels as int64.
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
            raise ArgumentError(f"{_option(name)} needs a whole number, not '{text}'.")
        minimum = self._known[name].minimum
        if minimum is not None and int(text) < minimum:
            raise ArgumentError(f"{_option(name)} must be at least {minimum}, not {text}.")
        return int(text)

    def items(self, name: str) -> tuple[str, ...]:
        """Return the parts of a list, each once."""
        value = self._texts.get(name, self._known[name].default)
        texts = [value] if isinstance(value, str) else value
        parts = (part.strip() for text in texts for part in text.split(","))
        return tuple(dict.fromkeys(part for part in parts if part))

    def path(self, name: str) -> Path | None:
        """Return an absolute path; None: the text is empty."""
        text = self.text(name)
        return Path(text).expanduser().absolute() if text else None


def _tiers(texts: Sequence[str]) -> tuple[int, ...]:
    for text in texts:
        if text not in {"1", "2", "3", "4", "5"}:
            raise ArgumentError(f"There is no tier '{text}'; use 1, 2, 3, 4 or 5.")
    return tuple(sorted(int(text) for text in texts))


@dataclass(frozen=True)
class RunArguments:
    """The checked arguments of a run; `out` and `tasks_file` are absolute paths."""

    planner: str
    profile: str
    version: str
    tier: tuple[int, ...]
    scene: tuple[str, ...]
    task: tuple[str, ...]
    split: str
    repeat: int
    seed: int
    out: Path
    player: str
    x_display: str
    platform: str
    local_executable_path: Path | None
    tasks_file: Path | None

    @classmethod
    def parse(
        cls, texts: Mapping[str, str | Sequence[str]], now: datetime | None = None
    ) -> "RunArguments":
        """Read the arguments from texts; one that is absent gets its default.

        Args:
            texts: argument name -> text, or several texts for a list.
            now: time that names a default `out`.

        Raises:
            ArgumentError: an unknown name, or a value that is not allowed.
        """
        read = ArgumentTexts(texts, ARGUMENTS)
        planner, profile, version = read.text("planner"), read.text("profile"), read.text("version")
        tasks_file = read.path("tasks_file")
        set_name = f"v{version}" if version[0].isdigit() else version
        dataset = tasks_file.stem if tasks_file else set_name
        stamp = f"{now or datetime.now(UTC):%Y%m%dT%H%M%SZ}"
        default_out = Path("runs", f"{stamp}-{planner}-{profile}-{dataset}").absolute()
        return cls(
            planner=planner,
            profile=profile,
            version=version,
            tier=_tiers(read.items("tier")),
            scene=read.items("scene"),
            task=read.items("task"),
            split=read.text("split"),
            repeat=read.integer("repeat"),
            seed=read.integer("seed"),
            out=read.path("out") or default_out,
            player=read.text("player"),
            x_display=read.text("x_display"),
            platform=read.text("platform"),
            local_executable_path=read.path("local_executable_path"),
            tasks_file=tasks_file,
        )

    def texts(self) -> dict[str, str]:
        """Return the arguments as texts that `parse` reads back."""
        return {
            "planner": self.planner,
            "profile": self.profile,
            "version": self.version,
            "tier": ",".join(map(str, self.tier)),
            "scene": ",".join(self.scene),
            "task": ",".join(self.task),
            "split": self.split,
            "repeat": str(self.repeat),
            "seed": str(self.seed),
            "out": str(self.out),
            "player": self.player,
            "x_display": self.x_display,
            "platform": self.platform,
            "local_executable_path": str(self.local_executable_path or ""),
            "tasks_file": str(self.tasks_file or ""),
        }


@dataclass(frozen=True)
class NodeSpec:
    """One ROS 2 node of the graph, as one process."""

    package: str
    executable: str
    name: str
    namespace: str = ""
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)
    parameter_files: tuple[Path, ...] = ()
    """YAML files with parameters, which give way to `parameters`."""
    remappings: tuple[tuple[str, str], ...] = ()
    condition: bool = True
    """Started only if true."""
    required: bool = False
    """The whole graph ends when it ends, with its exit code."""
    output: Literal["log", "terminal"] = "log"


def simulator_driver(parameters: Mapping[str, ParameterValue]) -> NodeSpec:
    """Return the driver that is a simulator."""
    return NodeSpec("milo_sim_bridge", "thor_bridge", "thor_bridge", parameters=parameters)


def agent(world_source: str, planner: str) -> list[NodeSpec]:
    """Return what turns tasks into skill goals; the same for every driver."""
    return [
        NodeSpec(
            "milo_planner", "world_model", "world_model", parameters={"world_source": world_source}
        ),
        NodeSpec("milo_planner", "planner", "planner", parameters={"planner": planner}),
    ]


def run_graph(arguments: RunArguments) -> list[NodeSpec]:
    """Return the nodes that play the benchmark, those to start."""
    texts = arguments.texts()
    engine = {name: texts[name] for name in _ENGINE_ARGUMENTS if texts[name]}
    specs = [
        simulator_driver({"player": arguments.player, **engine}),
        *agent("simulated", arguments.planner),
        NodeSpec(
            package="milo_benchmark",
            executable="orchestrator",
            name="orchestrator",
            parameters={**texts, "autostart": True},
            required=True,
            output="terminal",
        ),
    ]
    return [spec for spec in specs if spec.condition]
