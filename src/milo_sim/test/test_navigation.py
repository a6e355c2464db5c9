"""Moving, turning and reachable positions; figures from AI2-THOR's own tests in FloorPlan28."""

import json
import math

import pytest

from milo_sim.navigation import freedom
from milo_sim.scene import load_scene, scene_names
from milo_sim.world import ActionFailed, Settings, World

BASE = (-1.5, 0.901, -1.5)


@pytest.fixture
def world():
    made = World(load_scene("FloorPlan28"))
    made.teleport(position=BASE, rotation=0.0, horizon=0.0, standing=True)
    return made


@pytest.mark.parametrize(
    ("direction", "x", "z"),
    [("ahead", -1.5, -1.25), ("back", -1.5, -1.75), ("left", -1.75, -1.5), ("right", -1.25, -1.5)],
)
def test_one_step(world, direction, x, z):
    world.move(direction)
    assert world.agent.position == pytest.approx((x, 0.901, z), abs=1e-9)


def test_step_length(world):
    world.move("ahead", 0.5)
    assert world.agent.position == pytest.approx((-1.5, 0.901, -1.0))


def test_direction_follows_the_yaw(world):
    world.rotate(90)
    world.move("ahead")
    assert world.agent.position == pytest.approx((-1.25, 0.901, -1.5))


def test_too_far_leaves_the_bounds(world):
    with pytest.raises(ActionFailed, match="Scene bounds do not contain target position: "):
        world.move("ahead", 5.0)
    assert world.agent.position == pytest.approx(BASE)


def test_blocked_step_names_what_blocks(world):
    reachable = set(world.reachable_positions())
    x, y, z = BASE
    while (x, y, z) in reachable:
        world.teleport((x, y, z))
        x += 0.25
    before = world.agent.position
    with pytest.raises(ActionFailed) as refused:
        world.move("right")
    message = refused.value.message
    assert message.endswith(" is blocking Agent 0 from moving by (0.2500, 0.0000, 0.0000).")
    assert world.agent.position == before


@pytest.mark.parametrize("magnitude", [0.0, -0.25])
def test_step_must_be_positive(world, magnitude):
    with pytest.raises(ActionFailed, match="moveMagnitude must be > 0"):
        world.move("ahead", magnitude)


def test_rotate(world):
    world.rotate(-90)
    assert world.agent.yaw == 270.0
    world.rotate(180)
    assert world.agent.yaw == 90.0
    with pytest.raises(ActionFailed, match="Cannot rotate by 0 degrees"):
        world.rotate(0)


def test_look_limits(world):
    world.look(30)
    world.look(30)
    with pytest.raises(ActionFailed, match="can't look down beyond 60 degrees") as refused:
        world.look(30)
    assert refused.value.error_code == "LookDownCantExceedMin"
    assert world.agent.horizon == 60.0
    world.look(-90)
    with pytest.raises(ActionFailed, match="can't look up beyond 30 degrees"):
        world.look(-30)
    assert world.agent.horizon == -30.0


def test_crouch_and_stand(world):
    standing = world.camera_position
    world.crouch()
    assert world.camera_position == world.agent.position
    with pytest.raises(ActionFailed, match="Already crouching"):
        world.crouch()
    world.stand()
    assert world.camera_position == standing
    with pytest.raises(ActionFailed, match="Already standing"):
        world.stand()


def test_teleport_settles_on_the_floor(world):
    world.teleport(
        position=(-2.0, 0.95, -2.5), rotation=(0.0, 90.0, 0.0), horizon=10.0, standing=False
    )
    assert world.agent.position == pytest.approx((-2.0, 0.901, -2.5))
    assert (world.agent.yaw, world.agent.horizon, world.agent.standing) == (90.0, 10.0, False)
    world.teleport(horizon=30.0)
    assert world.agent.position == pytest.approx((-2.0, 0.901, -2.5))
    assert (world.agent.yaw, world.agent.horizon, world.agent.standing) == (90.0, 30.0, False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"position": (-1.5, 1.0, -1.5)}, "too large a change"),
        ({"position": (-1.5, 0.901, -3.5)}, "Collided with: "),
        ({"position": (-1.5, 0.901, 0.0)}, "Collided with: |out of scene bounds"),
        ({"position": (2000.0, 0.901, 9000.0)}, "out of scene bounds! Ignore this by setting"),
        ({"position": (-1.55, 0.901, -1.5)}, "is not on the grid of size 0.25"),
        ({"horizon": 61.0}, r"Each horizon must be in \[-30:60\]. You gave 61."),
        ({"rotation": (10.0, 0.0, 0.0)}, "pitch or roll"),
    ],
)
def test_refused_teleport_changes_nothing(world, options, message):
    with pytest.raises(ActionFailed, match=message):
        world.teleport(**options)
    agent = world.agent
    assert (agent.position, agent.yaw, agent.horizon, agent.standing) == (BASE, 0.0, 0.0, True)


