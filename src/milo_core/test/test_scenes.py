from collections import Counter

import pytest

from milo_core.scenes import ROOM_RANGES, SCENES, UnknownSceneError, select_scenes, split_of


def test_there_are_120_scenes():
    assert len(SCENES) == len(set(SCENES)) == 120
    assert (SCENES[0], SCENES[-1]) == ("FloorPlan1", "FloorPlan430")


@pytest.mark.parametrize("first", [1, 201, 301, 401])
def test_the_split_is_20_5_5_of_every_room_type(first):
    splits = [split_of(f"FloorPlan{first + place}") for place in range(30)]
    assert splits == ["train"] * 20 + ["val"] * 5 + ["test"] * 5


def test_the_split_of_a_written_scene_name():
    assert split_of("FloorPlan21_physics") == "val"
    with pytest.raises(UnknownSceneError):
        split_of("FloorPlan31")


def test_groups_of_scenes():
    assert select_scenes(["all"]) == SCENES
    assert select_scenes(["kitchens"]) == SCENES[:30]
    assert select_scenes(["test", "FloorPlan1_physics", "FloorPlan1"])[:2] == (
        "FloorPlan1",
        "FloorPlan26",
    )
    sizes = Counter(split_of(scene) for scene in select_scenes(["val", "test"]))
    assert sizes == {"val": 20, "test": 20}
    assert select_scenes([f"{room}s" for room in ROOM_RANGES]) == SCENES
    assert select_scenes([]) == ()


@pytest.mark.parametrize("word", ["attics", "FloorPlan99", "", "Train"])
def test_unknown_groups_are_one_sentence(word):
    with pytest.raises(UnknownSceneError) as caught:
        select_scenes([word])
    assert str(caught.value).endswith(".")
    assert "FloorPlanN" in str(caught.value)
