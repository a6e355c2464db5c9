"""Builds the manifest of a run: parameters, versions, digests, host."""

import hashlib
import importlib
import json
import os
import platform
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import milo_sim
from milo_benchmark.graph import RunArguments
from milo_benchmark.records import DatasetRecord, HostRecord, Manifest, SessionRecord
from milo_core.tasks import Task, TaskSet, load_task_file, load_tasks

_DISTRIBUTIONS = (
    "milo_core",
    "milo_ros",
    "milo_sim",
    "milo_sim_bridge",
    "milo_planner",
    "milo_benchmark",
    "ai2thor",
    "numpy",
    "pydantic",
    "rclpy",
)


def utc_now() -> str:
    """Return the time as ISO 8601 text, UTC, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def select_tasks(arguments: RunArguments) -> tuple[TaskSet, tuple[Task, ...]]:
    """Return the task set of a run and the tasks it selects.

    Raises:
        TaskSetError: unusable file, or a selection that names nothing.
    """
    if arguments.tasks_file is not None:
        task_set = load_task_file(arguments.tasks_file)
    else:
        task_set = load_tasks(arguments.version)
    chosen = task_set.select(
        tiers=arguments.tier,
        scenes=arguments.scene,
        task_ids=arguments.task,
        split=arguments.split,
    )
    return task_set, chosen


def _git(folder: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(folder), *arguments]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip()


def _git_commit() -> str | None:
    """Return the commit this code is from, marked `-dirty` with changes; None: no checkout."""
    file = Path(__file__).resolve()
    if _git(file.parent, "ls-files", "--error-unmatch", file.name) is None:
        return None  # installed below somebody else's checkout
    return _git(file.parent, "describe", "--always", "--abbrev=40", "--dirty", "--exclude=*")


def _version_of(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        pass
    try:
        return str(importlib.import_module(name).__version__)
    except (ImportError, AttributeError):
        return None


def collect_versions() -> dict[str, str]:
    """Return name -> version of everything that may change a result."""
    versions = {
        "python": platform.python_version(),
        "ros_distro": os.environ.get("ROS_DISTRO", "unknown"),
    }
    found = {name: _version_of(name) for name in _DISTRIBUTIONS}
    found["git_commit"] = _git_commit()
    return versions | {name: text for name, text in found.items() if text is not None}


def digest_of(values: Mapping[str, str]) -> str:
    """Return a short name (16 hex digits of a SHA-256) for a mapping."""
    text = json.dumps(dict(values), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def scene_data_digest(player: str) -> str | None:
    """Return what identifies the built-in player's scene data; None: another player."""
    if player != "milo_sim":
        return None
    return milo_sim.scene_data_digest()


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def describe_host() -> HostRecord:
    """Return the machine this process runs on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return HostRecord(
        operating_system=platform.platform(),
        architecture=platform.machine(),
        cpu=_cpu_model(),
        cores=os.cpu_count() or 1,
        memory_gib=round(memory / 2**30, 1),
    )


def build_manifest(arguments: RunArguments, task_set: TaskSet, tasks: Sequence[Task]) -> Manifest:
    """Return the manifest of a new run; its only session is the one that begins now."""
    now = utc_now()
    versions = collect_versions()
    session = SessionRecord(
        session_id=uuid.uuid4().hex,
        started_at=now,
        versions=versions,
        versions_digest=digest_of(versions),
        scene_data_digest=scene_data_digest(arguments.player),
        ros_domain_id=os.environ.get("ROS_DOMAIN_ID"),
        host=describe_host(),
    )
    return Manifest(
        run_id=uuid.uuid4().hex,
        created_at=now,
        planner=arguments.planner,
        profile=arguments.profile,
        player=arguments.player,
        repeat=arguments.repeat,
        seed=arguments.seed,
        seeds=[arguments.seed + index for index in range(arguments.repeat)],
        arguments=arguments.texts(),
        dataset=DatasetRecord(
            name=task_set.name,
            digest=task_set.digest,
            task_ids=[task.task_id for task in tasks],
        ),
        episode_count=len(tasks) * arguments.repeat,
        sessions=[session],
    )
