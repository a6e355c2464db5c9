"""Colours of the segmentation images, and the table that names them in the metadata.

They are the engine's own: the first three bytes of the MD5 digest of an object's id or a type's
name (``ColorEncoding.EncodeTagAsColor`` of AI2-THOR, Apache-2.0, Allen Institute for Artificial
Intelligence), so masks recorded with Unity and with milo_sim use one code.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Color = tuple[int, int, int]
BACKGROUND: Color = (0, 0, 0)
"""Where nothing is."""


def tag_color(tag: str) -> Color:
    """Colour of an object id, type name or structure name."""
    digest = hashlib.md5(tag.encode(), usedforsecurity=False).digest()
    return (digest[0], digest[1], digest[2])


def tag_colors(tags: Iterable[str]) -> Mapping[str, Color]:
    """Colours of several tags, all different; in a clash the later tag is hashed once more."""
    colors: dict[str, Color] = {}
    taken = {BACKGROUND}
    for tag in tags:
        if tag in colors:
            continue
        hashed = tag
        while (color := tag_color(hashed)) in taken:
            hashed += "#"
        taken.add(color)
        colors[tag] = color
    return colors


def color_table(colors: Mapping[str, Color]) -> list[dict[str, Any]]:
    """The metadata field ``colors``."""
    return [{"name": tag, "color": list(color)} for tag, color in colors.items()]


def packed(colors: Iterable[Color]) -> npt.NDArray[np.uint32]:
    """Colours as the four bytes red, green, blue, 255 of a pixel; the background comes first."""
    pixels = np.array([(*BACKGROUND, 255), *((*c, 255) for c in colors)], dtype=np.uint8)
    return pixels.view(np.uint32).reshape(-1)
