"""The command line: `milo run`, `milo robot`, `milo tasks`, `milo results` and more.

Bad input is answered with one sentence on standard error and exit code 2, before anything heavy is
imported and before anything starts.
"""

# ruff: noqa: E402 - Ctrl-C must find its handler before the imports below, which take a while.
import os
import signal

signal.signal(signal.SIGINT, lambda *_: os._exit(130))
# A starter may have blocked it, so that Python's own start is not interrupted halfway.
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from milo_benchmark.graph import ARGUMENTS, NodeSpec, RunArguments, run_graph
from milo_benchmark.robot_graph import ROBOT_ARGUMENTS, RobotArguments, robot_graph
from milo_core.errors import MiloError

_BY_NAME = {argument.name: argument for argument in (*ROBOT_ARGUMENTS, *ARGUMENTS)}
_DEFAULT = {name: argument.default for name, argument in _BY_NAME.items()}
_SETTINGS: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
}
# typer may bring its own copy of click; its public classes lead to that copy's exceptions.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]

app = typer.Typer(help="Play and read the MILO Benchmark.", **_SETTINGS)
tasks_app = typer.Typer(help="List, check and generate tasks.", **_SETTINGS)
results_app = typer.Typer(help="Look at the results of runs.", **_SETTINGS)
app.add_typer(tasks_app, name="tasks")
app.add_typer(results_app, name="results")


def _option(name: str) -> Any:
    argument = _BY_NAME[name]
    text = argument.description
    if argument.choices:
        text += f" One of: {', '.join(filter(None, argument.choices))}."
    if argument.default:
        text += f" Default: {argument.default}."
    metavar = {"integer": "N", "list": "X[,X...]"}.get(argument.kind, "TEXT")
    return typer.Option(
        f"--{name.replace('_', '-')}", help=text, metavar=metavar, show_default=False
    )


_Texts = list[str] | None
Planner = Annotated[str, _option("planner")]
Profile = Annotated[str, _option("profile")]
Version = Annotated[str, _option("version")]
Tier = Annotated[_Texts, _option("tier")]
Scene = Annotated[_Texts, _option("scene")]
Task = Annotated[_Texts, _option("task")]
Split = Annotated[str, _option("split")]
Repeat = Annotated[str, _option("repeat")]
Seed = Annotated[str, _option("seed")]
Out = Annotated[str, _option("out")]
Player = Annotated[str, _option("player")]
XDisplay = Annotated[str, _option("x_display")]
Platform = Annotated[str, _option("platform")]
LocalExecutable = Annotated[str, _option("local_executable_path")]
TasksFile = Annotated[str, _option("tasks_file")]
Driver = Annotated[str, _option("driver")]
Namespace = Annotated[str, _option("namespace")]
ParamsFile = Annotated[str, _option("params_file")]


@app.command()
def run(
    planner: Planner = _DEFAULT["planner"],
    profile: Profile = _DEFAULT["profile"],
    version: Version = _DEFAULT["version"],
    tier: Tier = None,
    scene: Scene = None,
    task: Task = None,
    split: Split = _DEFAULT["split"],
    repeat: Repeat = _DEFAULT["repeat"],
    seed: Seed = _DEFAULT["seed"],
    out: Out = _DEFAULT["out"],
    player: Player = _DEFAULT["player"],
    x_display: XDisplay = _DEFAULT["x_display"],
    platform: Platform = _DEFAULT["platform"],
    local_executable_path: LocalExecutable = _DEFAULT["local_executable_path"],
    tasks_file: TasksFile = _DEFAULT["tasks_file"],
) -> None:
    """Play tasks through the ROS 2 graph; the same --out again goes on where it stopped."""
    arguments = RunArguments.parse(
        {
            "planner": planner,
            "profile": profile,
            "version": version,
            "tier": tier or [],
            "scene": scene or [],
            "task": task or [],
            "split": split,
            "repeat": repeat,
            "seed": seed,
            "out": out,
            "player": player,
            "x_display": x_display,
            "platform": platform,
            "local_executable_path": local_executable_path,
            "tasks_file": tasks_file,
        }
    )
    raise typer.Exit(_run_graph(arguments))


def _run_graph(arguments: RunArguments) -> int:
    """Check what can be checked, then start the graph and wait for its end."""
    from contextlib import ExitStack

    from milo_benchmark.domain import own_domain
    from milo_benchmark.manifest import build_manifest, select_tasks
    from milo_benchmark.results import check_resumable, folder_lock, make_folder, read_results
    from milo_benchmark.supervisor import Supervisor, find_executable, node_environment

    task_set, tasks = select_tasks(arguments)
    specs = run_graph(arguments)
    for spec in specs:
        find_executable(spec)  # a missing one is told before the folder is made
    make_folder(arguments.out)
    check_resumable(arguments.out, build_manifest(arguments, task_set, tasks))
    read_results(arguments.out)
    logs = arguments.out / "logs"
    make_folder(logs)
    with ExitStack() as stack:
        # One lock for the logs, held here; that of the results belongs to the orchestrator.
        stack.enter_context(folder_lock(logs))
        with folder_lock(arguments.out):
            pass
        domain = stack.enter_context(own_domain())
        return Supervisor(specs, logs, node_environment(domain, logs)).run()


