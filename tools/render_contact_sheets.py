"""Draw docs/images/objects.png (a tile for each object type) and scenes.png (each benchmark scene).

python tools/render_contact_sheets.py [objects] [scenes] [--types Mug,Bowl] [--tile 150]
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("MUJOCO_GL", "egl")

import mujoco
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from milo_core.object_types import OBJECT_TYPES
from milo_sim.appearance import Part, build_parts, triangles, vertex_normals
from milo_sim.geometry import euler_to_matrix
from milo_sim.rendering.camera import Camera
from milo_sim.rendering.renderer import Renderer
from milo_sim.scene import Scene, load_scene
from milo_sim.world import World

DEFAULT_SIZES = {
    "AppleSliced": (0.09, 0.05, 0.05),
    "BreadSliced": (0.13, 0.12, 0.025),
    "EggCracked": (0.11, 0.04, 0.11),
    "LettuceSliced": (0.12, 0.06, 0.12),
    "PotatoSliced": (0.07, 0.02, 0.07),
    "TomatoSliced": (0.09, 0.02, 0.09),
    "TargetCircle": (0.6, 0.01, 0.6),
    "ToiletPaperRoll": (0.11, 0.1, 0.11),
    "CounterTop": (2.0, 0.92, 0.66),
    "Bathtub": (0.85, 0.6, 1.8),
    "Bed": (1.6, 0.95, 2.2),
    "BathtubBasin": (0.67, 0.42, 1.4975),
    "Mirror": (0.6, 0.85, 0.05),
    "Blinds": (1.1, 1.0, 0.03),
    "Poster": (0.62, 0.71, 0.03),
    "Floor": (3.0, 0.1, 3.0),
}
"""Typical boxes [m] of types without a median box, or whose median mixes orientations."""
BENCHMARK_SCENES = tuple(f"FloorPlan{n}" for n in (1, 5, 201, 202, 203, 301, 302, 401, 402))
VIEWPOINTS = 12
CAMERA_ABOVE_AGENT = 0.675
"""Height of the standing agent's camera above its position [m]."""
OPEN = {"Box": 1.0, "Laptop": 1.0, "Blinds": 0.0}
ON = {"Candle", "DeskLamp", "FloorLamp", "Television", "Desktop"}
EXAMPLE_MATERIALS = {
    "Chair": ("Wood",),
    "Sofa": ("Fabric",),
    "ArmChair": ("Fabric",),
    "Desk": ("Wood",),
    "SideTable": ("Wood",),
    "DiningTable": ("Wood",),
    "CoffeeTable": ("Wood",),
    "TVStand": ("Wood",),
    "Floor": ("Wood",),
    "Stool": ("Wood",),
    "GarbageCan": ("Plastic",),
    "Bowl": ("Ceramic",),
    "Cup": ("Glass",),
    "Vase": ("Ceramic",),
    "Dresser": ("Wood",),
    "Footstool": ("Wood", "Fabric"),
    "Ottoman": ("Fabric",),
    "ShelvingUnit": ("Wood",),
    "SoapBottle": ("Plastic",),
    "Statue": ("Stone",),
    "FloorLamp": ("Metal",),
    "DeskLamp": ("Metal", "Fabric"),
    "BaseballBat": ("Wood",),
}
EXAMPLE_ASSETS = {
    "Apple": "Apple_2",
    "Boots": "Boots_5",
    "Fridge": "Fridge_4",
    "Plunger": "Plunger_3",
    "Towel": "Towel_4",
    "Statue": "Dog_Statue_1",
    "Vase": "Vase_Tall_1",
    "Mug": "Mug_2",
}


def typical_size(object_type: str) -> tuple[float, float, float]:
    """Box size of the tile's example [m]."""
    size = DEFAULT_SIZES.get(object_type) or OBJECT_TYPES[object_type].box_size
    assert size is not None, f"{object_type} needs an entry in DEFAULT_SIZES."
    return size


