"""The renderer against geometry: what a pixel shows lies where the simulator has it."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from milo_sim import roster, slicing
from milo_sim.geometry import euler_to_matrix
from milo_sim.interior.room import room_of
from milo_sim.motion import object_box, translate
from milo_sim.rendering.camera import Camera
from milo_sim.rendering.colors import packed, tag_color, tag_colors
from milo_sim.rendering.gl import RenderingUnavailable, create_context
from milo_sim.rendering.pictures import Palette, agent_camera
from milo_sim.rendering.renderer import Renderer
from milo_sim.scene import load_scene
from milo_sim.world import World

WIDTH, HEIGHT = 160, 120
TOLERANCE = 0.01
SCENES = tuple(f"FloorPlan{n}" for n in (1, 8, 28, 201, 212, 230, 303, 325, 402, 427))
POSES = 20
CONVEX_TYPES = frozenset(
    {"AlarmClock", "BasketBall", "Book", "Bread", "CellPhone", "Egg", "Newspaper", "Potato"}
    | {"RemoteControl", "SaltShaker", "SoapBar", "TissueBox", "Tomato", "WineBottle"}
)


@pytest.fixture(scope="module")
def renderer():
    try:
        made = Renderer(World(load_scene("FloorPlan1")))
    except RenderingUnavailable as error:
        pytest.skip(str(error))
    yield made
    made.close()


@pytest.fixture
def show(renderer):
    """A world of a scene that the renderer shows."""

    def start(scene):
        world = World(load_scene(scene))
        renderer.show(world)
        return world

    return start


def look(renderer, camera, **wanted):
    return renderer.render(camera, WIDTH, HEIGHT, **wanted)


def random_camera(world, random):
    x, z = world.scene.reachable[random.integers(len(world.scene.reachable))]
    height = world.agent.position[1] + random.choice([0.0, 0.675])
    pitch = random.choice([-30.0, 0.0, 30.0, 60.0])
    return Camera((x, height, z), euler_to_matrix((pitch, random.uniform(0.0, 360.0), 0.0)))


def seen_points(camera, images):
    """World coordinates (height, width, 3) of what the pixels show."""
    rays = camera.rays(WIDTH, HEIGHT)
    return np.asarray(camera.position) + rays * np.flipud(images.depth)[..., None]


def visible_owners(renderer, images):
    owners = np.flipud(images.masks.owners)
    return {renderer.owners[i - 1]: owners == i for i in np.unique(owners) if i}


def outside(box, points):
    """How far the farthest point lies outside a box [m]."""
    return float((np.abs(box.to_local(points)) - box.half).max())


def check_geometry(renderer, world, camera):
    """Masks back-project into boxes, the floor is where it is; returns the number of masks."""
    images = look(renderer, camera, color=False, depth=True, masks=True)
    points = seen_points(camera, images)
    masks = visible_owners(renderer, images)
    checked = 0
    for owner, mask in masks.items():
        if owner not in world.objects:
            continue
        error = outside(object_box(world.objects[owner]), points[mask])
        assert error < TOLERANCE, f"{owner} in {world.scene.name}"
        checked += 1
        if owner.startswith("Floor|"):
            assert np.abs(points[mask][:, 1] - world.scene.floor_y).max() < TOLERANCE
    check_centers(renderer, world, camera, masks)
    return checked


def check_centers(renderer, world, camera, masks):
    """The middle of a convex object that nothing hides is seen as that object."""
    half = np.array([WIDTH, HEIGHT]) / 2
    for owner, mask in masks.items():
        fixed = world.scene_objects.get(owner)
        if fixed is None or fixed.object_type not in CONVEX_TYPES or mask.sum() < 12:
            continue
        edges = mask[0].any() or mask[-1].any() or mask[:, 0].any() or mask[:, -1].any()
        alone = look(renderer, camera, color=False, masks=True, only={owner})
        if edges or (visible_owners(renderer, alone)[owner] != mask).any():
            continue
        center = object_box(world.objects[owner]).center
        local = (center - np.asarray(camera.position)) @ camera.rotation
        x, y = local[:2] / local[2] / camera.slope * half[1]
        column, row = int(half[0] + x), int(half[1] - y)
        assert mask[row, column], f"{owner} in {world.scene.name}"


@pytest.mark.parametrize("scene", SCENES)
def test_masks_and_depth_agree_with_the_boxes(renderer, show, scene):
    world = show(scene)
    random = np.random.default_rng(7)
    masks = sum(check_geometry(renderer, world, random_camera(world, random)) for _ in range(POSES))
    assert masks > 3 * POSES


@pytest.mark.parametrize("scene", SCENES)
def test_open_things_stay_in_their_boxes(renderer, show, scene):
    world = show(scene)
    random = np.random.default_rng(8)
    openable = [key for key, obj in world.scene_objects.items() if obj.has("openable")]
    assert openable
    for key in openable:
        world.set_openness(key, float(random.choice([0.3, 0.7, 1.0])), force=True)
    for _ in range(6):
        check_geometry(renderer, world, random_camera(world, random))


def test_walls_stand_where_the_plan_has_them(renderer, show):
    world = show("FloorPlan201")
    camera = agent_camera(world)
    images = look(renderer, camera, depth=True, masks=True)
    points = seen_points(camera, images)[visible_owners(renderer, images)["Wall"]][:, [0, 2]]
    starts, ends = room_of(world.scene).outline.walls().transpose(1, 0, 2)
    along = (ends - starts) / np.linalg.norm(ends - starts, axis=1, keepdims=True)
    offset = points[:, None, :] - starts
    gaps = np.abs(offset[..., 0] * along[:, 1] - offset[..., 1] * along[:, 0])
    assert len(points) > 1000
    assert gaps.min(axis=1).max() < TOLERANCE


def test_depth_ends_at_the_far_plane(renderer, show):
    camera = replace(agent_camera(show("FloorPlan201")), far=1.0)
    images = look(renderer, camera, depth=True, masks=True)
    nothing = images.masks.owners == 0
    assert images.depth.dtype == np.float32
    assert nothing.any()
    assert images.depth[nothing] == pytest.approx(1.0, abs=1e-6)
    assert images.depth.max() == pytest.approx(1.0, abs=1e-6)


def test_two_renderers_draw_the_same_bytes(renderer, show):
    world = show("FloorPlan301")
    other = Renderer(World(load_scene("FloorPlan301")))
    wanted = {"depth": True, "masks": True, "normals": True}
    one, two = (look(r, agent_camera(world), **wanted) for r in (renderer, other))
    other.close()
    for name in ("color", "depth", "normals"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes()
    assert (one.masks.owners == two.masks.owners).all()


def test_closing_brings_back_the_first_picture(renderer, show):
    world = show("FloorPlan1")
    fridge = "Fridge|-02.10|+00.00|+01.07"
    first = look(renderer, agent_camera(world)).color
    world.set_openness(fridge, 1.0, force=True)
    opened = look(renderer, agent_camera(world)).color
    assert (opened != first).mean() > 0.2
    world.set_openness(fridge, 0.0, force=True)
    assert (look(renderer, agent_camera(world)).color == first).all()


def test_a_closed_container_hides_what_it_holds(renderer, show):
    world = show("FloorPlan1")
    fridge, egg = "Fridge|-02.10|+00.00|+01.07", "Egg|-02.04|+00.81|+01.24"
    camera = Camera((-0.75, 1.3, 1.0), euler_to_matrix((20.0, 270.0, 0.0)))
    closed = look(renderer, camera, masks=True)
    assert egg not in visible_owners(renderer, closed)
    world.set_openness(fridge, 1.0, force=True)
    assert egg in visible_owners(renderer, look(renderer, camera, masks=True))
    # Nor does it show when the door alone is taken away.
    world.set_openness(fridge, 0.0, force=True)
    alone = look(renderer, camera, masks=True, only={egg})
    assert egg not in visible_owners(renderer, alone)


def test_the_held_object_is_in_view(renderer, show):
    world = show("FloorPlan1")
    mug = "Mug|-01.76|+00.90|-00.62"
    world.pickup(mug, force=True)
    for yaw in (0.0, 90.0):
        world.teleport(rotation=yaw, force=True)
        images = look(renderer, agent_camera(world), masks=True, depth=True)
        mask = visible_owners(renderer, images)[mug]
        rows, columns = np.nonzero(mask)
        assert abs(columns.mean() - WIDTH / 2) < WIDTH / 8
        assert rows.mean() > HEIGHT / 2
        assert 0.2 < np.flipud(images.depth)[mask].mean() < 0.5


def test_glass_walls_hide_nothing_from_masks_and_depth(renderer, show):
    world = show("FloorPlan402")
    world.teleport(rotation=180.0, force=True)
    images = look(renderer, agent_camera(world), masks=True, depth=True)
    masks = visible_owners(renderer, images)
    window = next(owner for owner in masks if owner.startswith("Window|"))
    glass = next(owner for owner in masks if owner.startswith("ShowerGlass|"))
    depth = np.flipud(images.depth)
    # The pane is gone, its frame is not, and a window's pane is solid.
    assert depth[masks[window]].min() > depth[masks[glass]].max()
    rows, columns = np.nonzero(masks[window])
    box = (slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1))
    assert masks[window][box].mean() > 0.9


def test_only_draws_nothing_else(renderer, show):
    world = show("FloorPlan201")
    images = look(renderer, agent_camera(world), masks=True)
    owner = max(visible_owners(renderer, images), key=lambda k: k in world.objects)
    alone = look(renderer, agent_camera(world), masks=True, only={owner})
    assert set(visible_owners(renderer, alone)) == {owner}


def test_normals_are_in_the_camera_frame(renderer, show):
    show("FloorPlan1")
    camera = Camera((0.75, 1.6, -0.75), euler_to_matrix((30.0, 90.0, 0.0)))
    images = look(renderer, camera, masks=True, normals=True)
    masks = visible_owners(renderer, images)
    floor = next(mask for owner, mask in masks.items() if owner.startswith("Floor|"))
    normals = np.flipud(images.normals)[floor] / 127.5 - 1.0
    up = camera.rotation.T @ np.array([0.0, 1.0, 0.0])
    assert np.abs(normals - [up[0], up[1], -up[2]]).max() < 0.02


def test_parallel_rays_see_the_same_size_at_any_depth(renderer, show):
    world = show("FloorPlan201")
    camera = Camera(
        (-2.5, 2.4, 3.0), euler_to_matrix((90.0, 0.0, 0.0)), orthographic_size=3.0, far=10.0
    )
    images = look(renderer, camera, depth=True, masks=True)
    masks = visible_owners(renderer, images)
    floor = next(mask for owner, mask in masks.items() if owner.startswith("Floor|"))
    depth = np.flipud(images.depth)[floor]
    assert depth.min() == pytest.approx(2.4 - world.scene.floor_y, abs=TOLERANCE)
    assert depth.max() == pytest.approx(depth.min(), abs=1e-3)


def test_a_background_colour_fills_what_is_empty(renderer, show):
    show("FloorPlan201")
    away = Camera((50.0, 1.0, 50.0), np.eye(3), background=(1, 2, 3))
    assert (look(renderer, away).color == [1, 2, 3]).all()


def test_many_shapes_at_once_and_again(renderer, show):
    world = show("FloorPlan16")
    camera = agent_camera(world)
    first = look(renderer, camera, masks=True)
    openable = [key for key, obj in world.scene_objects.items() if obj.has("openable")]
    for openness in (1.0, 0.5, 0.25, 0.0):
        for key in openable:
            world.set_openness(key, openness, force=True)
        last = look(renderer, camera, masks=True)
    assert (last.color == first.color).all()
    assert (last.masks.owners == first.masks.owners).all()


def bread_in_view(renderer, world):
    bread = next(key for key in world.objects if key.startswith("Bread|"))
    x, y, z = world.objects[bread].aabb_center
    camera = Camera((x - 0.6, y + 0.5, z), euler_to_matrix((40.0, 90.0, 0.0)))
    assert bread in visible_owners(renderer, look(renderer, camera, masks=True))
    return bread, camera


def test_what_is_hidden_or_removed_is_not_drawn(renderer, show):
    world = show("FloorPlan1")
    bread, camera = bread_in_view(renderer, world)
    first = look(renderer, camera).color
    for leave, come_back in (
        (
            lambda: roster.hide(world, bread, True, True),
            lambda: roster.hide(world, bread, False, True),
        ),
        (lambda: roster.vanish(world, bread), lambda: roster.appear(world, bread)),
    ):
        leave()
        assert bread not in visible_owners(renderer, look(renderer, camera, masks=True))
        come_back()
        assert (look(renderer, camera).color == first).all()
    roster.remove(world, bread)
    assert bread not in visible_owners(renderer, look(renderer, camera, masks=True))


def test_copies_and_slices_are_drawn(renderer, show):
    world = show("FloorPlan1")
    bread, camera = bread_in_view(renderer, world)
    roster.copy(world, bread, "copy", "Bread_copy")
    state = world.objects["copy"]
    translate(state, np.array([0.0, 0.15, 0.0]))
    assert {"copy", bread} <= set(visible_owners(renderer, look(renderer, camera, masks=True)))
    slicing.slice_object(world, bread, force=True)
    seen = set(visible_owners(renderer, look(renderer, camera, masks=True)))
    assert bread not in seen
    assert any("BreadSliced" in owner for owner in seen)


def test_segmentation_colours_are_those_of_the_engine():
    assert tag_color("Fridge") == tuple(hashlib.md5(b"Fridge").digest()[:3])
    colors = tag_colors(["Fridge", "Fridge|1", "Fridge"])
    assert list(colors) == ["Fridge", "Fridge|1"]
    assert packed([(1, 2, 3)]).view(np.uint8).tolist() == [0, 0, 0, 255, 1, 2, 3, 255]


def test_all_colours_of_a_scene_differ(renderer, show):
    world = show("FloorPlan1")
    look(renderer, agent_camera(world))
    palette = Palette(renderer.owners, world)
    colors = [tuple(entry["color"]) for entry in palette.table]
    assert len(set(colors)) == len(colors)
    assert len(set(palette.instances.tolist())) == len(renderer.owners) + 1


def test_without_a_device_the_message_names_the_packages(monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "egl")
    monkeypatch.setenv("MUJOCO_EGL_DEVICE_ID", "99")
    with pytest.raises(RenderingUnavailable, match=r"libegl1 .* headless=True"):
        create_context()
