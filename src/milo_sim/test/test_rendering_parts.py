"""What pictures are made of: surfaces, boxes less boxes, room plans, files."""

import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest

from milo_sim.appearance import Part
from milo_sim.interior.blocks import difference_skin, rectangles
from milo_sim.interior.doors import doors
from milo_sim.interior.outline import room_outline
from milo_sim.interior.room import panels, room_of
from milo_sim.interior.style import RoomStyle, recolored
from milo_sim.rendering.surfaces import (
    palette,
    palette_coordinate,
    surface_of,
    surfaces_of,
)
from milo_sim.scene import load_scene, scene_names
from milo_sim.snapshot import png


def box(low, high):
    return np.array(low, dtype=float), np.array(high, dtype=float)


def skin_area(quads):
    return float(
        np.linalg.norm(np.cross(quads[:, 1] - quads[:, 0], quads[:, 3] - quads[:, 0]), axis=1).sum()
    )


def skin_volume(quads):
    """Volume inside by the divergence theorem; holds only if the skin is closed and outward."""
    a, b, c, d = (quads[:, i] for i in range(4))
    return float(
        (np.einsum("ij,ij->i", a, np.cross(b, c)) + np.einsum("ij,ij->i", a, np.cross(c, d))).sum()
        / 6
    )


@pytest.mark.parametrize("kind", ["box", "cylinder", "ellipsoid", "capsule"])
def test_surfaces_are_outward_in_the_right_handed_frame(kind):
    surface = surface_of([Part(kind, (0.1, 0.2, 0.3), (0.1, 0.1, 0.2), (1.0, 0.0, 0.0, 1.0))])
    corners = surface.vertices[surface.faces]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.einsum("ij,ij->i", corners[:, 0], area).sum() > 0
    lengths = np.linalg.norm(area, axis=1)
    normals = surface.normals[surface.faces].mean(axis=1)
    assert (np.einsum("ij,ij->i", area, normals) > 0.8 * lengths - 1e-12).all()
    assert np.allclose(np.linalg.norm(surface.normals, axis=1), 1.0)
    # Unity's y is the third coordinate.
    middle = (surface.vertices.min(axis=0) + surface.vertices.max(axis=0)) / 2
    assert middle == pytest.approx([0.1, 0.3, 0.2], abs=1e-6)


def test_parts_of_one_finish_become_one_surface():
    parts = [
        Part("box", (0.0, 0.0, 0.0), (0.1, 0.1, 0.1), (1.0, 0.0, 0.0, 1.0)),
        Part("box", (1.0, 0.0, 0.0), (0.1, 0.1, 0.1), (0.0, 1.0, 0.0, 1.0)),
        Part("box", (2.0, 0.0, 0.0), (0.1, 0.1, 0.1), (0.0, 0.0, 1.0, 0.3)),
    ]
    surfaces = surfaces_of(parts)
    assert [finish.opacity for finish in surfaces] == [3, 10]
    assert [len(surface.faces) for surface in surfaces.values()] == [12, 24]
    assert len(np.unique(list(surfaces.values())[1].texture, axis=0)) == 2


@pytest.mark.parametrize("color", [(0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0.2, 0.5, 0.9)])
def test_the_palette_holds_the_colour_that_its_coordinate_names(color):
    image = palette()
    u, v = palette_coordinate((*color, 1.0))
    entry = image[int(v * image.shape[0]), int(u * image.shape[1])]
    assert np.abs(entry / 255 - color).max() < 0.02


def test_boxes_less_boxes_are_closed():
    solid, hole = box((0, 0, 0), (2, 2, 2)), box((1, 1, 1), (3, 3, 3))
    assert skin_volume(difference_skin([solid], [])) == pytest.approx(8.0)
    assert skin_volume(difference_skin([solid], [hole])) == pytest.approx(7.0)
    assert skin_area(difference_skin([solid], [hole])) == pytest.approx(24.0)
    through = box((0.5, -1, 0.5), (1.5, 3, 1.5))
    assert skin_volume(difference_skin([solid], [through])) == pytest.approx(6.0)
    assert skin_volume(difference_skin([solid, hole], [])) == pytest.approx(15.0)
    assert difference_skin([solid], [box((-1, -1, -1), (3, 3, 3))]).shape == (0, 4, 3)
    assert difference_skin([], [hole]).shape == (0, 4, 3)


