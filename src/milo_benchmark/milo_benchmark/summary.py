"""The table of a run, derived from its lines and nothing else."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from milo_benchmark.records import EpisodeRecord, is_strict
from milo_core.statistics import wilson_interval
from milo_core.tasks import TIERS


@dataclass(frozen=True)
class SummaryRow:
    """The scores of some episodes."""

    name: str
    episodes: int
    goal_successes: int
    strict_successes: int
    successes: int
    """By the rule of the profile."""
    interval: tuple[float, float]
    """95 % Wilson score interval of the success rate by the rule of the profile, 0..1."""
    execution_successes: int
    plan_successes: int
    mean_ms: float
    """Planning and execution; 0 without episodes."""

    @property
    def rate(self) -> float:
        """Of success by the rule of the profile, 0..1; 0 without episodes."""
        return self.successes / self.episodes if self.episodes else 0.0


def _row(name: str, records: Sequence[EpisodeRecord]) -> SummaryRow:
    successes = sum(record.success for record in records)
    times = [record.time.wall_clock_ms for record in records]
    return SummaryRow(
        name=name,
        episodes=len(records),
        goal_successes=sum(record.goal_success for record in records),
        strict_successes=sum(record.goal_success_strict for record in records),
        successes=successes,
        interval=wilson_interval(successes, len(records)),
        execution_successes=sum(record.execution_success for record in records),
        plan_successes=sum(record.plan_success for record in records),
        mean_ms=sum(times) / len(times) if times else 0.0,
    )


def summarize(records: Sequence[EpisodeRecord]) -> list[SummaryRow]:
    """Return a row for every tier that occurs, and one for all."""
    by_tier = {
        tier: [record for record in records if record.difficulty_tier == tier] for tier in TIERS
    }
    rows = [_row(tier, chosen) for tier, chosen in by_tier.items() if chosen]
    return [*rows, _row("all", records)]


def remarks(records: Sequence[EpisodeRecord], expected: int | None = None) -> list[str]:
    """Return what a reader of the table must know about these lines, one sentence each."""
    found: list[str] = []
    if expected is not None and len(records) < expected:
        found.append(f"The run is not complete: {len(records)} of {expected} episodes are done.")
    reasons = Counter(record.end_reason for record in records if not record.judged)
    for reason, count in sorted(reasons.items()):
        found.append(
            f"{count} episode(s) ended with {reason} and count as failures, "
            "although they say nothing about the agent."
        )
    if any(record.repeat for record in records):
        found.append("Repeats are counted as episodes; for a deterministic planner n is too high.")
    if len({record.versions_digest for record in records}) > 1:
        found.append("The lines come from different versions of the software, see manifest.json.")
    return found


_MANY = 100
"""Episodes from which on the table leaves out what it can."""


def _table(records: Sequence[EpisodeRecord], title: str) -> Table:
    # Narrow enough for 80 columns. Rate and interval stand behind the rule of the profile.
    strict_counts = bool(records) and is_strict(records[0].profile)
    first, second = ("strict", "goal") if strict_counts else ("goal", "strict")
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        padding=(0, 0, 0, 1),
        pad_edge=False,
    )
    table.add_column("tier", no_wrap=True)
    for name in (first, "rate", "95 % interval", second, "exec", "plan", "ms"):
        table.add_column(name, justify="right", no_wrap=True)
    rows = summarize(records)
    for row in rows:
        if row is rows[-1]:
            table.add_section()
        low, high = row.interval
        other = row.goal_successes if strict_counts else row.strict_successes
        counts = (row.successes, other, row.execution_successes, row.plan_successes)
        # Three digits would not fit; the first column tells how many there were.
        total = f"/{row.episodes}" if len(records) < _MANY else ""
        texts = [f"{counts[0]}/{row.episodes}", *(f"{count}{total}" for count in counts[1:])]
        table.add_row(
            row.name,
            texts[0],
            f"{row.rate:.1%}",
            f"{low:.1%}-{high:.1%}",
            *texts[1:],
            f"{row.mean_ms:.0f}",
        )
    return table


def render(
    records: Sequence[EpisodeRecord], title: str, expected: int | None = None
) -> RenderableType:
    """Return the table by tier with its remarks, for a rich console."""
    notes = [Text(f"* {text}") for text in remarks(records, expected)]
    return Group(_table(records, title), *notes)
