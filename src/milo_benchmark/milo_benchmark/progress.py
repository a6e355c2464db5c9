"""Shows a run: a live bar on a terminal, and one line an episode everywhere."""

import os
from types import TracebackType

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from milo_benchmark.episode import EpisodeRequest, State
from milo_benchmark.records import EpisodeRecord


def failure_words(record: EpisodeRecord) -> str:
    """Return class, detail, unmet preconditions and blame of a failure; empty: none is known."""
    if record.failure_class is None:
        return ""
    words = str(record.failure_class)
    details = [*([record.failure_detail] if record.failure_detail else ())]
    details += record.unmet_preconditions
    if details:
        words += f" ({', '.join(details)})"
    return f"{words} by {record.blame}" if record.blame else words


def episode_line(record: EpisodeRecord, *, explain: bool = False) -> Text:
    """Return the line of one episode: what was played, whether it worked, how long, why not.

    Args:
        record: the episode.
        explain: with the class of its failure.
    """
    goal = ("GOAL_OK", "green") if record.goal_success else ("GOAL_FAIL", "bold red")
    strict = ("strict OK", "green") if record.goal_success_strict else ("strict NO", "red")
    executed = "exec OK" if record.execution_success else "exec FAIL"
    cause = record.failure_cause or ""
    if not record.judged:
        cause = f"{record.end_reason} {record.error_code}: {cause}"
    if explain:
        cause = "; ".join(part for part in (failure_words(record), cause) if part)
    line = Text.assemble(
        f"{record.planner} {record.scene:<12} {record.task_id:<19} ",
        (f"{goal[0]:<9}", goal[1]),
        " ",
        strict,
        f" {executed:<9} {record.time.wall_clock_ms:>3.0f} ms",
    )
    return line.append(f"  {' '.join(cause.split())}", "yellow") if cause else line


class QuietConsole(Console):
    """A console that falls silent when its reader went away, so that the run goes on."""

    def on_broken_pipe(self) -> None:
        """Write to nowhere from now on; rich itself would end the process."""
        self.quiet = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.file.fileno())
        os.close(nowhere)


def show(*contents: RenderableType | str, console: Console | None = None) -> None:
    """Print texts, whole wherever no window limits them, and tables."""
    console = console or QuietConsole(highlight=False)
    for content in contents:
        text = Text(content) if isinstance(content, str) else content
        console.print(text, soft_wrap=isinstance(text, Text))
    console.file.flush()


class ProgressDisplay:
    """A run's display, as a context; used by one thread."""

    def __init__(self, total: int, done: int, console: Console | None = None) -> None:
        self._console = console or QuietConsole(highlight=False)
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._bar = self._progress.add_task("starting", total=total, completed=done)
        self._current = ""

    def __enter__(self) -> "ProgressDisplay":
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def begin(self, request: EpisodeRequest) -> None:
        """Show which episode begins."""
        self._current = request.task.task_id

    def state(self, state: State) -> None:
        """Show which state the episode is in."""
        self._progress.update(self._bar, description=f"{self._current} {state:<8}")

    def end(self, record: EpisodeRecord) -> None:
        """Show how an episode ended."""
        self._progress.advance(self._bar)
        self.show(episode_line(record))

    def show(self, content: RenderableType | str) -> None:
        """Print above the bar."""
        show(content, console=self._console)
