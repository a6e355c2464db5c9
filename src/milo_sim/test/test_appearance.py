"""Looks of all object types: they fit their box, are sound meshes, and show type and state."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from milo_core.object_types import OBJECT_TYPES
from milo_sim.appearance import Part, build_parts, triangles, vertex_normals
from milo_sim.appearance.build import BUILDERS, MIN_SIDE, _build
from milo_sim.appearance.joinery import closed_depth
from milo_sim.appearance.look import Look
from milo_sim.opening import DOOR_SHARE

TYPES = sorted(OBJECT_TYPES)
SMALL = (0.1, 0.08, 0.1)
FLAGS = (
    "isBroken",
    "isCooked",
    "isDirty",
    "isFilledWithLiquid",
    "isToggled",
    "isUsedUp",
)
EXTREMES = (
    (1.0, 1.0, 1.0),
    (0.004, 0.5, 0.5),
    (2.0, 0.01, 0.01),
    (0.02, 3.0, 0.02),
    (0.03, 0.03, 2.0),
    (4.0, 4.0, 0.05),
    (0.003, 0.003, 0.003),
    (5.0, 0.02, 5.0),
    (0.0, 0.1, 0.2),
)


def median_size(object_type: str) -> tuple[float, float, float]:
    return OBJECT_TYPES[object_type].box_size or SMALL


def assert_sound(parts: Sequence[Part], size: Sequence[float]) -> None:
    """All vertices in the box; each mesh closed, facing outward, without empty triangles."""
    half = np.maximum(np.array(size), MIN_SIDE) / 2
    assert parts
    for part in parts:
        vertices, faces = triangles(part)
        assert np.isfinite(vertices).all()
        assert (np.abs(vertices) <= half + 1e-6).all()
        assert all(0.0 <= channel <= 1.0 for channel in part.color)
        a, b, c = (vertices[faces[:, i]] for i in range(3))
        areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        assert (areas > 1e-16).all()
        assert np.einsum("ij,ij->", a, np.cross(b, c)) > 0.0
        assert_closed(vertices, faces)


def assert_closed(vertices: np.ndarray, faces: np.ndarray) -> None:
    """Each edge is walked as often in one direction as in the other."""
    _, index = np.unique(np.round(vertices / 2e-9).astype(np.int64), axis=0, return_inverse=True)
    corner = index.reshape(-1)[faces]
    edges = np.concatenate([corner[:, [0, 1]], corner[:, [1, 2]], corner[:, [2, 0]]])
    forward = np.sort(edges[:, 0] * len(vertices) + edges[:, 1])
    backward = np.sort(edges[:, 1] * len(vertices) + edges[:, 0])
    np.testing.assert_array_equal(forward, backward)


def signature(parts: Sequence[Part]) -> tuple[object, ...]:
    """What can be seen of parts."""
    seen = []
    for part in parts:
        vertices, faces = triangles(part)
        seen.append((part.color, part.emission, faces.shape, vertices.round(5).tobytes()))
    return tuple(seen)


def hit_along(parts: Sequence[Part], start: Sequence[float], direction: Sequence[float]) -> float:
    """Distance at which a ray meets the first part (Moller and Trumbore, 1997)."""
    origin, ray = np.array(start), np.array(direction)
    nearest = np.inf
    for part in parts:
        vertices, faces = triangles(part)
        a, b, c = (vertices[faces[:, i]] for i in range(3))
        across = np.cross(ray, c - a)
        det = np.einsum("ij,ij->i", b - a, across)
        det = np.where(np.abs(det) < 1e-15, np.nan, det)
        offset = origin - a
        u = np.einsum("ij,ij->i", offset, across) / det
        turned = np.cross(offset, b - a)
        v = turned @ ray / det
        distance = np.einsum("ij,ij->i", c - a, turned) / det
        with np.errstate(invalid="ignore"):
            hits = distance[(u >= 0) & (v >= 0) & (u + v <= 1) & (distance > 0)]
        nearest = min(nearest, float(hits.min()) if hits.size else np.inf)
    return nearest


def all_states(object_type: str) -> Iterator[tuple[float, dict[str, bool]]]:
    for openness in (0.0, 0.4, 1.0):
        yield openness, {}
        for flag in FLAGS:
            yield openness, {flag: True}


def test_every_object_type_has_a_builder() -> None:
    assert set(BUILDERS) == set(OBJECT_TYPES)


@pytest.mark.parametrize("object_type", TYPES)
def test_median_size_in_every_state(object_type: str) -> None:
    size = median_size(object_type)
    for openness, state in all_states(object_type):
        assert_sound(build_parts(object_type, size, openness=openness, state=state), size)


@pytest.mark.parametrize("object_type", TYPES)
def test_extreme_sizes(object_type: str) -> None:
    for size in EXTREMES:
        for openness in (0.0, 1.0):
            materials = OBJECT_TYPES[object_type].materials[:1]
            parts = build_parts(object_type, size, openness=openness, materials=materials)
            assert_sound(parts, size)


_SIDE = st.floats(0.004, 3.0)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    object_type=st.sampled_from(TYPES),
    size=st.tuples(_SIDE, _SIDE, _SIDE),
    openness=st.floats(0.0, 1.0),
    flags=st.sets(st.sampled_from(FLAGS)),
    materials=st.lists(
        st.sampled_from(("Glass", "Metal", "Wood", "Fabric", "Plastic")), max_size=2
    ),
    seed=st.integers(0, 9),
)
def test_any_box_and_state(
    object_type: str,
    size: tuple[float, float, float],
    openness: float,
    flags: set[str],
    materials: list[str],
    seed: int,
) -> None:
    parts = build_parts(
        object_type,
        size,
        openness=openness,
        state=dict.fromkeys(flags, True),
        materials=materials,
        seed=seed,
    )
    half = np.array(size) / 2 + 1e-6
    assert all((np.abs(triangles(part)[0]) <= half).all() for part in parts)


def test_looks_differ_between_types() -> None:
    looks = [signature(build_parts(name, (0.3, 0.3, 0.3))) for name in TYPES]
    assert len(set(looks)) == len(TYPES)


@pytest.mark.parametrize("object_type", TYPES)
def test_more_than_a_plain_box(object_type: str) -> None:
    parts = build_parts(object_type, median_size(object_type))
    assert len(parts) >= 2 or parts[0].kind == "mesh"
    assert len({part.color for part in parts}) >= 2 or object_type in {"Bowl", "Cup", "Mug", "Vase"}
    assert sum(len(triangles(part)[1]) for part in parts) <= 1500


HOLLOW = {
    "Bathtub": 0.5,
    "BathtubBasin": 0.8,
    "Bowl": 0.5,
    "Cup": 0.8,
    "Drawer": 0.4,
    "GarbageCan": 0.8,
    "Mug": 0.75,
    "Pan": 0.6,
    "Pot": 0.8,
    "Sink": 0.6,
    "SinkBasin": 0.8,
    "WateringCan": 0.7,
    "Vase": 0.7,
}
"""Share of the height that is open in the middle."""


@pytest.mark.parametrize("object_type", sorted(HOLLOW))
def test_hollow_from_above(object_type: str) -> None:
    size = median_size(object_type)
    # Off the axis, where a handle over the opening would be, and in the round part of a pan.
    start = (0.12 * size[0], size[1] / 2 + 0.01, 0.0)
    if object_type == "Pan":
        start = (0.0, start[1], -0.5 * (size[2] - size[0]))
    depth = hit_along(build_parts(object_type, size), start, (0.0, -1.0, 0.0)) - 0.01
    assert depth >= HOLLOW[object_type] * size[1]
    assert depth <= size[1]


@pytest.mark.parametrize(
    ("object_type", "share"), [("Box", 0.9), ("LaundryHamper", 0.8), ("Toilet", 0.5)]
)
def test_opening_a_lid_shows_the_inside(object_type: str, share: float) -> None:
    size = median_size(object_type)
    x, z = (0.0, 0.0) if object_type != "Toilet" else (0.0, 0.13 * size[2])
    start = (x, size[1] / 2 + 0.01, z)
    down = (0.0, -1.0, 0.0)
    closed = hit_along(build_parts(object_type, size), start, down)
    opened = hit_along(build_parts(object_type, size, openness=1.0), start, down)
    assert opened - 0.01 >= share * size[1]
    assert opened > closed + 0.03


@pytest.mark.parametrize("object_type", ["Cabinet", "Fridge", "Microwave", "Safe"])
def test_opening_a_door_shows_the_inside(object_type: str) -> None:
    x, y, z = median_size(object_type)
    swing = DOOR_SHARE * x if object_type in {"Cabinet", "Fridge"} else 0.0
    look = Look(object_type, (x, y, z + swing), 1.0)
    body = closed_depth(look) if swing else z
    front = (z + swing) / 2 + 0.01
    # At the height of a shelf's gap, in the middle of the room behind the door.
    aside = 0.2 * x if object_type == "Microwave" else 0.0
    start, ahead = (aside, 0.15 * y, front), (0.0, 0.0, -1.0)
    closed = hit_along(build_parts(object_type, (x, y, z)), (aside, 0.15 * y, z / 2 + 0.01), ahead)
    opened = hit_along(build_parts(object_type, (x, y, z + swing), openness=1.0), start, ahead)
    assert closed < 0.15
    assert opened > swing + 0.75 * body


def test_open_door_fills_its_swing() -> None:
    x, y, z = median_size("Fridge")
    for openness in (0.3, 1.0):
        swing = DOOR_SHARE * x * np.sin(np.radians(90.0 * openness))
        parts = build_parts("Fridge", (x, y, z + swing), openness=openness)
        reach = max(triangles(part)[0][:, 2].max() for part in parts)
        assert reach > (z + swing) / 2 - 0.12


def test_drawer_has_its_knob_in_front() -> None:
    size = median_size("Drawer")
    parts = build_parts("Drawer", size)
    front = [p for p in parts if triangles(p)[0][:, 2].max() > size[2] / 2 - 0.004]
    assert len(front) == 1
    points = triangles(front[0])[0]
    assert np.ptp(points[:, 0]) < 0.5 * size[0]


def test_same_arguments_give_the_same_object() -> None:
    size = (0.1, 0.1, 0.1)
    first = build_parts("Mug", size, state={"isDirty": True}, asset_id="Mug_1")
    assert build_parts("Mug", list(size), state={"isDirty": True}, asset_id="Mug_1") is first
    _build.cache_clear()
    again = build_parts("Mug", size, state={"isDirty": True}, asset_id="Mug_1")
    assert signature(again) == signature(first)


CHANGES = [
    ("Bottle", ("isBroken", "isFilledWithLiquid")),
    ("Bowl", ("isBroken", "isDirty", "isFilledWithLiquid")),
    ("BreadSliced", ("isCooked",)),
    ("Candle", ("isToggled",)),
    ("CellPhone", ("isBroken", "isToggled")),
    ("Cloth", ("isDirty",)),
    ("CoffeeMachine", ("isToggled",)),
    ("Cup", ("isBroken", "isDirty", "isFilledWithLiquid")),
    ("Bed", ("isDirty",)),
    ("DeskLamp", ("isToggled",)),
    ("Desktop", ("isBroken", "isToggled")),
    ("Egg", ("isBroken",)),
    ("EggCracked", ("isCooked",)),
    ("Faucet", ("isToggled",)),
    ("FloorLamp", ("isToggled",)),
    ("HousePlant", ("isFilledWithLiquid",)),
    ("LightSwitch", ("isToggled",)),
    ("Microwave", ("isToggled",)),
    ("Mirror", ("isBroken", "isDirty")),
    ("Mug", ("isBroken", "isDirty", "isFilledWithLiquid")),
    ("Pan", ("isDirty",)),
    ("PaperTowelRoll", ("isUsedUp",)),
    ("Plate", ("isBroken", "isDirty")),
    ("Pot", ("isDirty", "isFilledWithLiquid")),
    ("Potato", ("isCooked",)),
    ("PotatoSliced", ("isCooked",)),
    ("ShowerDoor", ("isBroken",)),
    ("ShowerGlass", ("isBroken",)),
    ("ShowerHead", ("isToggled",)),
    ("SoapBottle", ("isUsedUp",)),
    ("Statue", ("isBroken",)),
    ("StoveBurner", ("isToggled",)),
    ("StoveKnob", ("isToggled",)),
    ("Television", ("isBroken", "isToggled")),
    ("TissueBox", ("isUsedUp",)),
    ("Toaster", ("isToggled",)),
    ("ToiletPaper", ("isUsedUp",)),
    ("Vase", ("isBroken",)),
    ("WateringCan", ("isFilledWithLiquid",)),
    ("Window", ("isBroken",)),
    ("WineBottle", ("isBroken", "isFilledWithLiquid")),
]


@pytest.mark.parametrize(("object_type", "flags"), CHANGES)
def test_state_shows(object_type: str, flags: tuple[str, ...]) -> None:
    size = median_size(object_type)
    plain = signature(build_parts(object_type, size))
    for flag in flags:
        assert signature(build_parts(object_type, size, state={flag: True})) != plain, flag


def test_laptop_screen_shows_what_it_does() -> None:
    size = median_size("Laptop")
    plain = signature(build_parts("Laptop", size, openness=1.0))
    for flag in ("isToggled", "isBroken"):
        lit = signature(build_parts("Laptop", size, openness=1.0, state={flag: True}))
        assert lit != plain


@pytest.mark.parametrize(
    "object_type", [n for n in TYPES if OBJECT_TYPES[n].openable and n not in {"Blinds", "Drawer"}]
)
def test_opening_shows(object_type: str) -> None:
    size = (0.8, 1.96, 0.07) if object_type == "ShowerDoor" else median_size(object_type)
    closed = signature(build_parts(object_type, size))
    assert signature(build_parts(object_type, size, openness=1.0)) != closed


def test_liquids_have_their_own_color() -> None:
    colors = set()
    for liquid in ("water", "coffee", "wine"):
        state = {"isFilledWithLiquid": True, "fillLiquid": liquid}
        parts = build_parts("Mug", median_size("Mug"), state=state)
        colors.add(frozenset(part.color for part in parts))
    assert len(colors) == 3


def test_assets_and_materials_vary_the_look() -> None:
    size = median_size("Book")
    books = {signature(build_parts("Book", size, asset_id=f"Book_{i}")) for i in range(20)}
    assert len(books) > 4
    size = median_size("Bowl")
    glass = build_parts("Bowl", size, materials=("Glass",))
    assert glass[0].color[3] < 1.0
    assert build_parts("Bowl", size, materials=("Ceramic",))[0].color[3] == 1.0


def test_fitted_furniture_of_one_seed_matches() -> None:
    for seed in range(5):
        doors = {p.color for p in build_parts("Cabinet", (0.4, 0.7, 0.4), seed=seed)}
        fronts = {p.color for p in build_parts("Drawer", (0.4, 0.2, 0.4), seed=seed)}
        assert doors & fronts


def test_flat_counter_does_not_hide_what_stands_on_it() -> None:
    parts = build_parts("CounterTop", (1.5, 0.017, 0.7))
    highest = max(triangles(part)[0][:, 1].max() for part in parts)
    assert highest < -0.017 / 2 + 0.004


def test_shading_normals_have_unit_length() -> None:
    for name in ("Mug", "TeddyBear", "Sofa"):
        for part in build_parts(name, median_size(name)):
            normals = vertex_normals(*triangles(part))
            np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-9)


@pytest.mark.parametrize("size", [(0.1, -0.1, 0.1), (0.1, float("nan"), 0.1), (1e9, 1.0, 1.0)])
def test_bad_sizes_are_refused(size: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="can't be drawn"):
        build_parts("Mug", size)


def test_unknown_type_is_refused() -> None:
    with pytest.raises(KeyError):
        build_parts("Spaceship", (1.0, 1.0, 1.0))


def test_building_is_quick() -> None:
    for name in TYPES:
        build_parts(name, median_size(name), seed=77)
    _build.cache_clear()
    start = time.process_time()
    for name in TYPES:
        build_parts(name, median_size(name), seed=77)
    assert (time.process_time() - start) / len(TYPES) < 0.004


def test_meshes_compile_in_mujoco() -> None:
    mujoco = pytest.importorskip("mujoco")
    spec = mujoco.MjSpec()
    count = 0
    for name in TYPES:
        for part in build_parts(name, median_size(name)):
            vertices, faces = triangles(part)
            mesh = spec.add_mesh(name=f"mesh{count}")
            mesh.uservert = vertices[:, [0, 2, 1]].ravel()
            mesh.userface = faces[:, ::-1].ravel()
            mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
            spec.worldbody.add_geom(
                type=mujoco.mjtGeom.mjGEOM_MESH,
                meshname=f"mesh{count}",
                contype=0,
                conaffinity=0,
            )
            count += 1
    assert spec.compile().nmesh == count
