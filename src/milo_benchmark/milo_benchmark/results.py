"""The folder of a run: manifest.json and results.jsonl, written so that a crash costs one episode.

A line counts from the moment its newline is on the disk. A last line without one is what a crash
left of an episode; it is dropped, and cut off before the next line is written.
"""

import fcntl
import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from milo_benchmark.records import EPISODE_FORMAT, EpisodeKey, EpisodeRecord, Manifest
from milo_core.errors import MiloError

RESULTS_NAME = "results.jsonl"
MANIFEST_NAME = "manifest.json"
LOCK_NAME = ".lock"


class ResultsError(MiloError):
    """A results folder that can't be read, written or continued."""


@dataclass(frozen=True)
class ResultFile:
    """What a results file holds."""

    records: tuple[EpisodeRecord, ...]
    intact_size: int
    """Bytes up to the end of the last complete line."""
    truncated: bool
    """A crash left an incomplete last line."""

    @property
    def keys(self) -> frozenset[EpisodeKey]:
        """The episodes that are done."""
        return frozenset(record.key for record in self.records)


def parse_results(data: bytes, source: str) -> ResultFile:
    """Read the bytes of a results file; one incomplete last line is tolerated.

    Raises:
        ResultsError: another line is damaged, or an episode is there twice; names the line.
    """
    intact_size = data.rfind(b"\n") + 1
    records: list[EpisodeRecord] = []
    line_of: dict[EpisodeKey, int] = {}
    for number, line in enumerate(data[:intact_size].split(b"\n")[:-1], start=1):
        try:
            record = EpisodeRecord.model_validate_json(line)
        except ValidationError as error:
            _refuse_older(line, source)
            raise ResultsError(
                f"{source}, line {number} is no episode of this format "
                f"({_first_problem(error)}); restore the file or use another folder."
            ) from error
        if record.key in line_of:
            raise ResultsError(
                f"{source}, line {number} repeats the episode of line {line_of[record.key]} "
                f"({record.task_id}); delete one of them."
            )
        line_of[record.key] = number
        records.append(record)
    return ResultFile(tuple(records), intact_size, intact_size < len(data))


def _refuse_older(line: bytes, source: str) -> None:
    """Raise ResultsError if a line is an episode of an older format."""
    try:
        content = json.loads(line)
    except ValueError:
        return
    found = content.get("format") if isinstance(content, dict) else None
    if isinstance(found, int) and found < EPISODE_FORMAT:
        raise ResultsError(
            f"{source} has episodes of format {found}, this version reads {EPISODE_FORMAT}; "
            "read it with the version in its manifest.json, or play the run again elsewhere."
        )


def read_results(folder: Path) -> ResultFile:
    """Read the results of a run; a run that has none yet is empty.

    Raises:
        ResultsError: unreadable or damaged.
    """
    path = folder / RESULTS_NAME
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        data = b""
    except OSError as error:
        raise ResultsError(f"Can't read {path}: {error.strerror}.") from error
    return parse_results(data, str(path))


def read_manifest(folder: Path) -> Manifest | None:
    """Read the manifest of a run; None: there is none.

    Raises:
        ResultsError: unreadable or damaged.
    """
    path = folder / MANIFEST_NAME
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ResultsError(f"Can't read {path}: {error.strerror}.") from error
    except ValidationError as error:
        raise ResultsError(
            f"{path} is no manifest of this format ({_first_problem(error)}); give another --out."
        ) from error


def _first_problem(error: ValidationError) -> str:
    detail = error.errors()[0]
    field = ".".join(map(str, detail["loc"]))
    return f"{field}: {detail['msg']}" if field else detail["msg"]


def _differences(before: Manifest, now: Manifest) -> list[str]:
    """Name the parameters that make the episodes of two runs different."""
    names = ("planner", "profile", "player", "repeat", "seed")
    changed = [
        f"{name} was {getattr(before, name)}, now {getattr(now, name)}"
        for name in names
        if getattr(before, name) != getattr(now, name)
    ]
    if before.dataset.digest != now.dataset.digest:
        changed.append(f"the tasks were those of {before.dataset.name}, now {now.dataset.name}")
    elif before.dataset.task_ids != now.dataset.task_ids:
        counts = f"{len(before.dataset.task_ids)} tasks, now {len(now.dataset.task_ids)}"
        changed.append(f"the selection was {counts}, or other ones")
    return changed


def check_resumable(folder: Path, manifest: Manifest) -> Manifest | None:
    """Return the manifest of the run that this one continues; None: it is a new run.

    Raises:
        ResultsError: the folder holds another run.
    """
    before = read_manifest(folder)
    if before is None:
        if (folder / RESULTS_NAME).exists():
            raise ResultsError(
                f"{folder} has results but no manifest.json that says of what; give another --out."
            )
        return None
    changed = _differences(before, manifest)
    if changed:
        raise ResultsError(
            f"{folder} holds a run with other parameters ({'; '.join(changed)}); "
            "give another --out."
        )
    return before


def make_folder(folder: Path) -> None:
    """Create a folder that can be written to.

    Raises:
        ResultsError: it can't be created, or can't be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ResultsError(
            f"Can't write to {folder}: {error.strerror}; give another --out."
        ) from error


@contextmanager
def folder_lock(folder: Path, patience: float = 5.0) -> Iterator[None]:
    """Hold the folder for this process; the system frees it when the process dies.

    Args:
        folder: an existing folder.
        patience: seconds to wait for a process that is just ending.

    Raises:
        ResultsError: another process goes on holding it.
    """
    deadline = time.monotonic() + patience
    with (folder / LOCK_NAME).open("a") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                if time.monotonic() >= deadline:
                    raise ResultsError(
                        f"Another run is writing to {folder}; wait for it or give another --out."
                    ) from error
                # The system offers no wait with a limit for this lock.
                time.sleep(0.05)
        yield


class ResultsWriter:
    """Appends the episodes of one run; use it under `folder_lock`."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        """Open a new run, or continue the one in the folder if it has the same parameters.

        Raises:
            ResultsError: the folder holds another run, is damaged or can't be written.
        """
        make_folder(folder)
        before = check_resumable(folder, manifest)
        self.found = read_results(folder)
        """What was there at the start."""
        if before is not None:
            sessions = [*before.sessions, *manifest.sessions]
            manifest = before.model_copy(update={"sessions": sessions})
        self._path = folder / RESULTS_NAME
        try:
            _write_atomically(folder / MANIFEST_NAME, manifest)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
            self._file = os.open(self._path, flags | os.O_CLOEXEC, 0o644)
            if self.found.truncated:
                os.ftruncate(self._file, self.found.intact_size)
            os.fsync(self._file)
            _sync_folder(folder)
        except OSError as error:
            raise self._write_error(error) from error

    def append(self, record: EpisodeRecord) -> None:
        """Add one line and wait until it is on the disk.

        Raises:
            ResultsError: the disk refuses; what was written before is safe.
        """
        line = record.model_dump_json().encode() + b"\n"
        try:
            while line:
                line = line[os.write(self._file, line) :]
            os.fsync(self._file)
        except OSError as error:
            raise self._write_error(error) from error

    def close(self) -> None:
        """Close the file; nothing is pending."""
        os.close(self._file)

    def _write_error(self, error: OSError) -> ResultsError:
        return ResultsError(
            f"Can't write to {self._path}: {error.strerror}; the episodes before are safe, "
            "the same command goes on once that is mended."
        )


def _write_atomically(path: Path, manifest: Manifest) -> None:
    new = path.with_suffix(".json.new")
    text = json.dumps(manifest.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"
    with new.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