def test_forced_teleport_skips_the_checks(world):
    world.teleport(position=(-1.55, 2.0, -3.5), force=True)
    assert world.agent.position == pytest.approx((-1.55, 0.901, -3.5))


def test_reachable_positions(world):
    found = world.reachable_positions()
    assert 101 <= len(found) <= 124
    assert found[0] == BASE
    # Breadth-first from the agent: right, ahead, left, back.
    assert found[1:5] == [
        (-1.25, 0.901, -1.5),
        (-1.5, 0.901, -1.25),
        (-1.75, 0.901, -1.5),
        (-1.5, 0.901, -1.75),
    ]
    assert len(set(found)) == len(found)
    assert all(y == 0.901 for _, y, _ in found)


def test_reachable_positions_ignore_the_yaw_unless_asked(world):
    count = len(world.reachable_positions())
    world.teleport(rotation=49.1)
    assert len(world.reachable_positions()) == count
    relative = world.reachable_positions(directions_relative_agent=True)
    assert 101 <= len(relative) <= 124
    assert len(relative) != count
    step = (relative[1][0] - BASE[0], relative[1][2] - BASE[2])
    assert math.hypot(*step) == pytest.approx(0.25)
    assert math.degrees(math.atan2(*step)) == pytest.approx(139.1)


def test_finer_and_limited_search(world):
    assert len(world.reachable_positions(grid_size=0.125)) > 3 * len(world.reachable_positions())
    with pytest.raises(ActionFailed, match="Too many steps"):
        world.reachable_positions(max_steps=1)


def test_all_known_cells_are_reached_in_every_scene():
    for name in scene_names():
        scene = load_scene(name)
        world = World(scene)
        found = {(x, z) for x, _, z in world.reachable_positions()}
        assert found == {(x, z) for x, z in scene.reachable.tolist()}, name


def test_freedom_is_interpolated():
    cells = {(0, 0), (1, 0)}
    assert freedom(cells, 0.0, 0.0) == freedom(cells, 0.1, 0.0) == 1.0
    assert freedom(cells, 0.125, 0.125) == pytest.approx(0.5)
    assert freedom(cells, 0.25, -0.2) == pytest.approx(0.2)
    assert freedom(cells, 1.0, 1.0) == 0.0


def test_start_snaps_to_the_grid():
    assert World(load_scene("FloorPlan301")).agent.position == (2.25, 0.9104, 1.0)
    world = World(load_scene("FloorPlan301"), Settings(grid_size=0.1))
    assert world.agent.position == pytest.approx((2.2, 0.9104, 1.0))
    unsnapped = World(load_scene("FloorPlan301"), Settings(grid_size=0.1, snap_to_grid=False))
    assert unsnapped.agent.position == (2.25, 0.9104, 1.0)


MOVES = {"MoveAhead": "ahead", "MoveBack": "back", "MoveLeft": "left", "MoveRight": "right"}


@pytest.mark.parametrize("name", ["look_in_light_book", "DoHomework"])
def test_recorded_moves(ithor_data, name):
    """Real sequences with 0.1 and 0.25 m grids, odd step lengths and yaws."""
    steps = json.loads((ithor_data / "traces" / f"{name}.json").read_text())["steps"]
    start = steps[0]
    scene = load_scene(start["metadata"]["sceneName"])
    world = World(scene, Settings(grid_size=start["action"].get("gridSize", 0.25)))
    for step in steps:
        action, agent = step["action"], step["metadata"]["agent"]
        if action["action"] in MOVES:
            world.move(MOVES[action["action"]], action["moveMagnitude"])
        elif action["action"] in ("RotateLeft", "RotateRight"):
            sign = 1 if action["action"] == "RotateRight" else -1
            world.rotate(sign * action["degrees"])
        position = agent["position"]
        assert world.agent.position == pytest.approx(
            (position["x"], position["y"], position["z"]), abs=1e-3
        )
        assert world.agent.yaw == pytest.approx(agent["rotation"]["y"], abs=1e-3)


def test_open_drawer_blocks_the_way_but_does_not_trap():
    """A drawer that opens against the agent does not hold it; from elsewhere it blocks."""
    world = World(load_scene("FloorPlan301"))
    free = len(world.reachable_positions())
    for object_id in list(world.objects):
        if object_id.startswith("Drawer|"):
            world.set_openness(object_id, 1.0, force=True)
    assert len(world.reachable_positions()) < free
    for object_id in list(world.objects):
        if object_id.startswith("Drawer|"):
            world.set_openness(object_id, 0.0, force=True)
    assert len(world.reachable_positions()) == free
