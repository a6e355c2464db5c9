"""docs/conformance.md says what the tests say."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
TABLE = HERE.parents[2] / "docs" / "conformance.md"
OUT_OF_SCOPE = {"arm", "disp", "rob"}
LEAST_HELD = 95


def numbers(test):
    """Numbers of behaviours in a test's name: ``test_12_13_x`` and ``test_26_to_29_x``."""
    found = []
    words = test.split("_")[1:]
    for before, word in zip(["", *words], words, strict=False):
        if word.isdigit():
            found += range(found[-1] + 1, int(word) + 1) if before == "to" else [int(word)]
        elif word != "to":
            break
    return found


@pytest.fixture(scope="module")
def rows():
    if not TABLE.is_file():
        pytest.skip(f"no {TABLE}: the package stands alone")
    cells = re.findall(
        r"^\| (\d+) \| (.+?) \| (\w+) \| ([a-z ]+) \| (.+) \|$", TABLE.read_text(), re.M
    )
    return [(int(number), kind, state, last) for number, _, kind, state, last in cells]


@pytest.fixture(scope="module")
def tests_by_number():
    found = {}
    for file in HERE.glob("test_*.py"):
        for test in re.findall(r"^def (test_\d\w*)\(", file.read_text(), re.M):
            for number in numbers(test):
                found.setdefault(number, set()).add(test)
    return found


def test_all_behaviours_are_listed_once(rows):
    assert [row[0] for row in rows] == list(range(1, 132))


def test_held_behaviours_name_their_tests(rows, tests_by_number):
    for number, kind, state, last in rows:
        named = set(re.findall(r"`(test_\w+)`", last))
        if state == "held":
            assert named, number
        if named:
            assert named == tests_by_number.get(number), number
        assert (state == "out of scope") == (kind in OUT_OF_SCOPE), number
        assert state in ("held", "not held", "out of scope")


def test_numbered_tests_are_in_the_table(rows, tests_by_number):
    states = {number: state for number, _, state, _ in rows}
    assert {states[number] for number in tests_by_number} <= {"held", "not held"}


def test_enough_is_held_and_the_sentence_is_true(rows):
    wanted = [state for _, kind, state, _ in rows if kind in ("core", "img")]
    held = wanted.count("held")
    assert len(wanted) == 116
    assert held >= LEAST_HELD
    assert f"**{held} of the 116 behaviours of the default agent" in TABLE.read_text()
