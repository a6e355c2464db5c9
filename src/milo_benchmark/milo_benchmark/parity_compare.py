"""Compares how two players behaved in the same tasks: outcomes, messages, poses, metadata."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from milo_benchmark.parity_play import ActionRecord, TaskRecord

LENGTH_TOLERANCE = 0.01
"""Metres, and any other number that is no angle."""
ANGLE_TOLERANCE = 1.0
"""Degrees."""
_IGNORED = frozenset({"currentTime", "errorMessage", "lastActionSuccess", "actionReturn", "colors"})
"""Keys that are compared apart, or depend on the clock or on chance."""
_ANGLES = re.compile(r"(rotation|cameraHorizon|horizon)(\.[xyz])?$")
_POSES = re.compile(r"(position|rotation|cameraHorizon|center|size|cornerPoints|distance)\b")


class Kind(StrEnum):
    """What differs."""

    OUTCOME = "outcome"
    SEQUENCE = "sequence"
    """The agents did different things from here on; the rest of the task is not compared."""
    ERROR = "error string"
    RETURN = "returned value"
    POSE = "pose"
    FIELD = "metadata field"
    """A key or an object that only one player has, or a value of another kind."""
    VALUE = "metadata value"


@dataclass(frozen=True)
class Difference:
    """One thing in which two players differ."""

    kind: Kind
    task_id: str
    action: str
    """`number name` of the engine action after which it was seen; empty: the task as a whole."""
    path: str
    """Where in the metadata, with the id of an object in brackets."""
    a: str
    b: str
    size: float = math.nan
    """By how much two numbers differ; NaN: no numbers."""


@dataclass
class Group:
    """Differences of one kind in one place, over all objects, actions and tasks."""

    kind: Kind
    place: str
    count: int = 0
    tasks: set[str] = field(default_factory=set)
    largest: float = math.nan
    example: Difference | None = None


def compare_tasks(a: TaskRecord, b: TaskRecord) -> list[Difference]:
    """Return the differences in one task."""
    task = a.task_id
    found = [
        Difference(Kind.OUTCOME, task, "", name, _text(left), _text(right))
        for name, left, right in (
            ("executed", a.executed, b.executed),
            ("verdicts", a.verdicts, b.verdicts),
            ("failure", _bare(a.failure), _bare(b.failure)),
        )
        if left != right
    ]
    for number, (left, right) in enumerate(zip(a.actions, b.actions, strict=False), start=1):
        name = f"{number} {left.action}"
        if not _same_request(left, right):
            shown = [f"{r.action} {dict(r.arguments)}" for r in (left, right)]
            return [*found, Difference(Kind.SEQUENCE, task, name, "", shown[0], shown[1])]
        found += _compare_actions(task, name, left, right)
    if len(a.actions) != len(b.actions):
        counts = [f"{len(r.actions)} actions" for r in (a, b)]
        found.append(Difference(Kind.SEQUENCE, task, "", "", counts[0], counts[1]))
    return found


def _same_request(a: ActionRecord, b: ActionRecord) -> bool:
    if a.action != b.action:
        return False
    return not any(_walk(dict(a.arguments), dict(b.arguments), "request"))


def _compare_actions(
    task: str, name: str, a: ActionRecord, b: ActionRecord
) -> Iterator[Difference]:
    if (a.success, _bare(a.error_message)) != (b.success, _bare(b.error_message)):
        texts = [_bare(r.error_message) or "success" for r in (a, b)]
        yield Difference(Kind.ERROR, task, name, a.action, texts[0], texts[1])
    for path, left, right, size, missing in _walk(a.returned, b.returned, a.action):
        kind = Kind.FIELD if missing else Kind.RETURN
        yield Difference(kind, task, name, path, _text(left), _text(right), size)
    for path, left, right, size, missing in _walk(a.metadata, b.metadata, ""):
        kind = Kind.FIELD if missing else Kind.VALUE
        if not missing and _POSES.search(path):
            kind = Kind.POSE
        yield Difference(kind, task, name, path, _text(left), _text(right), size)


_Found = tuple[str, Any, Any, float, bool]
_ABSENT = "(absent)"


def _walk(a: Any, b: Any, path: str) -> Iterator[_Found]:
    """Yield path, both values, the difference of numbers, and whether one player lacks the field.

    An integer may stand for a float, as JSON and msgpack have it.
    """
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        yield from _walk_mappings(a, b, path)
    elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
        yield from _walk_lists(a, b, path)
    elif _is_number(a) and _is_number(b):
        size = _distance(float(a), float(b), path)
        limit = ANGLE_TOLERANCE if _ANGLES.search(path) else LENGTH_TOLERANCE
        if not size <= limit and not (math.isnan(a) and math.isnan(b)):
            yield path, a, b, size, False
    elif type(a) is not type(b) and None not in (a, b):
        yield path, a, b, math.nan, True
    elif a != b:
        yield path, a, b, math.nan, False


def _walk_mappings(a: Mapping[str, Any], b: Mapping[str, Any], path: str) -> Iterator[_Found]:
    for key in sorted((set(a) | set(b)) - _IGNORED):
        place = f"{path}.{key}" if path else str(key)
        if key in a and key in b:
            yield from _walk(a[key], b[key], place)
        else:
            yield place, a.get(key, _ABSENT), b.get(key, _ABSENT), math.nan, True


def _walk_lists(a: Sequence[Any], b: Sequence[Any], path: str) -> Iterator[_Found]:
    left, right = _by_id(a), _by_id(b)
    if left is not None and right is not None and (left or right):
        for key in sorted(set(left) | set(right)):
            place = f"{path}[{key}]"
            if key in left and key in right:
                yield from _walk(left[key], right[key], place)
            else:
                present = [_ABSENT if key not in side else "present" for side in (left, right)]
                yield place, present[0], present[1], math.nan, True
    elif len(a) != len(b):
        yield path, f"{len(a)} entries", f"{len(b)} entries", math.nan, False
    else:
        for entry, other in zip(a, b, strict=True):
            yield from _walk(entry, other, path)


def _by_id(entries: Sequence[Any]) -> dict[str, Any] | None:
    """Return the entries by their objectId; None: they have none."""
    if not all(isinstance(entry, Mapping) and "objectId" in entry for entry in entries):
        return None
    return {str(entry["objectId"]): entry for entry in entries}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _distance(a: float, b: float, path: str) -> float:
    if _ANGLES.search(path):
        return abs((a - b + 180.0) % 360.0 - 180.0)
    return abs(a - b)


def _bare(message: str) -> str:
    """An error message without Unity's stack trace."""
    return re.split(r"\s*trace:", message, maxsplit=1)[0].strip()


def _text(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 120 else f"{text[:117]}..."


def grouped(differences: Iterable[Difference]) -> list[Group]:
    """Join differences in the same place of the metadata; in the order of kinds, most first."""
    groups: dict[tuple[Kind, str], Group] = {}
    for difference in differences:
        # Names of objects and numbers of entries don't matter here.
        place = re.sub(r"\[[^\]]*\]", "[]", difference.path)
        group = groups.setdefault((difference.kind, place), Group(difference.kind, place))
        group.count += 1
        group.tasks.add(difference.task_id)
        group.example = group.example or difference
        if not math.isnan(difference.size):
            group.largest = max(
                difference.size, 0.0 if math.isnan(group.largest) else group.largest
            )
    order = list(Kind)
    return sorted(groups.values(), key=lambda g: (order.index(g.kind), -g.count, g.place))
