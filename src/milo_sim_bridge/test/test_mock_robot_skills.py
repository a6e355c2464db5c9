"""The mock robot without ROS: its home, its motion, its skills and its eyes."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from milo_core.error_codes import (
    LookAtError,
    NavigateToError,
    PickError,
    PlaceError,
    ReleaseError,
    SetOpenError,
    SetToggledError,
    SliceError,
)
from milo_core.world_model import Provenance
from milo_sim_bridge.mock_robot import home, skills
from milo_sim_bridge.mock_robot.camera import Camera, ImageFolderError, load_images
from milo_sim_bridge.mock_robot.motion import RADIUS, SPEED, Base, angle_between, drive
from milo_sim_bridge.mock_robot.robot import REACH, Robot
from milo_sim_bridge.mock_robot.skills import Done, Faults, Progress, Refusal, Skill
from milo_sim_bridge.mock_robot.state import Box

HOME = home.load()
TICK = 0.05


@pytest.fixture
def robot() -> Robot:
    robot = Robot(HOME)
    robot.look(0.0)
    return robot


def play(robot: Robot, skill: Skill) -> tuple[Done, list[Progress]]:
    """Run a skill on a clock of its own."""
    told: list[Progress] = []
    now = 0.0
    try:
        told.append(next(skill))
        while True:
            now += TICK
            robot.advance(TICK, now, busy=True)
            told.append(skill.send(TICK))
            assert robot.floor.is_free(robot.base.position), "the base drove into something"
    except StopIteration as end:
        return end.value, told
    finally:
        robot.halt()
        robot.advance(0.0, now, busy=True)


def refused(robot: Robot, skill: Skill) -> Refusal:
    with pytest.raises(Refusal) as caught:
        play(robot, skill)
    return caught.value


def go(robot: Robot, name: str) -> Done:
    return play(robot, skills.navigate_to_object(robot, name, 0.0))[0]


def test_a_mug_is_stored_in_the_cabinet(robot: Robot) -> None:
    go(robot, "mug_1")
    assert play(robot, skills.pick(robot, "mug_1"))[0].object_id == "mug_1"
    assert robot.state.held == "mug_1"
    go(robot, "cabinet_1")
    mug = robot.state.items["mug_1"]
    assert math.dist(mug.center[:2], robot.base.position) < 0.5, "what is held comes along"
    assert refused(robot, skills.place(robot, "", "cabinet_1")).code == PlaceError.RECEPTACLE_CLOSED
    assert "bowl_1" not in {b.object_id for b in robot.beliefs()}, "nobody has looked inside"
    assert play(robot, skills.set_open(robot, "cabinet_1", 1.0))[0].value == 1.0
    assert "bowl_1" in {b.object_id for b in robot.beliefs()}
    done, _ = play(robot, skills.place(robot, "mug_1", "cabinet_1"))
    assert (done.object_id, done.receptacle_id) == ("mug_1", "cabinet_1")
    beliefs = {b.object_id: b for b in robot.beliefs()}
    assert beliefs["mug_1"].parent_receptacles == ("cabinet_1",)
    assert set(beliefs["cabinet_1"].receptacle_object_ids) == {"bowl_1", "mug_1"}
    assert not mug.box.overlaps(robot.state.items["bowl_1"].box)
    play(robot, skills.set_open(robot, "cabinet_1", 0.0))
    assert refused(robot, skills.pick(robot, "mug_1")).code == PickError.CONTAINER_CLOSED


def test_navigation_takes_the_time_that_the_way_takes(robot: Robot) -> None:
    done, told = play(robot, skills.navigate_to_object(robot, "apple_1", 0.0))
    assert done.path_length == pytest.approx(done.shortest_length, rel=0.01)
    assert len(told) * TICK >= done.path_length / SPEED
    distances = [p.distance for p in told if p.stage == "moving"]
    assert distances == sorted(distances, reverse=True)
    assert robot.within_reach(robot.state.items["apple_1"])
    assert robot.visible["apple_1"], "the robot looks at what it came for"


def test_poses_can_be_excluded_until_none_is_left(robot: Robot) -> None:
    go(robot, "mug_1")
    taken = [((robot.base.x, robot.base.y), robot.base.yaw)]
    play(robot, skills.navigate_to_object(robot, "mug_1", 0.0, excluded=taken))
    assert math.dist(robot.base.position, taken[0][0]) > 0.1
    mug = robot.state.items["mug_1"]
    places = robot.standing_places(mug)
    facing = [(p, math.atan2(mug.center[1] - p[1], mug.center[0] - p[0])) for p in places]
    refusal = refused(robot, skills.navigate_to_object(robot, "mug_1", 0.0, excluded=facing))
    assert refusal.code == NavigateToError.UNREACHABLE
    assert f"({len(places)} were excluded)" in str(refusal)


def test_what_can_not_be_reached_is_viewed(robot: Robot) -> None:
    # Too near to be possible; from the nearest place it is seen all the same.
    done, _ = play(robot, skills.navigate_to_object(robot, "apple_1", 0.01, "view"))
    assert done.viewing
    assert robot.visible["apple_1"]
    done, _ = play(robot, skills.navigate_to_object(robot, "mug_1", 0.0, "view"))
    assert not done.viewing


def test_an_object_is_turned_before_it_is_put_down(robot: Robot) -> None:
    go(robot, "book_1")
    play(robot, skills.pick(robot, "book_1"))
    width, depth, height = robot.state.items["book_1"].size
    go(robot, "table_1")
    play(robot, skills.place(robot, "", "table_1", math.pi / 2))
    assert robot.state.items["book_1"].size == (depth, width, height)


def test_a_cancelled_motion_stops_where_it_is(robot: Robot) -> None:
    skill = skills.navigate_to_object(robot, "cabinet_1", 0.0)
    next(skill)
    for _ in range(30):
        skill.send(TICK)
    skill.close()
    robot.halt()
    here = robot.base.position
    robot.advance(1.0, 1.0, busy=False)
    assert robot.base.position == here != (HOME.robot.x, HOME.robot.y)


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda r: skills.navigate_to_object(r, "", 0.0), NavigateToError.INVALID_GOAL),
        (lambda r: skills.navigate_to_object(r, "ghost", 0.0), NavigateToError.OBJECT_NOT_FOUND),
        (lambda r: skills.navigate_to_object(r, "bowl_1", 0.0), NavigateToError.OBJECT_NOT_FOUND),
        (lambda r: skills.navigate_to_object(r, "mug_1", math.nan), NavigateToError.INVALID_GOAL),
        (lambda r: skills.navigate_to_object(r, "mug_1", 0.01), NavigateToError.UNREACHABLE),
        (
            lambda r: skills.navigate_to_object(r, "mug_1", 0.0, "admire"),
            NavigateToError.INVALID_GOAL,
        ),
        (lambda r: skills.navigate_to_pose(r, (3.6, 1.0), 0.0), NavigateToError.UNREACHABLE),
        (lambda r: skills.navigate_to_pose(r, (math.nan, 1.0), 0.0), NavigateToError.INVALID_GOAL),
        (lambda r: skills.pick(r, "counter_1"), PickError.NOT_PICKUPABLE),
        (lambda r: skills.pick(r, "mug_1"), PickError.TOO_FAR),
        (lambda r: skills.place(r, "", ""), PlaceError.INVALID_GOAL),
        (lambda r: skills.place(r, "", "table_1"), PlaceError.HAND_EMPTY),
        (lambda r: skills.place(r, "", "table_1", math.nan), PlaceError.INVALID_GOAL),
        (lambda r: skills.set_open(r, "table_1", 1.0), SetOpenError.NOT_OPENABLE),
        (lambda r: skills.set_open(r, "fridge_1", 1.0), SetOpenError.TOO_FAR),
        (lambda r: skills.set_open(r, "fridge_1", 1.5), SetOpenError.INVALID_GOAL),
        (lambda r: skills.set_toggled(r, "mug_1", True), SetToggledError.NOT_TOGGLEABLE),
        (lambda r: skills.set_toggled(r, "lamp_1", True), SetToggledError.TOO_FAR),
        (lambda r: skills.slice_object(r, "mug_1"), SliceError.NOT_SLICEABLE),
        (lambda r: skills.slice_object(r, "bread_1"), SliceError.TOO_FAR),
        (lambda r: skills.release(r, ""), ReleaseError.HAND_EMPTY),
        (lambda r: skills.look_at_object(r, "ghost"), LookAtError.OBJECT_NOT_FOUND),
        (lambda r: skills.look_at(r, (math.inf, 0.0, 0.0)), LookAtError.INVALID_GOAL),
    ],
)
def test_what_is_refused(robot: Robot, make: Any, code: int) -> None:
    before = {name: item.center for name, item in robot.state.items.items()}
    refusal = refused(robot, make(robot))
    assert refusal.code == code
    assert str(refusal).endswith(".")
    assert {name: item.center for name, item in robot.state.items.items()} == before


def test_refusals_with_something_in_the_hand(robot: Robot) -> None:
    go(robot, "mug_1")
    play(robot, skills.pick(robot, "mug_1"))
    go(robot, "bread_1")
    assert refused(robot, skills.pick(robot, "bread_1")).code == PickError.HAND_FULL
    other = skills.place(robot, "bread_1", "counter_1")
    assert refused(robot, other).code == PlaceError.OTHER_OBJECT_HELD
    assert refused(robot, skills.place(robot, "", "bread_1")).code == PlaceError.NOT_A_RECEPTACLE
    far = skills.place(robot, "", "table_1")
    assert refused(robot, far).code == PlaceError.TOO_FAR


def test_a_full_receptacle_has_no_room(robot: Robot) -> None:
    go(robot, "book_1")
    play(robot, skills.pick(robot, "book_1"))
    go(robot, "cabinet_1")
    play(robot, skills.set_open(robot, "cabinet_1", 1.0))
    cabinet = robot.state.items["cabinet_1"]
    robot.state.items["bowl_1"].size = (0.4, 0.7, 0.3)
    robot.state.items["bowl_1"].center = (*cabinet.center[:2], 0.17)
    refusal = refused(robot, skills.place(robot, "", "cabinet_1"))
    assert refusal.code == PlaceError.NO_VALID_PLACEMENT
    assert robot.state.held == "book_1"


def test_switching_cutting_and_letting_go(robot: Robot) -> None:
    go(robot, "lamp_1")
    assert play(robot, skills.set_toggled(robot, "lamp_1", True))[0].value == 1.0
    again = skills.set_toggled(robot, "lamp_1", True)
    assert refused(robot, again).code == SetToggledError.ALREADY_IN_STATE
    go(robot, "bread_1")
    done, _ = play(robot, skills.slice_object(robot, "bread_1"))
    pieces = [robot.state.items[name] for name in done.piece_ids]
    assert {piece.type for piece in pieces} == {"BreadSliced"}
    assert all(piece.parent == "counter_1" for piece in pieces)
    cut = skills.slice_object(robot, "bread_1")
    assert refused(robot, cut).code == SliceError.ALREADY_SLICED
    play(robot, skills.pick(robot, pieces[0].item_id))
    play(robot, skills.release(robot, ""))
    assert robot.state.held == ""
    assert pieces[0].box.low[2] == pytest.approx(0.0), "it lies on the floor"


def test_looking(robot: Robot) -> None:
    target = robot.state.items["fridge_1"].center
    done, _ = play(robot, skills.look_at(robot, target))
    assert done.value < math.radians(1.0)
    assert angle_between(robot.base.yaw, robot.heading_to(target)) == pytest.approx(0.0, abs=1e-6)
    floor = skills.look_at(robot, (robot.base.x + 0.2, robot.base.y, 0.0))
    assert refused(robot, floor).code == LookAtError.OUT_OF_RANGE


def test_what_is_known_and_what_is_seen(robot: Robot) -> None:
    start = {b.object_id: b for b in robot.beliefs()}
    assert start["apple_1"].provenance is Provenance.ASSUMED, "only the home file speaks of it"
    assert "tomato_1" not in start
    go(robot, "apple_1")
    after = {b.object_id: b for b in robot.beliefs()}
    assert after["apple_1"].provenance is Provenance.SENSED
    assert after["apple_1"].visible
    assert after["apple_1"].observed > 0
    assert not after["mug_1"].visible


def test_velocities_move_the_base_but_not_into_things(robot: Robot) -> None:
    for tick in range(100):
        robot.command(0.5, 0.0, tick * TICK)
        robot.advance(TICK, tick * TICK, busy=False)
    assert 2.9 < robot.base.x <= 3.25 - RADIUS + 1e-6
    x = robot.base.x
    robot.command(-0.5, 0.0, 5.0)
    robot.advance(TICK, 5.6, busy=False)
    assert robot.base.x == x, "an old command has no force"


def test_a_way_into_a_closed_room_does_not_exist(robot: Robot) -> None:
    assert robot.floor.path(robot.base.position, [(10.0, 10.0)]) is None
    assert robot.floor.path((1.0, 1.0), [(1.0, 1.0)]) == []
    assert list(drive(Base(0.0, 0.0, 0.0), [])) == []


# -- faults ----------------------------------------------------------------------------------


def test_latency_failures_and_dropped_goals() -> None:
    robot = Robot(HOME)
    slow = Faults(latency=1.0).applied("LookAt", lambda: skills.look_at(robot, (3.0, 1.0, 1.3)))
    _, told = play(robot, slow)
    assert [p.stage for p in told].count("waiting") == math.ceil(1.0 / TICK)
    failing = Faults(failure_rate=1.0).applied("Pick", lambda: skills.pick(robot, "mug_1"))
    assert "on purpose" in str(refused(robot, failing))
    dropped = Faults(drop_rate=1.0).applied("Pick", lambda: skills.pick(robot, "ghost"))
    next(dropped)
    assert all(dropped.send(100.0).stage == "waiting" for _ in range(100))


def test_chance_is_seeded() -> None:
    def outcomes(seed: int) -> list[bool]:
        robot, faults = Robot(HOME), Faults(failure_rate=0.5, seed=seed)
        go(robot, "mug_1")
        found = []
        for _ in range(20):
            try:
                play(robot, faults.applied("LookAt", lambda: skills.look_at_object(robot, "mug_1")))
                found.append(True)
            except Refusal:
                found.append(False)
        return found

    assert outcomes(1) == outcomes(1) != outcomes(2)
    assert {True, False} == set(outcomes(1))


# -- camera ----------------------------------------------------------------------------------


def test_depth_and_colour_agree_with_the_boxes(robot: Robot) -> None:
    go(robot, "mug_1")
    camera = Camera(160, 120)
    picture = camera.look(robot)
    origin, axes = robot.camera_pose()
    mug = robot.state.items["mug_1"]
    forward, left, up = (np.array(mug.center) - origin) @ axes
    column = int(80 - camera.focal * left / forward)
    row = int(60 - camera.focal * up / forward)
    depth = float(picture.depth[row, column])
    point = np.array(origin) + axes @ np.array(
        [
            depth,
            depth * (80 - (column + 0.5)) / camera.focal,
            depth * (60 - (row + 0.5)) / camera.focal,
        ]
    )
    grown = Box(tuple(c - 1e-3 for c in mug.box.low), tuple(c + 1e-3 for c in mug.box.high))
    assert all(a <= p <= b for a, p, b in zip(grown.low, point, grown.high, strict=True))
    assert picture.color.shape == (120, 160, 3)
    assert np.isfinite(picture.depth).all(), "the room is closed"


def test_images_from_a_folder(tmp_path: Path) -> None:
    pillow = pytest.importorskip("PIL.Image", reason="needs pillow")
    with pytest.raises(ImageFolderError, match="no PNG or JPEG"):
        load_images(tmp_path, 8, 6)
    with pytest.raises(ImageFolderError, match="can't be read"):
        load_images(tmp_path / "nowhere", 8, 6)
    pillow.new("RGB", (16, 12), (10, 20, 30)).save(tmp_path / "b.png")
    pillow.new("RGB", (16, 12), (1, 2, 3)).save(tmp_path / "a.png")
    images = load_images(tmp_path, 8, 6)
    assert [tuple(image[0, 0]) for image in images] == [(1, 2, 3), (10, 20, 30)]
    assert images[0].shape == (6, 8, 3)
    (tmp_path / "c.png").write_text("no picture")
    with pytest.raises(ImageFolderError, match=r"c\.png"):
        load_images(tmp_path, 8, 6)


# -- home file -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": 3}, "name"),
        ({"pets": []}, "pets"),
        ({"things": [{"id": "x", "type": "Teapot", "size": [1, 1, 1], "place": "c"}]}, "'Teapot'"),
        ({"things": [{"id": "x", "type": "Mug", "size": [1, 1, 1], "place": "c"}]}, "unknown fur"),
        ({"things": [{"id": "x", "type": "Mug", "size": [1, 0, 1], "place": "c"}]}, "size"),
        (
            {"things": [{"id": "mug", "type": "Mug", "size": [1, 1, 1], "place": "lamp_1"}]},
            "nothing can lie in or on lamp_1",
        ),
        (
            {"things": [{"id": "x", "type": "Sofa", "size": [1, 1, 1], "place": "table_1"}]},
            "list it as furniture",
        ),
        (
            {"things": [{"id": "lamp_1", "type": "Mug", "size": [1, 1, 1], "place": "table_1"}]},
            "used twice",
        ),
    ],
)
def test_a_wrong_home_is_answered_with_the_place(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    raw = yaml.safe_load(home.default_path().read_text())
    path = tmp_path / "home.yaml"
    path.write_text(yaml.safe_dump(raw | change))
    with pytest.raises(home.HomeError) as caught:
        home.load(path)
    assert words in str(caught.value)


def test_reach_is_enough_for_every_thing_of_the_shipped_home(robot: Robot) -> None:
    for item in robot.state.items.values():
        assert robot.standing_places(item), f"{item.item_id} can't be reached"
    assert REACH > RADIUS