def add_part(spec: mujoco.MjSpec, part: Part, name: str) -> None:
    """Add a part as a mesh geom; Unity's y and z change places, which mirrors the frame."""
    vertices, faces = triangles(part)
    normals = vertex_normals(vertices, faces)[:, [0, 2, 1]]
    mirrored = faces[:, ::-1].ravel()
    mesh = spec.add_mesh(name=name)
    mesh.uservert = vertices[:, [0, 2, 1]].ravel()
    mesh.userface = mirrored
    mesh.usernormal = normals.ravel()
    mesh.userfacenormal = mirrored
    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    material = spec.add_material(name=name)
    material.rgba = part.color
    material.shininess, material.specular = part.shininess, part.specular
    material.emission = part.emission
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, material=name, contype=0, conaffinity=0
    )


def render_parts(parts: tuple[Part, ...], height: float, tile: int) -> Image.Image:
    """Picture (tile, tile) of an object on a grey ground, from front, right and above."""
    spec = mujoco.MjSpec()
    for i, part in enumerate(parts):
        add_part(spec, part, f"part{i}")
    points = np.concatenate([triangles(p)[0] for p in parts])
    extent = float(np.linalg.norm(points.max(axis=0) - points.min(axis=0)))
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_FLAT,
        rgb1=[0.80, 0.83, 0.87],
        width=32,
        height=192,
    )
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[60 * extent, 60 * extent, 1],
        pos=[0, 0, -height / 2 - 1e-3 * extent],
        rgba=[0.80, 0.83, 0.87, 1],
    )
    for direction, strength in (((-0.4, -0.8, -1.0), 0.55), ((0.9, -0.3, -0.5), 0.25)):
        spec.worldbody.add_light(
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
            dir=direction,
            diffuse=[strength] * 3,
            specular=[0.3] * 3,
            castshadow=False,
        )
    spec.visual.headlight.ambient = [0.42] * 3
    spec.visual.headlight.diffuse = [0.12] * 3
    spec.visual.map.znear = 0.01
    spec.stat.extent, spec.stat.center = extent, [0, 0, 0]
    spec.visual.global_.fovy = 30
    spec.visual.global_.offwidth = spec.visual.global_.offheight = 2 * tile
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    camera = fitted_camera(points)
    with mujoco.Renderer(model, 2 * tile, 2 * tile) as renderer:
        renderer.update_scene(data, camera)
        picture = Image.fromarray(renderer.render())
    return picture.resize((tile, tile), Image.Resampling.LANCZOS)


def fitted_camera(points: np.ndarray) -> mujoco.MjvCamera:
    """Camera that sees all points (n, 3), given in the Unity frame of the object's box."""
    sides = points.max(axis=0) - points.min(axis=0)
    elevation = math.radians(48 if sides[1] < 0.35 * max(sides[0], sides[2]) else 27)
    turn = math.radians(-32)
    horizontal = np.array([math.sin(turn), math.cos(turn)])
    back = np.array([*(horizontal * math.cos(elevation)), math.sin(elevation)])
    right = np.array([-horizontal[1], horizontal[0], 0.0])
    up = np.cross(back, right)
    local = points[:, [0, 2, 1]]
    middle = sum(0.5 * ((local @ a).min() + (local @ a).max()) * a for a in (right, up, back))
    offset = local - middle
    tangent = math.tan(math.radians(15)) * 0.94
    reach = np.maximum(np.abs(offset @ right), np.abs(offset @ up)) / tangent + offset @ back
    camera = mujoco.MjvCamera()
    camera.lookat, camera.distance = middle, float(reach.max())
    camera.azimuth = math.degrees(math.atan2(-horizontal[1], -horizontal[0]))
    camera.elevation = -math.degrees(elevation)
    return camera


def object_tile(object_type: str, tile: int) -> Image.Image:
    """Picture of one example of a type with its name below."""
    size = typical_size(object_type)
    materials = EXAMPLE_MATERIALS.get(object_type, OBJECT_TYPES[object_type].materials[:1])
    parts = build_parts(
        object_type,
        size,
        openness=OPEN.get(object_type, 0.0),
        state={"isToggled": object_type in ON},
        materials=materials,
        asset_id=EXAMPLE_ASSETS.get(object_type, f"{object_type}_1"),
    )
    return labelled(render_parts(parts, size[1], tile), object_type)