def test_rectangles_cover_each_cell_once():
    cells = np.random.default_rng(3).random((20, 30)) < 0.6
    count = np.zeros(cells.shape, dtype=int)
    for i0, i1, j0, j1 in rectangles(cells):
        count[i0:i1, j0:j1] += 1
    assert (count == cells).all()


def test_an_empty_corner_is_cut_off_a_room_and_a_bare_wall_is_not():
    x, z = np.meshgrid(np.arange(0.0, 4.0, 0.25), np.arange(0.0, 4.0, 0.25))
    cells = np.column_stack([x.ravel(), z.ravel()])
    nothing = np.zeros((0, 4))
    whole = room_outline(cells, nothing)
    assert whole.inside.all()
    assert len(whole.walls()) == 4
    cut = room_outline(cells[(cells[:, 0] < 2.0) | (cells[:, 1] < 2.0)], nothing)
    assert len(cut.walls()) == 6
    sides = cut.floor()
    area = ((sides[:, 1] - sides[:, 0]) * (sides[:, 3] - sides[:, 2])).sum()
    assert 11.0 < area < 16.0


@pytest.mark.parametrize("scene", scene_names()[::9])
def test_walls_stand_around_everything(scene):
    loaded = load_scene(scene)
    room = room_of(loaded)
    cell = room.outline.cell
    for x, z in loaded.reachable:
        i, j = ((np.array([x, z]) - room.outline.origin) / cell).astype(int)
        assert room.outline.inside[i, j], (x, z)
    assert room.ceiling > room.floor + 2.0
    shown = list(panels(loaded, RoomStyle(loaded.room_type, 1)))
    assert {"Wall", "Ceiling", "CeilingLight"} <= {panel.owner for panel in shown}
    for panel in shown:
        assert np.isfinite(panel.corners).all()


def test_doors_stand_before_bare_walls():
    with_doors = 0
    for scene in scene_names()[::5]:
        loaded = load_scene(scene)
        for panel in doors(loaded, room_of(loaded).outline):
            with_doors += 1
            low, high = panel.corners.min(axis=(0, 1)) + 0.01, panel.corners.max(axis=(0, 1)) - 0.01
            for obj in loaded.objects:
                center, half = np.array(obj.aabb_center), np.array(obj.aabb_size) / 2
                if obj.object_type != "Floor":
                    assert np.any(center - half > high) or np.any(center + half < low)
    assert with_doors > 20


def test_recoloring_keeps_the_brightness():
    color = (0.2, 0.4, 0.6)
    assert recolored(color, 1) == recolored(color, 1) != recolored(color, 2)
    assert max(recolored(color, 1)) == pytest.approx(0.6)


def test_png_files_hold_the_picture():
    image = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    data = png(image)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">IIBB", data[16:26]) == (4, 2, 8, 2)
    start = data.index(b"IDAT")
    (length,) = struct.unpack(">I", data[start - 4 : start])
    lines = zlib.decompress(data[start + 4 : start + 4 + length])
    assert lines == b"\0" + bytes(range(12)) + b"\0" + bytes(range(12, 24))


def test_one_picture_from_the_command_line(tmp_path):
    out = tmp_path / "frame.png"
    command = [sys.executable, "-m", "milo_sim", "--scene", "FloorPlan1", "--out", str(out)]
    done = subprocess.run(
        [*command, "--width", "64", "--height", "48"], capture_output=True, text=True, timeout=60
    )
    if "cannot make images" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    assert struct.unpack(">II", out.read_bytes()[16:24]) == (64, 48)


@pytest.mark.parametrize(
    ("option", "value", "cure"),
    [("--scene", "FloorPlan999", "scene_names"), ("--out", "/nowhere/x.png", "nowhere")],
)
def test_a_wrong_option_is_one_sentence(tmp_path, option, value, cure):
    options = {"--scene": "FloorPlan1", "--out": str(tmp_path / "x.png"), option: value}
    arguments = [part for pair in options.items() for part in pair]
    done = subprocess.run(
        [sys.executable, "-m", "milo_sim", *arguments], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    if "cannot make images" not in done.stderr:
        assert cure in done.stderr
