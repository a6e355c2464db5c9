"""Plays the episodes of a run that are not done yet, one line each."""

from collections.abc import Sequence
from typing import Protocol

from milo_benchmark.episode import EpisodeRequest, EpisodeRunner
from milo_benchmark.records import EpisodeRecord, Manifest
from milo_benchmark.results import ResultsWriter
from milo_core.tasks import Task


class RunReporter(Protocol):
    """Shows a run to whoever watches it."""

    def begin(self, request: EpisodeRequest) -> None:
        """An episode begins."""
        ...

    def end(self, record: EpisodeRecord) -> None:
        """An episode has ended and its line is on the disk."""
        ...


def plan_run(manifest: Manifest, tasks: Sequence[Task]) -> list[EpisodeRequest]:
    """Return all episodes of a run: each repeat goes once through all tasks in file order."""
    return [
        EpisodeRequest(task, manifest.planner, manifest.profile, repeat, seed)
        for repeat, seed in enumerate(manifest.seeds)
        for task in tasks
    ]


def play(
    requests: Sequence[EpisodeRequest],
    runner: EpisodeRunner,
    writer: ResultsWriter,
    reporter: RunReporter,
) -> list[EpisodeRecord]:
    """Play the episodes that have no line yet; return the records of all.

    Raises:
        EpisodeStopped: someone wants it to stop; the lines so far are on the disk.
        ResultsError: a line can't be written.
    """
    records = list(writer.found.records)
    done = writer.found.keys
    for request in requests:
        if request.key in done:
            continue
        reporter.begin(request)
        record = runner.run(request)
        writer.append(record)
        records.append(record)
        reporter.end(record)
    return records
