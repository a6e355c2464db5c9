"""Task sets: the frozen MILO Benchmark v1.0 and v1.1, our milo-120, and files of the same schema.

Loading is strict: whatever is wrong is an error that names file, row and field. Schema and
invariants follow the dataset card of `naishashetty/milo_benchmark` (MIT, see NOTICE).
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StrictStr, ValidationError

from milo_core.errors import MiloError
from milo_core.object_types import (
    OBJECT_TYPES,
    ObjectType,
    UnknownObjectTypeError,
    to_object_type,
)
from milo_core.scenes import SPLITS, UnknownSceneError, normalize_scene, room_type, split_of

Tier = Literal["tier1_locate", "tier2_pickup", "tier3_store", "tier4_multi_step", "tier5_state"]
TIERS: tuple[Tier, ...] = get_args(Tier)
"""Tiers 1 to 4 are those of the MILO Benchmark, each harder than the one before; tier 5 (open,
close, turn on, turn off) is a further kind of task, not a further difficulty."""
TIER_NUMBERS: tuple[int, ...] = tuple(range(1, len(TIERS) + 1))
STATE_GOALS: tuple[str, ...] = ("open", "close", "turn_on", "turn_off")
VERBS_OF_TIER: dict[str, tuple[str, ...]] = {
    "tier1_locate": ("find",),
    "tier2_pickup": ("pick_up",),
    "tier3_store": ("store",),
    "tier4_multi_step": ("store",),
    "tier5_state": STATE_GOALS,
}
"""The goal verbs of a flat row, and of each subtask in tier 4."""

VERSION_DIGESTS: dict[str, str] = {
    "1.0": "20bfaff8265824933b0f7aea7760dda8bf428e4d7621b08a23d79c3dfe172568",
    "1.1": "3cb424f4714e452d0fb496fffe40118497c58bb344c9b42a759b82aebae0ae3f",
    "milo-120": "f38fbc987ea017fe3f000563f6f1d1dd503885d3866e07302eb52343481bcc4d",
}
"""Dataset version -> SHA-256 of its tasks.json. `1.0` and `1.1` are the MILO Benchmark as it was
published; `milo-120` are 600 tasks of our own in all 120 scenes."""


class TaskSetError(MiloError):
    """A task file that can't be used, or a selection that names nothing."""


@dataclass(frozen=True)
class SubGoal:
    """One (goal, object, target) triple; names are as written in the task."""

    goal: str
    object: str | None = None
    target: str | None = None

    def __str__(self) -> str:
        return " ".join(part for part in (self.goal, self.object, self.target) if part)


Text = Annotated[StrictStr, Field(min_length=1)]


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Subtask(_Row):
    """One sub-goal of a tier-4 row."""

    goal: Text
    object: Text
    target: Text


class Task(_Row):
    """One row of a task file, fields as in the dataset."""

    task_id: StrictStr = Field(pattern=r"^[a-z0-9][a-z0-9.\-]*$")
    scene: Text
    room_type: Literal["kitchen", "living_room", "bedroom", "bathroom"]
    difficulty_tier: Tier
    instruction: Text
    goal: Text | None = None
    object: Text | None = None
    target: Text | None = None
    subtasks: list[Subtask] | None = None
    notes: StrictStr | None = None

    @property
    def tier(self) -> int:
        """1 to 5."""
        return TIERS.index(self.difficulty_tier) + 1

    def sub_goals(self) -> tuple[SubGoal, ...]:
        """Return the goals to attempt in order: one, or one a subtask."""
        if self.subtasks is not None:
            return tuple(SubGoal(s.goal, s.object, s.target) for s in self.subtasks)
        assert self.goal is not None  # guaranteed by the loader
        return (SubGoal(self.goal, self.object, self.target),)


