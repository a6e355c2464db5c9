"""Several runs side by side: controls beside a planner, a profile beside the other."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from milo_benchmark.records import EpisodeRecord, Manifest
from milo_benchmark.results import ResultFile, ResultsError, read_manifest, read_results
from milo_core.statistics import wilson_interval


@dataclass(frozen=True)
class Run:
    """The folder of a run, read."""

    folder: Path
    manifest: Manifest
    results: ResultFile


def load_run(folder: Path) -> Run:
    """Read the folder of a run.

    Raises:
        ResultsError: it holds none, or it is damaged.
    """
    manifest = read_manifest(folder)
    if manifest is None:
        raise ResultsError(f"{folder} holds no run; give the folder that `milo run` named.")
    return Run(folder, manifest, read_results(folder))


@dataclass(frozen=True)
class RunScores:
    """What the table shows of one run; shares and means are 0..1, NaN without episodes."""

    episodes: int
    goal: float
    """Share of episodes that succeed by the published rule."""
    strict: float
    interval: tuple[float, float]
    """95 % Wilson score interval of `strict`."""
    conditions: float
    """Mean share of sub-goals that are true by the strict rule."""
    spl: float | None
    """Mean over the episodes that have one; None: none has."""
    side_effect_free: float | None
    """Share of the scored episodes; None: none was scored."""
    actions: float
    """Mean number of actions that were dispatched."""


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def score_run(records: Sequence[EpisodeRecord]) -> RunScores:
    """Return the scores of a run."""
    successes = sum(record.goal_success_strict for record in records)
    paths = [record.spl for record in records if record.spl is not None]
    tidy = [r.side_effect_free for r in records if r.side_effect_free is not None]
    return RunScores(
        episodes=len(records),
        goal=_mean([record.goal_success for record in records]),
        strict=_mean([record.goal_success_strict for record in records]),
        interval=wilson_interval(successes, len(records)),
        conditions=_mean([record.goal_conditions_strict for record in records]),
        spl=_mean(paths) if paths else None,
        side_effect_free=_mean(tidy) if tidy else None,
        actions=_mean([record.dispatched_count for record in records]),
    )


def comparison_remarks(runs: Sequence[Run]) -> list[str]:
    """Return why the rows of the table can't be compared, one sentence each."""
    found: list[str] = []
    tasks = {(run.manifest.dataset.digest, *run.manifest.dataset.task_ids) for run in runs}
    if len(tasks) > 1:
        found.append("The runs are over different tasks, so their rows can't be compared.")
    scenes: dict[str, set[str]] = {}
    for record in (record for run in runs for record in run.results.records):
        if record.scene_digest:
            scenes.setdefault(record.scene, set()).add(record.scene_digest)
    differing = sorted(scene for scene, digests in scenes.items() if len(digests) > 1)
    if differing:
        some = ", ".join(differing[:3]) + (", ..." if len(differing) > 3 else "")
        found.append(f"Scenes began differently ({some}), so the rows can't be compared.")
    if len({run.manifest.player for run in runs}) > 1:
        found.append("The runs were played on different players.")
    for run in runs:
        done, expected = len(run.results.records), run.manifest.episode_count
        if done < expected:
            found.append(f"{run.folder} is not complete: {done} of {expected} episodes are done.")
    return found


def failure_counts(records: Sequence[EpisodeRecord]) -> str:
    """Return how often each failure class occurs, most frequent first, with its details."""
    classes = Counter(str(r.failure_class) for r in records if r.failure_class)
    parts = []
    for name, count in sorted(classes.items(), key=lambda item: (-item[1], item[0])):
        own = [str(r.failure_detail) for r in records if r.failure_class == name]
        details = Counter(detail for detail in own if detail != "None")
        words = ", ".join(f"{detail} {n}" for detail, n in sorted(details.items()))
        parts.append(f"{name} {count}" + (f" ({words})" if words else ""))
    return ", ".join(parts)


def _share(value: float | None) -> str:
    return "-" if value is None or math.isnan(value) else f"{value:.1%}"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def _table(runs: Sequence[Run]) -> Table:
    # Narrow enough for 80 columns.
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for name in ("planner", "profile"):
        table.add_column(name, no_wrap=True)
    names = ("n", "goal", "strict", "95 % interval", "cond", "spl", "tidy", "acts")
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for run in runs:
        scores = score_run(run.results.records)
        low, high = scores.interval
        table.add_row(
            run.manifest.planner,
            run.manifest.profile,
            str(scores.episodes),
            _share(scores.goal),
            _share(scores.strict),
            f"{low:.1%}-{high:.1%}",
            _number(scores.conditions, 2),
            _number(scores.spl, 2),
            _share(scores.side_effect_free),
            _number(scores.actions, 1),
        )
    return table


def render_comparison(runs: Sequence[Run]) -> RenderableType:
    """Return one table of several runs with their failures, for a rich console."""
    remarks = [Text(f"* {text}") for text in comparison_remarks(runs)]
    lines = []
    for run in runs:
        counts = failure_counts(run.results.records) or "none"
        name = f"{run.manifest.planner} {run.manifest.profile}"
        lines.append(Text(f"{name}: {counts}  [{run.folder}]"))
    return Group(_table(runs), *remarks, Text(), Text("Failures", "bold"), *lines)