def labelled(picture: Image.Image, text: str, size: int = 12) -> Image.Image:
    """The picture with a line of text below it."""
    font = ImageFont.load_default(size=size)
    line = size + 4
    sheet = Image.new("RGB", (picture.width, picture.height + line), "white")
    sheet.paste(picture, (0, 0))
    draw = ImageDraw.Draw(sheet)
    draw.text((picture.width / 2, picture.height + line / 2), text, "black", font, anchor="mm")
    return sheet


def sheet_of(tiles: list[Image.Image], columns: int) -> Image.Image:
    """Tiles in rows."""
    width, height = tiles[0].size
    sheet = Image.new("RGB", (columns * width, -(-len(tiles) // columns) * height), "white")
    for i, tile in enumerate(tiles):
        sheet.paste(tile, ((i % columns) * width, (i // columns) * height))
    return sheet


def scene_tile(scene_name: str, width: int) -> Image.Image:
    """Picture of a scene from the agent's height, from where most objects are seen."""
    world = World(load_scene(scene_name))
    renderer = Renderer(world)
    camera = max(candidate_cameras(world.scene), key=lambda c: objects_seen(renderer, c))
    image = renderer.render(camera, 2 * width, width * 3 // 2).color
    assert image is not None
    renderer.close()
    picture = Image.fromarray(np.ascontiguousarray(image[::-1]))
    return labelled(
        picture.resize((width, width * 3 // 4), Image.Resampling.LANCZOS), scene_name, 18
    )


def candidate_cameras(scene: Scene) -> Iterator[Camera]:
    """Views in eight directions from free cells that lie far apart."""
    cells = scene.reachable
    chosen = [cells.mean(axis=0)]
    for _ in range(VIEWPOINTS):
        gap = np.min([np.linalg.norm(cells - cell, axis=1) for cell in chosen], axis=0)
        chosen.append(cells[int(np.argmax(gap))])
    height = scene.start_position[1] + CAMERA_ABOVE_AGENT
    for x, z in chosen[1:]:
        for yaw in range(0, 360, 45):
            turn = euler_to_matrix((18.0, float(yaw), 0.0))
            yield Camera((float(x), height, float(z)), turn, field_of_view=68.0)


def objects_seen(renderer: Renderer, camera: Camera) -> float:
    """Number of owners that take a noticeable share of the picture, near ones counting less."""
    masks = renderer.render(camera, 160, 120, color=False, masks=True).masks
    assert masks is not None
    counts = np.bincount(masks.owners.ravel())[1:]
    share = counts / masks.owners.size
    return float(np.minimum(share[share > 2e-4] / 2e-3, 1.0).sum() - 20.0 * max(share.max(), 0.25))


def main() -> None:
    """Draw the sheet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sheets", nargs="*", default=["objects", "scenes"])
    parser.add_argument("--types", default=",".join(OBJECT_TYPES))
    parser.add_argument("--scenes", default=",".join(BENCHMARK_SCENES))
    parser.add_argument(
        "--folder", type=Path, default=Path(__file__).parents[1] / "docs" / "images"
    )
    parser.add_argument("--tile", type=int, default=150)
    parser.add_argument("--columns", type=int, default=12)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if "objects" in arguments.sheets:
        tiles = [object_tile(name, arguments.tile) for name in arguments.types.split(",")]
        save(sheet_of(tiles, arguments.columns), arguments.folder / "objects.png")
    if "scenes" in arguments.sheets:
        tiles = [scene_tile(name, 3 * arguments.tile) for name in arguments.scenes.split(",")]
        save(sheet_of(tiles, 3), arguments.folder / "scenes.png")


def save(sheet: Image.Image, path: Path) -> None:
    """Save a sheet; 64 levels a channel make it compress well and can't be told apart."""
    sheet.point(lambda level: min(255, (level + 2) // 4 * 4)).save(path, optimize=True)


if __name__ == "__main__":
    main()
