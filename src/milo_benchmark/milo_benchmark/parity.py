"""`milo parity`: the same tasks on two players, and in what the players differ."""

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from milo_benchmark.parity_compare import Difference, Kind, compare_tasks, grouped
from milo_benchmark.parity_play import (
    EngineConfig,
    ParityError,
    RecordingEngine,
    TaskRecord,
    play,
)
from milo_core.profiles import get_profile
from milo_core.tasks import Task

_LISTED = 40


def compare(
    a: EngineConfig,
    b: EngineConfig,
    tasks: Sequence[Task],
    planner: str = "rule_based",
    profile: str = "milo",
    on_task: Callable[[TaskRecord, TaskRecord, Sequence[Difference]], None] = lambda *_: None,
) -> list[Difference]:
    """Play the tasks on both players at once and return all differences.

    Raises:
        ParityError: neither player can play the first task.
    """
    rules = get_profile(profile)
    differences: list[Difference] = []
    with ExitStack() as stack:
        engines = [RecordingEngine(config) for config in (a, b)]
        for engine in engines:
            stack.callback(engine.close)
        for number, task in enumerate(tasks):
            jobs = [
                engine.submit(partial(play, engine, task, planner, rules)) for engine in engines
            ]
            left, right = (job.result() for job in jobs)
            if not number and not (left.actions and right.actions):
                broken = left if not left.actions else right
                raise ParityError(f"A player does not start: {broken.failure}")
            found = compare_tasks(left, right)
            differences += found
            on_task(left, right, found)
    return differences


def report(differences: Sequence[Difference], task_count: int, names: tuple[str, str]) -> None:
    """Print what differs, grouped by its place."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
    groups = grouped(differences)
    outcomes = {d.task_id for d in differences if d.kind is Kind.OUTCOME}
    console.print(
        f"{task_count - len(outcomes)} of {task_count} tasks end alike on {names[0]} (a) and "
        f"{names[1]} (b)."
    )
    if groups:
        table = Table(title_justify="left")
        headings = ("what", "where", "count", "tasks", "largest", "first: a", "b")
        for heading in headings:
            table.add_column(heading, overflow="fold")
        for group in groups[:_LISTED]:
            assert group.example is not None
            largest = "" if group.largest != group.largest else f"{group.largest:.3g}"
            where = group.place or group.example.action
            texts = (group.example.a, group.example.b)
            table.add_row(
                str(group.kind), where, str(group.count), str(len(group.tasks)), largest, *texts
            )
        console.print(table)
    if len(groups) > _LISTED:
        console.print(f"{len(groups) - _LISTED} more places; --out writes all of them.")


def write(path: Path, differences: Sequence[Difference]) -> None:
    """Write every difference as a line of JSON.

    Raises:
        ParityError: the file can't be written.
    """
    lines = []
    for difference in differences:
        # JSON has no NaN.
        entry = asdict(difference) | ({"size": None} if difference.size != difference.size else {})
        lines.append(json.dumps(entry, ensure_ascii=False))
    try:
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    except OSError as error:
        raise ParityError(f"{path} can't be written: {error.strerror}.") from error
