"""``python -m milo_sim --scene FloorPlan1 --out frame.png``: one picture of a scene as a file."""

from __future__ import annotations

import argparse
import struct
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from milo_sim.errors import ActionFailed, SceneFileError, UnknownSceneError
from milo_sim.scene import load_scene
from milo_sim.state import Settings
from milo_sim.world import World

if TYPE_CHECKING:
    from milo_sim.rendering.renderer import Images, Renderer

_EXIT_USAGE = 2


def main(arguments: Sequence[str]) -> int:
    """Write the picture that the arguments ask for; returns the exit code."""
    from milo_sim.rendering.gl import RenderingUnavailable

    options = _parser().parse_args(arguments)
    try:
        image = picture(options)
        options.out.write_bytes(png(image))
    except (
        RenderingUnavailable,
        UnknownSceneError,
        SceneFileError,
        ActionFailed,
        OSError,
    ) as error:
        print(f"milo_sim: {error}", file=sys.stderr)
        return _EXIT_USAGE
    print(options.out)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m milo_sim", description="Write one picture of a scene to a PNG file."
    )
    parser.add_argument("--scene", required=True, help="FloorPlan1, for example, or a scene file")
    parser.add_argument("--out", required=True, type=Path, help="PNG file to write")
    parser.add_argument("--width", type=_pixels, default=640)
    parser.add_argument("--height", type=_pixels, default=480)
    parser.add_argument("--position", type=float, nargs=2, metavar=("X", "Z"))
    parser.add_argument("--yaw", type=float, help="degrees, clockwise from +z")
    parser.add_argument("--horizon", type=float, default=0.0, help="degrees, down is positive")
    parser.add_argument("--fov", type=float, default=90.0, help="vertical field of view in degrees")
    parser.add_argument(
        "--image",
        choices=("color", "depth", "instance", "semantic", "normals"),
        default="color",
        help="depth is written in millimetres, 16 bit",
    )
    return parser


def _pixels(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= 16384:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of pixels from 1 to 16384")
    return int(text)


def picture(options: argparse.Namespace) -> npt.NDArray[np.uint8] | npt.NDArray[np.uint16]:
    """The picture (height, width) or (height, width, 3), top row first.

    Raises:
        RenderingUnavailable: This machine cannot draw.
        UnknownSceneError: There is no such scene.
        SceneFileError: The scene file cannot be used.
        ActionFailed: The agent cannot look like that.
    """
    from milo_sim.rendering.pictures import agent_camera
    from milo_sim.rendering.renderer import Renderer

    settings = Settings(
        width=options.width, height=options.height, field_of_view=options.fov, snap_to_grid=False
    )
    world = World(load_scene(options.scene), settings)
    x, y, z = world.agent.position
    if options.position is not None:
        x, z = options.position
    yaw = world.agent.yaw if options.yaw is None else options.yaw
    world.teleport((x, y, z), yaw, options.horizon, force=True)
    renderer = Renderer(world)
    kind = options.image
    images = renderer.render(
        agent_camera(world),
        options.width,
        options.height,
        color=kind == "color",
        depth=kind == "depth",
        masks=kind in ("instance", "semantic"),
        normals=kind == "normals",
    )
    shown = _chosen(images, renderer, kind)
    renderer.close()
    return np.flip(shown, axis=0)


def _chosen(
    images: Images, renderer: Renderer, kind: str
) -> npt.NDArray[np.uint8] | npt.NDArray[np.uint16]:
    if images.color is not None:
        return images.color
    if kind == "depth" and images.depth is not None:
        millimetres = np.clip(images.depth * 1000.0, 0, 65535).round()
        deep: npt.NDArray[np.uint16] = millimetres.astype(np.uint16)
        return deep
    if kind == "normals" and images.normals is not None:
        return images.normals
    assert images.masks is not None
    from milo_sim.rendering.pictures import Palette

    palette = Palette(renderer.owners, renderer.world)
    colors = palette.instances if kind == "instance" else palette.classes
    pixels = images.masks.painted(colors)
    channels: npt.NDArray[np.uint8] = pixels.view(np.uint8).reshape(*pixels.shape, 4)
    return channels[:, :, :3]


def png(image: npt.NDArray[np.uint8] | npt.NDArray[np.uint16]) -> bytes:
    """A picture (height, width) or (height, width, 3) as PNG (W3C, Portable Network Graphics)."""
    height, width = image.shape[:2]
    deep = image.dtype == np.uint16
    rows = np.ascontiguousarray(image.astype(">u2") if deep else image)
    lines = rows.view(np.uint8).reshape(height, -1)
    # Each line starts with the number of its filter; 0 is none.
    data = np.hstack([np.zeros((height, 1), dtype=np.uint8), lines]).tobytes()
    color_type = 2 if image.ndim == 3 else 0
    header = struct.pack(">IIBBBBB", width, height, 16 if deep else 8, color_type, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(data, 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks
    )
