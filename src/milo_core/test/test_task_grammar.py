import itertools
import re

import pytest

from milo_core.object_types import OBJECT_TYPES, to_object_type
from milo_core.task_grammar import (
    clauses_of,
    draw,
    instruction_for,
    noun_phrase,
    preposition,
    spoken_words,
)
from milo_core.tasks import SubGoal, load_tasks

GOALS = [
    SubGoal("find", "remotecontrol"),
    SubGoal("pick_up", "apple"),
    SubGoal("store", "egg", "fridge"),
    SubGoal("store", "cd", "tvstand"),
    SubGoal("open", "drawer"),
    SubGoal("close", "box"),
    SubGoal("turn_on", "desklamp"),
    SubGoal("turn_off", "lightswitch"),
]
_SPOKEN = {
    spoken_words(name, plural=plural).lower(): name
    for plural in (True, False)
    for name in OBJECT_TYPES
}
_NAMES = re.compile(
    r"\b(" + "|".join(sorted(map(re.escape, _SPOKEN), key=len, reverse=True)) + r")\b"
)


def names_in(sentence):
    """The object types that a sentence names, in order."""
    return [_SPOKEN[words] for words in _NAMES.findall(sentence.lower())]


def types_of(goals):
    names = [name for goal in goals for name in (goal.object, goal.target) if name]
    return [to_object_type(name) for name in names]


def check_english(sentence):
    assert re.fullmatch(r"[A-Z][^{}]*[^ ][.?]", sentence), sentence
    assert "  " not in sentence
    assert " ." not in sentence
    assert not re.search(r"\b[Aa] [aeiou]", sentence), sentence
    assert not re.search(r"\b[Aa]n [^aeiou]", sentence), sentence
    assert not re.search(r"\b(it|them|this|that one|there it)\b", sentence), sentence


@pytest.mark.parametrize("goal", GOALS, ids=str)
@pytest.mark.parametrize("count", [1, 3])
def test_every_sentence_names_object_and_target(goal, count):
    counts = dict.fromkeys(types_of([goal]), count)
    said = {instruction_for([goal], counts, "living_room", f"key {n}") for n in range(300)}
    for sentence in said:
        check_english(sentence)
        assert names_in(sentence) == types_of([goal])
    assert len(said) >= 6 * len(clauses_of(goal))


@pytest.mark.parametrize("pair", list(itertools.combinations([g for g in GOALS if g.target], 2)))
def test_two_sub_goals_are_named_in_order(pair):
    counts = {name: 1 + number for number, name in enumerate(types_of(pair))}
    said = {instruction_for(pair, counts, "kitchen", f"key {n}") for n in range(300)}
    for sentence in said:
        check_english(sentence)
        assert names_in(sentence) == types_of(pair)
    assert len(said) > 100


def test_every_template_of_a_verb_is_used():
    for goal in GOALS:
        counts = dict.fromkeys(types_of([goal]), 1)
        said = [instruction_for([goal], counts, "kitchen", str(n)) for n in range(400)]
        for clause in clauses_of(goal):
            pattern = re.escape(clause).replace(r"\{", "{").replace(r"\}", "}")
            pattern = re.sub(r"{\w+}", ".+", pattern)
            assert any(re.search(pattern, sentence, re.IGNORECASE) for sentence in said), clause


def test_instructions_of_milo_120_name_what_they_mean():
    for task in load_tasks("milo-120"):
        check_english(task.instruction)
        assert names_in(task.instruction) == types_of(task.sub_goals()), task


def test_articles():
    assert noun_phrase("Fridge", 1) == "the fridge"
    assert {noun_phrase("Apple", 2, str(n)) for n in range(20)} == {
        "an apple",
        "one of the apples",
    }
    assert {noun_phrase("Shelf", 4, str(n)) for n in range(20)} == {
        "a shelf",
        "one of the shelves",
    }
    assert noun_phrase("Boots", 1) == "the boots"
    assert noun_phrase("Boots", 2) == "a pair of boots"
    assert noun_phrase("Blinds", 2) == "one of the blinds"
    assert noun_phrase("ToiletPaper", 2) == "some toilet paper"
    assert noun_phrase("cd", 1) == "the CD"


def test_prepositions():
    assert [preposition(name) for name in ("Fridge", "Shelf", "Bowl", "Plate")] == [
        "in",
        "on",
        "in",
        "on",
    ]


def test_a_key_always_draws_the_same():
    assert [draw(str(n), range(100)) for n in range(5)] == [40, 13, 46, 43, 54]
    assert len({draw(str(n), range(10)) for n in range(100)}) == 10
