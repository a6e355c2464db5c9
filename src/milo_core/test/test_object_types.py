import pytest

from milo_core.object_types import (
    OBJECT_TYPES,
    UnknownObjectTypeError,
    spoken_name,
    to_object_type,
)
from milo_core.tasks import load_tasks


def test_table_has_all_types_and_they_name_themselves():
    assert len(OBJECT_TYPES) == 131
    for name in OBJECT_TYPES:
        assert to_object_type(name) == name
        assert to_object_type(name.lower()) == name
        assert to_object_type(spoken_name(name)) == name


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("remotecontrol", "RemoteControl"),
        ("Remote Control", "RemoteControl"),
        ("remote-control", "RemoteControl"),
        ("  cell_phone ", "CellPhone"),
        ("refrigerator", "Fridge"),
        ("couch", "Sofa"),
        ("TV", "Television"),
        ("cd", "CD"),
        ("ＭＵＧ", "Mug"),
        ("shelves", "Shelf"),
        ("knives", "Knife"),
        ("watches", "Watch"),
        ("boot", "Boots"),
        ("sliced apple", "AppleSliced"),
    ],
)
def test_words_resolve(word, expected):
    assert to_object_type(word) == expected


@pytest.mark.parametrize("word", ["", "unicorn", "mugg", "pencils case", "Mug|+1|+2|+3"])
def test_unknown_words_are_errors_and_never_guessed(word):
    with pytest.raises(UnknownObjectTypeError, match="no AI2-THOR object type"):
        to_object_type(word)


def test_near_miss_names_the_nearest_type():
    with pytest.raises(UnknownObjectTypeError, match="did you mean 'fridge'"):
        to_object_type("frigde")


def test_every_name_of_the_benchmark_resolves():
    words = {w for t in load_tasks() for g in t.sub_goals() for w in (g.object, g.target) if w}
    assert len(words) == 51
    assert all(to_object_type(w).lower() == w for w in words)


def test_placement_facts():
    assert OBJECT_TYPES["Drawer"].receptacle_kind == "in"
    assert OBJECT_TYPES["Drawer"].must_be_open
    assert OBJECT_TYPES["Drawer"].all_points
    assert OBJECT_TYPES["Sofa"].receptacle_kind == "on"
    assert OBJECT_TYPES["GarbageCan"].receptacle_kind == "in_bottom_corners"
    assert OBJECT_TYPES["Safe"].receptacle_kind is None
    assert OBJECT_TYPES["AlarmClock"].always_upright
    assert "Drawer" not in OBJECT_TYPES["AlarmClock"].placement_restrictions
    assert OBJECT_TYPES["StoveBurner"].object_specific == {"Pot", "Pan", "Kettle"}
    assert OBJECT_TYPES["Book"].box_size is not None