@dataclass(frozen=True)
class TaskSet:
    """The tasks of one file in file order, with what identifies the file."""

    name: str
    """`1.0`, `1.1`, `milo-120`, or the path of a user's own file."""
    digest: str
    """SHA-256 of the file's bytes."""
    tasks: tuple[Task, ...]

    def __len__(self) -> int:
        return len(self.tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)

    def find(self, task_id: str) -> Task:
        """Return the task with this id, or the only one whose id ends with it.

        Raises:
            TaskSetError: no task matches, or several do.
        """
        exact = [t for t in self.tasks if t.task_id == task_id]
        found = exact or [t for t in self.tasks if t.task_id.endswith(task_id)]
        if len(found) == 1:
            return found[0]
        if not found:
            raise TaskSetError(
                f"No task of {self.name} is called '{task_id}'; `milo tasks list` shows them all."
            )
        ids = ", ".join(t.task_id for t in found[:4]) + (", ..." if len(found) > 4 else "")
        raise TaskSetError(f"'{task_id}' is the ending of several tasks ({ids}); give more of it.")

    def select(
        self,
        *,
        tiers: Sequence[int] = (),
        scenes: Sequence[str] = (),
        task_ids: Sequence[str] = (),
        split: str = "",
    ) -> tuple[Task, ...]:
        """Return the tasks that meet all the given conditions, in file order; empty means any.

        Raises:
            TaskSetError: an unknown tier, scene, task or split, or nothing is left.
        """
        for tier in tiers:
            if tier not in TIER_NUMBERS:
                raise TaskSetError(f"There is no tier {tier}; use 1, 2, 3, 4 or 5.")
        if split and split not in SPLITS:
            raise TaskSetError(f"There is no split '{split}'; use {', '.join(SPLITS)}.")
        try:
            wanted = {normalize_scene(s) for s in scenes}
        except UnknownSceneError as error:
            raise TaskSetError(str(error)) from error
        known = {t.scene for t in self.tasks}
        for scene in sorted(wanted - known):
            raise TaskSetError(
                f"{self.name} has no task in {scene}; its scenes are {', '.join(sorted(known))}."
            )
        ids = {self.find(task_id).task_id for task_id in task_ids}
        chosen = tuple(
            t
            for t in self.tasks
            if (not tiers or t.tier in tiers)
            and (not wanted or t.scene in wanted)
            and (not ids or t.task_id in ids)
            and (not split or split_of(t.scene) == split)
        )
        if not chosen:
            raise TaskSetError(
                f"No task of {self.name} meets all conditions at once; drop --tier, --scene, "
                "--task or --split."
            )
        return chosen


class _RowChecker:
    """Collects what is wrong with the rows of one file."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.problems: list[str] = []

    def report(self, index: int, task_id: object, field: str, text: str) -> None:
        name = f" ({task_id})" if isinstance(task_id, str) else ""
        self.problems.append(f"row {index + 1}{name}, field '{field}': {text}")

    def parse(self, index: int, row: object) -> Task | None:
        if not isinstance(row, dict):
            self.report(index, None, "row", f"must be an object, not {type(row).__name__}")
            return None
        try:
            return Task.model_validate(row)
        except ValidationError as error:
            for detail in error.errors():
                field = ".".join(str(part) for part in detail["loc"])
                self.report(index, row.get("task_id"), field, _sentence(detail))
        return None

    def check(self, index: int, task: Task) -> None:
        """Check what a field alone can't show."""

        def wrong(field: str, text: str) -> None:
            self.report(index, task.task_id, field, text)

        try:
            scene = normalize_scene(task.scene)
        except UnknownSceneError as error:
            wrong("scene", str(error))
        else:
            if scene != task.scene:
                wrong("scene", f"must be written {scene}")
            elif room_type(scene) != task.room_type:
                wrong("room_type", f"{scene} is a {room_type(scene)}, not a {task.room_type}")
        encoded = re.search(r"-fp(\d+)-t(\d)[a-z]$", task.task_id)
        if encoded and (f"FloorPlan{encoded[1]}", int(encoded[2])) != (task.scene, task.tier):
            wrong("task_id", f"says fp{encoded[1]} and t{encoded[2]}, the row says otherwise")
        if task.tier == 4:
            self._check_multi_step(task, wrong)
        else:
            self._check_flat(task, wrong)

    def _check_multi_step(self, task: Task, wrong: Any) -> None:
        for field in ("goal", "object", "target"):
            if getattr(task, field) is not None:
                wrong(field, "must be null in tier 4, the subtasks hold the goals")
        if task.subtasks is None or len(task.subtasks) != 2:
            wrong("subtasks", "must hold exactly two sub-goals in tier 4")
            return
        for number, subtask in enumerate(task.subtasks):
            goal = SubGoal(subtask.goal, subtask.object, subtask.target)
            self._check_goal(task, goal, f"subtasks.{number}.", wrong)
        if task.subtasks[0].object == task.subtasks[1].object:
            wrong("subtasks.1.object", "must differ from the first sub-goal's object")

    def _check_flat(self, task: Task, wrong: Any) -> None:
        if task.subtasks is not None:
            wrong("subtasks", f"must be null in {task.difficulty_tier}")
        if task.goal is None:
            wrong("goal", f"is missing, {task.difficulty_tier} needs one")
            return
        if task.object is None:
            wrong("object", f"is missing, {task.difficulty_tier} needs one")
        if task.tier == 3 and task.target is None:
            wrong("target", "is missing, a store task needs one")
        if task.tier != 3 and task.target is not None:
            wrong("target", f"must be null in {task.difficulty_tier}")
        self._check_goal(task, SubGoal(task.goal, task.object, task.target), "", wrong)

    def _check_goal(self, task: Task, goal: SubGoal, prefix: str, wrong: Any) -> None:
        verbs = VERBS_OF_TIER[task.difficulty_tier]
        if goal.goal not in verbs:
            words = " or ".join(f"'{verb}'" for verb in verbs)
            wrong(f"{prefix}goal", f"must be {words} in {task.difficulty_tier}, not '{goal.goal}'")
        for field, word in (("object", goal.object), ("target", goal.target)):
            if word is None:
                continue
            try:
                facts = OBJECT_TYPES[to_object_type(word)]
            except UnknownObjectTypeError as error:
                wrong(prefix + field, str(error))
                continue
            if field == "object" and (lack := _lack(goal.goal, facts)):
                wrong(prefix + field, f"a {facts.spoken} {lack}")
            if field == "target" and not facts.receptacle:
                wrong(prefix + field, f"a {facts.spoken} holds nothing, it is no receptacle")