@app.command()
def robot(
    driver: Driver = _DEFAULT["driver"],
    planner: Planner = _DEFAULT["planner"],
    namespace: Namespace = _DEFAULT["namespace"],
    params_file: ParamsFile = _DEFAULT["params_file"],
) -> None:
    """Start a driver and the agent until Ctrl-C; tasks go to its action run_task."""
    arguments = RobotArguments.parse(
        {
            "driver": driver,
            "planner": planner,
            "namespace": namespace,
            "params_file": params_file,
        }
    )
    raise typer.Exit(_run_robot(arguments))


def _run_robot(arguments: RobotArguments) -> int:
    """Start the graph in the caller's ROS domain, where the robot may be already."""
    import tempfile

    from milo_benchmark.supervisor import Supervisor, find_executable, node_environment

    specs = robot_graph(arguments)
    for spec in specs:
        find_executable(spec)
    domain = int(os.environ.get("ROS_DOMAIN_ID") or 0)
    logs = Path(tempfile.mkdtemp(prefix="milo-robot-"))
    typer.echo(
        f"{', '.join(spec.name for spec in specs)} in ROS domain {domain}, namespace "
        f"/{arguments.namespace}; logs in {logs}. Ctrl-C ends them."
    )
    environment = node_environment(domain, logs)
    # The robot may be another computer.
    name = "ROS_AUTOMATIC_DISCOVERY_RANGE"
    environment[name] = os.environ.get(name, environment[name])
    return Supervisor(specs, logs, environment).run()


@app.command(
    "check-driver",
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def check_driver(context: typer.Context) -> None:
    """Check the driver of the running graph against the robot contract (see its --help)."""
    from milo_benchmark.supervisor import find_executable

    command = find_executable(NodeSpec("milo_sim_bridge", "check_driver", "check_driver"))
    sys.stdout.flush()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execv(command[0], [*command, *context.args])


@tasks_app.command("list")
def list_tasks(
    version: Version = _DEFAULT["version"],
    tier: Tier = None,
    scene: Scene = None,
    task: Task = None,
    split: Split = _DEFAULT["split"],
    tasks_file: TasksFile = _DEFAULT["tasks_file"],
) -> None:
    """List the tasks that these options select."""
    from milo_benchmark.manifest import select_tasks

    texts = {"version": version, "split": split, "tasks_file": tasks_file}
    lists = {"tier": tier or [], "scene": scene or [], "task": task or []}
    for found in select_tasks(RunArguments.parse({**texts, **lists}))[1]:
        goals = "; ".join(str(goal) for goal in found.sub_goals())
        typer.echo(f"{found.task_id:<20} {found.scene:<12} tier {found.tier}  {goals}")


@tasks_app.command("validate")
def validate_tasks(file: Annotated[Path, typer.Argument(help="A tasks.json.")]) -> None:
    """Check a task file; every fault is named with row and field."""
    from milo_core.tasks import load_task_file

    tasks = load_task_file(file)
    typer.echo(f"{file} is valid: {len(tasks)} tasks, SHA-256 {tasks.digest}.")


@tasks_app.command("generate")
def generate_tasks(
    out: Annotated[Path, typer.Option(help="The file to write.")],
    scenes: Annotated[
        list[str] | None,
        typer.Option(
            metavar="X[,X...]",
            help="FloorPlanN, kitchens, living_rooms, bedrooms, bathrooms, train, val, test, all.",
        ),
    ] = None,
    tiers: Annotated[
        list[str] | None, typer.Option(metavar="N[,N...]", help="Tiers. Default: 1,2,3,4,5.")
    ] = None,
    n: Annotated[
        str, typer.Option("--n", help="How many tasks. Default: one a scene and tier.")
    ] = "",
    seed: Annotated[str, typer.Option(help="Other seeds make other tasks.")] = "0",
    name: Annotated[str, typer.Option(help="What every task id begins with.")] = "generated",
    jobs: Annotated[str, typer.Option(help="Processes; they don't change the result.")] = "2",
) -> None:
    """Make new tasks; each is played by the oracle and by noop before it is kept."""
    from milo_benchmark.task_generation import check_writable, generate, parse_order, to_bytes
    from milo_benchmark.task_generation import write as write_tasks

    texts = {"n": n, "seed": seed, "name": name, "jobs": jobs}
    order, processes = parse_order(scenes or [], tiers or [], texts)
    check_writable(out)
    tasks = generate(
        order,
        processes,
        lambda report: typer.echo(
            f"{report.scene:<12} {len(report.tasks)} tasks, {len(report.refused)} refused"
        ),
    )
    write_tasks(out, to_bytes(tasks))
    typer.echo(f"{out}: {len(tasks)} tasks.")


@tasks_app.command("check")
def check_tasks(
    version: Version = _DEFAULT["version"],
    tier: Tier = None,
    scene: Scene = None,
    task: Task = None,
    split: Split = _DEFAULT["split"],
    tasks_file: TasksFile = _DEFAULT["tasks_file"],
    out: Annotated[Path | None, typer.Option(help="Report, one line of JSON a task.")] = None,
) -> None:
    """Play tasks with oracle and noop; exit code 1 if one can't be done, or is done by nothing."""
    from milo_benchmark.manifest import select_tasks
    from milo_benchmark.task_check import check_tasks, summary, write_report
    from milo_benchmark.task_generation import check_writable

    texts = {"version": version, "split": split, "tasks_file": tasks_file}
    lists = {"tier": tier or [], "scene": scene or [], "task": task or []}
    chosen = select_tasks(RunArguments.parse({**texts, **lists}))[1]
    if out is not None:
        check_writable(out)
    checks = check_tasks(chosen, lambda check: typer.echo(check.line()))
    for line in summary(checks):
        typer.echo(line)
    if out is not None:
        write_report(out, checks)
    raise typer.Exit(0 if all(check.sound for check in checks) else 1)


@results_app.command("show")
def show_results(
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDER...", help="Folders of runs; several: compare.")
    ],
) -> None:
    """Show the table of a run and what failed, or compare several runs, from their lines alone."""
    from milo_benchmark.comparison import load_run, render_comparison
    from milo_benchmark.progress import episode_line, show
    from milo_benchmark.summary import render

    runs = [load_run(folder) for folder in folders]
    if len(runs) > 1:
        show(render_comparison(runs))
        return
    manifest, results = runs[0].manifest, runs[0].results
    title = f"{manifest.planner}, profile {manifest.profile}, tasks of {manifest.dataset.name}"
    failed = [record for record in results.records if not record.success]
    show(*(episode_line(record, explain=True) for record in failed))
    show(render(results.records, title, manifest.episode_count))
    if results.truncated:
        show("The last line is incomplete (a crash) and was left out.")


