"""Instructions in plain English for generated tasks.

A small grammar: several templates a verb, noun phrases that say whether a scene has one or several
of a thing, and ways of joining two clauses. Every noun is a spoken name of milo_core.object_types,
and nothing is ever referred to by a pronoun, so that an instruction names each object and target
itself. All choices hang on a key alone: the same key gives the same sentence everywhere.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import TypeVar

from milo_core.object_types import OBJECT_TYPES, plural_name, to_object_type
from milo_core.tasks import SubGoal

T = TypeVar("T")

_CLAUSES: Mapping[str, tuple[str, ...]] = {
    "find": (
        "locate {object}",
        "look for {object}",
        "go and find {object}",
        "search the {room} for {object}",
        "track down {object}",
        "look around the {room} until {object} can be seen",
        "go to a place from which {object} can be seen",
    ),
    "pick_up": (
        "pick {object} up",
        "grab {object}",
        "take hold of {object}",
        "go and get {object}",
        "lift {object} up",
        "hold {object} in your hand",
    ),
    "store": (
        "put {object} {target}",
        "place {object} {target}",
        "leave {object} {target}",
        "find a place for {object} {target}",
    ),
    "open": ("open {object}", "open up {object}", "go and open {object}"),
    "close": ("close {object}", "shut {object}", "go and shut {object}"),
    "turn_on": ("turn on {object}", "turn {object} on", "switch {object} on"),
    "turn_off": ("turn off {object}", "turn {object} off", "switch {object} off"),
}
"""Goal verb -> clauses in the imperative."""
_INTO: tuple[str, ...] = ("stow {object} {target}", "tuck {object} away {target}")
"""Further clauses for a target that holds things inside."""
_ONTO: tuple[str, ...] = ("set {object} down {target}", "lay {object} {target}")
"""Further clauses for a target that carries things on top."""
_FRAMES: tuple[str, ...] = (
    "{clause}.",
    "{clause}, please.",
    "please {clause}.",
    "could you {clause}?",
    "I need you to {clause}.",
    "your task: {clause}.",
)
_JOINTS: tuple[str, ...] = (
    "{first}, then {second}.",
    "{first} and {second}.",
    "first {first}, after that {second}.",
    "{first}; {second} as well.",
    "there are two things to do: {first}, and {second}.",
    "please {first}, and also {second}.",
    "could you {first} and then {second}?",
    "tidy up a little: {first}, {second}.",
)
_SHARED: tuple[str, ...] = (
    "put {first} {first_target} and {second} {second_target}.",
    "{first} should go {first_target}, {second} {second_target}.",
    "move two things: {first} must end up {first_target}, {second} {second_target}.",
)
"""Two store goals with one verb."""
_MASS = frozenset({"AluminumFoil", "Bread", "BreadSliced", "Lettuce", "ToiletPaper"})
"""Types that are not counted with `a`."""
_PAIRS = frozenset({"Boots"})
_PLURAL_ONLY = frozenset({"Blinds", "Curtains"})
_INSIDE = frozenset(
    {
        "Bathtub",
        "BathtubBasin",
        "Bowl",
        "Box",
        "Cabinet",
        "Cup",
        "Drawer",
        "Fridge",
        "GarbageCan",
        "LaundryHamper",
        "Microwave",
        "Mug",
        "Pan",
        "Pot",
        "Safe",
        "SinkBasin",
        "Toaster",
    }
)
"""Receptacles that things are put in; all others carry them on top."""
_PROPER = {"cd": "CD", "tv stand": "TV stand", "cds": "CDs", "tv stands": "TV stands"}


def draw(key: str, choices: Sequence[T]) -> T:
    """Return the choice that a key stands for; the same on every machine and Python."""
    digest = hashlib.sha256(key.encode()).digest()
    return choices[int.from_bytes(digest[:8], "big") % len(choices)]


def spoken_words(object_type: str, *, plural: bool = False) -> str:
    """Return a type's everyday words as they are written within a sentence."""
    name = to_object_type(object_type)
    words = plural_name(name) if plural else OBJECT_TYPES[name].spoken
    return _PROPER.get(words, words)


def noun_phrase(object_type: str, count: int, key: str = "") -> str:
    """Return `the fridge` for the only one of its kind, else `a drawer` or `one of the drawers`.

    Args:
        object_type: an AI2-THOR object type.
        count: how many there are in the scene.
        key: chooses among the ways to say it.
    """
    name = to_object_type(object_type)
    words = spoken_words(name)
    if count < 2:
        return f"the {words}"
    if name in _MASS:
        return f"some {words}"
    if name in _PAIRS:
        return f"a pair of {words}"
    if name in _PLURAL_ONLY:
        return f"one of the {words}"
    article = "an" if words[0] in "aeiou" else "a"
    plural = spoken_words(name, plural=True)
    return draw(key, (f"{article} {words}", f"{article} {words}", f"one of the {plural}"))


def preposition(object_type: str) -> str:
    """Return `in` or `on`, whichever says how things lie in or on a receptacle."""
    return "in" if to_object_type(object_type) in _INSIDE else "on"


def clauses_of(goal: SubGoal) -> tuple[str, ...]:
    """Return the templates that can say a sub-goal."""
    if goal.goal != "store" or goal.target is None:
        return _CLAUSES[goal.goal]
    return _CLAUSES["store"] + (_INTO if preposition(goal.target) == "in" else _ONTO)


def instruction_for(
    goals: Sequence[SubGoal], counts: Mapping[str, int], room: str, key: str
) -> str:
    """Return one sentence that asks for one or two sub-goals.

    Args:
        goals: verbs find, pick_up, store, open, close, turn_on, turn_off; two must be store.
        counts: object type -> how many instances the scene has.
        room: room type of the scene, as in the task.
        key: chooses the wording.
    """
    if len(goals) == 1:
        clause = draw(f"{key}|clause", clauses_of(goals[0]))
        sentence = draw(f"{key}|frame", _FRAMES).format(
            clause=_fill(clause, goals[0], counts, room, key)
        )
        return _capitalised(sentence)
    first, second = goals
    joints = (*_JOINTS, *_SHARED)
    joint = draw(f"{key}|joint", joints)
    if joint in _SHARED:
        sentence = joint.format(
            first=_object(first, counts, f"{key}|1"),
            first_target=_target(first, counts, f"{key}|1"),
            second=_object(second, counts, f"{key}|2"),
            second_target=_target(second, counts, f"{key}|2"),
        )
        return _capitalised(sentence)
    parts = [
        _fill(draw(f"{key}|clause{n}", clauses_of(goal)), goal, counts, room, f"{key}|{n}")
        for n, goal in enumerate(goals, 1)
    ]
    return _capitalised(joint.format(first=parts[0], second=parts[1]))


def _fill(clause: str, goal: SubGoal, counts: Mapping[str, int], room: str, key: str) -> str:
    return clause.format(
        object=_object(goal, counts, key),
        target=_target(goal, counts, key),
        room=room.replace("_", " "),
    )


def _object(goal: SubGoal, counts: Mapping[str, int], key: str) -> str:
    assert goal.object is not None  # every kind of task has one
    return noun_phrase(goal.object, counts[to_object_type(goal.object)], f"{key}|object")


def _target(goal: SubGoal, counts: Mapping[str, int], key: str) -> str:
    if goal.target is None:
        return ""
    phrase = noun_phrase(goal.target, counts[to_object_type(goal.target)], f"{key}|target")
    return f"{preposition(goal.target)} {phrase}"


def _capitalised(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]