def _lack(verb: str, facts: ObjectType) -> str:
    """Return why a verb can't be about an object type; empty: it can."""
    if verb in ("pick_up", "store") and not facts.pickupable:
        return "can't be picked up"
    if verb in ("open", "close") and not facts.openable:
        return "can't be opened and closed"
    if verb in ("turn_on", "turn_off") and not facts.toggleable:
        return "can't be switched on and off"
    return ""


def _sentence(detail: Any) -> str:
    if detail["type"] == "missing":
        return "is missing"
    if detail["type"] == "extra_forbidden":
        return "is unknown"
    return f"{detail['msg'][0].lower()}{detail['msg'][1:]}, got {detail['input']!r}"


def parse_tasks(data: bytes, source: str) -> TaskSet:
    """Parse and check the bytes of a task file.

    Args:
        data: UTF-8 JSON, a flat array of rows.
        source: name of the file, for messages and as the set's name.

    Raises:
        TaskSetError: names the source, and row and field of every problem.
    """
    try:
        rows = json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise TaskSetError(f"{source} is not UTF-8 text (byte {error.start}).") from error
    except json.JSONDecodeError as error:
        raise TaskSetError(
            f"{source} is not valid JSON: {error.msg} at line {error.lineno}, column "
            f"{error.colno}; is it truncated?"
        ) from error
    if not isinstance(rows, list) or not rows:
        raise TaskSetError(f"{source} must hold a non-empty JSON array of tasks.")
    checker = _RowChecker(source)
    tasks: list[Task] = []
    first_row: dict[str, int] = {}
    for index, row in enumerate(rows):
        task = checker.parse(index, row)
        if task is None:
            continue
        checker.check(index, task)
        if task.task_id in first_row:
            before = first_row[task.task_id] + 1
            checker.report(index, task.task_id, "task_id", f"is also the id of row {before}")
        first_row.setdefault(task.task_id, index)
        tasks.append(task)
    if checker.problems:
        raise TaskSetError(f"{source}: " + "; ".join(checker.problems) + ".")
    return TaskSet(source, hashlib.sha256(data).hexdigest(), tuple(tasks))


def load_tasks(version: str = "1.1") -> TaskSet:
    """Load a frozen set: MILO Benchmark `1.0` (25 tasks) or `1.1` (54), or `milo-120` (600).

    Raises:
        TaskSetError: unknown version, or the file's digest is not the published one.
    """
    if version not in VERSION_DIGESTS:
        raise TaskSetError(
            f"There is no dataset version '{version}'; use {', '.join(VERSION_DIGESTS)}."
        )
    folder = f"v{version}" if version[0].isdigit() else version
    file = resources.files("milo_core").joinpath(f"data/tasks/{folder}/tasks.json")
    data = file.read_bytes()
    if hashlib.sha256(data).hexdigest() != VERSION_DIGESTS[version]:
        raise TaskSetError(
            f"{file} differs from the published dataset {version}; reinstall milo_core, or give "
            "your own file with --tasks-file."
        )
    return TaskSet(version, VERSION_DIGESTS[version], parse_tasks(data, str(file)).tasks)


def load_task_file(path: Path) -> TaskSet:
    """Load a user's own file of the same schema.

    Raises:
        TaskSetError: unreadable or invalid.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TaskSetError(f"Can't read the task file {path}: {error.strerror}.") from error
    return parse_tasks(data, str(path))