@app.command()
def parity(
    a: Annotated[str, typer.Option("--a", help="milo_sim, unity or an executable.")],
    b: Annotated[str, typer.Option("--b", help="The other player.")] = "milo_sim",
    planner: Planner = _DEFAULT["planner"],
    profile: Profile = _DEFAULT["profile"],
    version: Version = _DEFAULT["version"],
    tier: Tier = None,
    scene: Scene = None,
    task: Task = None,
    tasks_file: TasksFile = _DEFAULT["tasks_file"],
    x_display: XDisplay = _DEFAULT["x_display"],
    platform: Platform = _DEFAULT["platform"],
    out: Annotated[str, typer.Option(help="File for all differences, one JSON a line.")] = "",
) -> None:
    """Play tasks on two players and report in what they differ; exit code 1 if in anything."""
    from milo_benchmark.manifest import select_tasks
    from milo_benchmark.parity import compare, report, write
    from milo_benchmark.parity_play import player_config

    arguments = RunArguments.parse(
        {
            "planner": planner,
            "profile": profile,
            "version": version,
            "tier": tier or [],
            "scene": scene or [],
            "task": task or [],
            "tasks_file": tasks_file,
        }
    )
    configs = [player_config(name, x_display, platform) for name in (a, b)]
    tasks = select_tasks(arguments)[1]
    differences = compare(
        configs[0],
        configs[1],
        tasks,
        arguments.planner,
        arguments.profile,
        lambda left, _, found: typer.echo(f"{left.task_id:<20} {len(found)} differences"),
    )
    report(differences, len(tasks), (a, b))
    if out:
        write(Path(out), differences)
    raise typer.Exit(1 if differences else 0)


@app.command("version")
def show_version() -> None:
    """Show the versions of everything that may change a result."""
    from milo_benchmark.manifest import collect_versions

    for name, text in collect_versions().items():
        typer.echo(f"{name:<16} {text}")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    try:
        code = app(arguments, prog_name="milo", standalone_mode=False)
    except MiloError as error:
        return _complain(str(error))
    except _UsageError as error:
        return _complain(_usage_sentence(error))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code if isinstance(code, int) else 0


def _usage_sentence(error: Any) -> str:
    """Return click's message with its cure, as one sentence."""
    text = error.format_message().rstrip(".")
    command = error.ctx.command_path if error.ctx is not None else "milo"
    return f"{text}; `{command} --help` shows what it takes."


def _complain(text: str) -> int:
    print(f"milo: {' '.join(text.split())}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
