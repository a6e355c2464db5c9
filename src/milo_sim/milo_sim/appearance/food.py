"""Food, whole, sliced and cooked."""

from __future__ import annotations

import math

import numpy as np

from milo_sim.appearance import palette as p
from milo_sim.appearance import shapes, turns
from milo_sim.appearance.look import Builder, Look
from milo_sim.appearance.model import Model, Paint
from milo_sim.appearance.shapes import Point2

_APPLE = Paint(0.70, 0.08, 0.07, shininess=0.6, specular=0.4)
_APPLE_GREEN = Paint(0.52, 0.70, 0.16, shininess=0.6, specular=0.4)
_APPLE_FLESH = Paint(0.95, 0.90, 0.72, specular=0.1)
_CRUST = Paint(0.66, 0.40, 0.17, specular=0.08)
_CRUMB = Paint(0.93, 0.83, 0.63, specular=0.03)
_TOAST = Paint(0.55, 0.32, 0.13, specular=0.03)
_EGG = Paint(0.93, 0.87, 0.77, shininess=0.4, specular=0.2)
_EGG_WHITE = Paint(0.97, 0.97, 0.93, shininess=0.6, specular=0.4)
_RAW_WHITE = Paint(0.93, 0.93, 0.82, alpha=0.6, shininess=0.9, specular=0.8)
_YOLK = Paint(0.98, 0.70, 0.12, shininess=0.7, specular=0.5)
_LETTUCE = Paint(0.38, 0.62, 0.17, specular=0.1)
_LETTUCE_HEART = Paint(0.75, 0.85, 0.48, specular=0.1)
_POTATO = Paint(0.62, 0.45, 0.26, specular=0.06)
_POTATO_FLESH = Paint(0.93, 0.85, 0.55, specular=0.08)
_ROAST = Paint(0.50, 0.30, 0.10, specular=0.15)
_TOMATO = Paint(0.80, 0.10, 0.05, shininess=0.7, specular=0.5)
_TOMATO_FLESH = Paint(0.90, 0.32, 0.20, specular=0.2)
_STEM = Paint(0.36, 0.24, 0.12, specular=0.05)
_CALYX = Paint(0.22, 0.42, 0.12, specular=0.1)


def apple(look: Look) -> Model:
    """Round fruit with a dimple and a stem; a cut one shows its flesh."""
    skin = look.choose((_APPLE, _APPLE, _APPLE, _APPLE_GREEN), "skin")
    skin = p.STAIN.mixed(skin, 0.5) if look.cooked else look.vary(skin)
    model = Model()
    outline: tuple[Point2, ...] = (
        (0.0, -0.88),
        (0.28, -0.98),
        (0.62, -0.85),
        (0.9, -0.35),
        (1.0, 0.2),
    )
    outline += ((0.88, 0.62), (0.55, 0.84), (0.25, 0.8), (0.0, 0.6))
    model.revolve(outline, skin, count=16)
    model.tube([(0.0, 0.6, 0.0), (0.03, 0.88, 0.0), (0.12, 1.15, 0.0)], 0.06, _STEM)
    leaf = [(0.05, 0.0), (0.25, 0.12), (0.5, 0.0), (0.25, -0.12)]
    model.prism([(a, b) for a, b in leaf], 0.9, 0.96, _CALYX)
    return model.fit(look.size)


def apple_sliced(look: Look) -> Model:
    """One piece of an apple: red skin, pale flesh with a seed."""
    model = Model()
    wedge = [(-1.0, -1.0), (1.0, -1.0), (0.8, -0.4), (0.45, 0.25), (0.0, 0.5), (-0.45, 0.25)]
    wedge.append((-0.8, -0.4))
    model.prism(wedge, -0.9, 0.9, _APPLE_FLESH, axis="z")
    arc = [(math.cos(a), 1.5 * math.sin(a) - 1.0) for a in np.linspace(0.0, math.pi, 9)]
    inner = [(0.94 * x, 0.94 * (y + 1.0) - 1.0) for x, y in reversed(arc)]
    model.prism(arc + inner, -1.0, 1.0, look.vary(_APPLE), axis="z", cap="strip")
    model.prism([(-0.25, -0.5), (0.25, -0.5), (0.0, -0.1)], -0.95, 0.95, _STEM, axis="z")
    return model.fit(look.size)


def bread(look: Look) -> Model:
    """Loaf along z with a domed crust and cuts on top."""
    model = Model()
    crust = look.vary(_TOAST if look.cooked else _CRUST)
    model.pad((-1.0, -1.0, -1.0), (1.0, 0.9, 1.0), crust, 0.55, 0.5, 20)
    for i in range(4):
        z = -0.6 + 0.4 * i
        path = [(-0.55, 0.78, z - 0.16), (0.0, 0.95, z), (0.55, 0.78, z + 0.16)]
        model.tube(path, [0.03, 0.08, 0.03], _CRUMB)
    return model.fit(look.size)


def _slice_outline() -> list[tuple[float, float]]:
    return [
        (-0.80, -1.0),
        (0.80, -1.0),
        (0.86, -0.85),
        (0.84, 0.20),
        (1.0, 0.45),
        (0.92, 0.80),
        (0.5, 1.0),
        (-0.5, 1.0),
        (-0.92, 0.80),
        (-1.0, 0.45),
        (-0.84, 0.20),
        (-0.86, -0.85),
    ]


def bread_sliced(look: Look) -> Model:
    """One slice; its face is across the box's shortest side. Cooked it is toast."""
    outline = _slice_outline()
    model = Model()
    crumb = _TOAST.mixed(_CRUMB, 0.25) if look.cooked else _CRUMB
    crust = _TOAST.scaled(0.7) if look.cooked else _CRUST
    model.prism(outline, -0.9, 0.9, crust, axis="z")
    model.prism([(0.9 * x, 0.9 * y) for x, y in outline], -1.0, 1.0, crumb, axis="z")
    x, y, z = look.size
    if z <= min(x, y):
        return model.fit(look.size)
    turned = Model()
    turn = turns.Z_TO_Y if y <= x else turns.Z_TO_X
    turned.add(model, turn=turn)
    return turned.fit(look.size)


def egg(look: Look) -> Model:
    """Egg, pointed on top."""
    if look.broken:
        return egg_cracked(look)
    model = Model()
    outline: tuple[Point2, ...] = (
        (0.0, -1.0),
        (0.5, -0.9),
        (0.85, -0.6),
        (1.0, -0.15),
        (0.92, 0.3),
        (0.68, 0.68),
    )
    outline += ((0.36, 0.92), (0.0, 1.0))
    shell = look.choose((_EGG, _EGG_WHITE, _EGG.mixed(_CRUST, 0.3)), "shell")
    model.revolve(outline, shell, count=16)
    freckles = shell.scaled(0.93)
    for i in range(3):
        angle = 2.2 * i
        at = (0.8 * math.cos(angle), 0.3 * i - 0.4, 0.8 * math.sin(angle))
        model.ball(at, (0.12, 0.12, 0.12), freckles, 6)
    return model.fit(look.size)


def egg_cracked(look: Look) -> Model:
    """White with a yolk; fried when cooked, between shell halves when raw."""
    model = Model()
    points = []
    for i in range(14):
        reach = 0.9 + 0.1 * math.sin(3 * i) * math.cos(5 * i)
        angle = 2 * math.pi * i / 14
        points.append((reach * math.cos(angle), reach * math.sin(angle)))
    white = _EGG_WHITE if look.cooked else _RAW_WHITE
    model.prism(points, -1.0, -0.75, white)
    model.prism([(0.85 * a, 0.85 * b) for a, b in points], -0.75, -0.55, white)
    yolk = _YOLK.scaled(0.92) if look.cooked else _YOLK
    model.ball((0.08, -0.55, 0.05), (0.34, 0.85, 0.34), yolk)
    if not look.cooked:
        shell = Model()
        shell.vessel(((0.3, -1.0), (0.8, -0.4), (1.0, 0.5), (0.9, 0.7)), 0.06, 0.1, _EGG, count=10)
        model.add(shell, (0.42, 1.0, 0.42), at=(-0.55, 0.0, 0.3))
        model.add(shell, (0.38, 0.8, 0.38), at=(0.55, -0.15, -0.42))
    x, y, z = look.size
    height = min(y, 0.5 * max(x, z))
    return model.fit((x, height, z), (0.0, (height - y) / 2, 0.0))


def _leaf(width: float, length: float, curl: float) -> Model:
    """A cupped leaf from the origin along +y, its back towards +z."""
    rings = []
    for t in np.linspace(0.0, 1.0, 5):
        w = width * math.sin(math.pi * (0.12 + 0.8 * t)) ** 0.8
        y, z = length * t, curl * math.sin(2.2 * t)
        front = [
            [w * u, y + 0.05 * (1 - u * u), z - 0.35 * w * u * u] for u in (-1, -0.5, 0, 0.5, 1)
        ]
        back = [[a, b, c - 0.05] for a, b, c in reversed(front)]
        rings.append(front + back)
    model = Model()
    model.loft(np.array(rings), _LETTUCE, cap="strip")
    return model


def lettuce(look: Look) -> Model:
    """Head of leaves along z, pale at its root."""
    model = Model()
    green = look.vary(_LETTUCE)
    model.ball((0.0, 0.0, -0.1), (0.62, 0.62, 0.8), _LETTUCE_HEART.mixed(green, 0.5))
    model.cone((0.0, 0.0, -1.05), 0.4, 0.16, 0.4, _LETTUCE_HEART, axis="z")
    tones = (green, green.scaled(0.85), green.scaled(1.12))
    for i in range(7):
        leaf = _leaf(0.55, 1.75, 0.55).painted({_LETTUCE: tones[i % 3]})
        angle = 2 * math.pi * i / 7
        cos, sin = math.cos(angle), math.sin(angle)
        model.add(
            leaf,
            turn=turns.about_z(math.degrees(angle)) @ turns.Y_TO_Z,
            at=(0.30 * sin, -0.30 * cos, -0.85),
        )
    return model.fit(look.size)


def lettuce_sliced(look: Look) -> Model:
    """Pile of cut leaf strips."""
    model = Model()
    tones = (_LETTUCE, _LETTUCE.scaled(0.82), _LETTUCE_HEART)
    for i in range(9):
        angle = 0.7 * i + 6.28 * look.share("pile")
        cos, sin = math.cos(angle), math.sin(angle)
        y = -0.8 + 0.18 * i
        reach = 0.9 - 0.06 * i
        path = []
        for t in (-1.0, -0.5, 0.0, 0.5, 1.0):
            wave = 0.14 * math.sin(4.0 * t + i)
            path.append((reach * t * cos - wave * sin, y + wave, reach * t * sin + wave * cos))
        model.tube(path, [0.1, 0.26, 0.2, 0.25, 0.1], tones[i % 3], 5)
    return model.fit(look.size)


def potato(look: Look) -> Model:
    """Lumpy brown tuber with eyes."""
    skin = look.vary(_ROAST if look.cooked else _POTATO)
    vertices, faces = shapes.ball(14, 8)
    lump = 1.0 + 0.07 * np.sin(5 * vertices[:, 0] + 1.0) * np.cos(4 * vertices[:, 2])
    lump += 0.06 * np.sin(6 * vertices[:, 1] + 3 * vertices[:, 2])
    model = Model()
    model.mesh((vertices * lump[:, None], faces), skin)
    for a, b in ((0.3, 0.4), (2.0, 0.7), (3.6, 0.3), (4.7, 0.9), (1.2, -0.5)):
        cos = math.cos(b)
        at = (0.97 * cos * math.cos(a), 0.97 * math.sin(b), 0.97 * cos * math.sin(a))
        model.ball(at, (0.1, 0.1, 0.1), skin.scaled(0.6), 6)
    return model.fit(look.size)


def _disc(look: Look, skin: Paint, flesh: Paint) -> Model:
    """Round slice across the box's shortest side, with a rim of skin."""
    model = Model()
    model.rod((0.0, -0.9, 0.0), 1.8, 1.0, skin, count=18)
    model.rod((0.0, -1.0, 0.0), 2.0, 0.9, flesh, count=18)
    return model


def _laid(model: Model, look: Look) -> Model:
    """Turn what stands along y so that this axis is the box's shortest side, and fill the box."""
    x, y, z = look.size
    if y <= min(x, z):
        return model.fit(look.size)
    turned = Model()
    turned.add(model, turn=turns.Y_TO_X if x <= z else turns.Y_TO_Z)
    return turned.fit(look.size)


def potato_sliced(look: Look) -> Model:
    """Round slice of potato; brown when cooked."""
    flesh = _POTATO_FLESH.mixed(_ROAST, 0.6) if look.cooked else _POTATO_FLESH
    return _laid(_disc(look, _POTATO.scaled(0.8), flesh), look)


def tomato(look: Look) -> Model:
    """Flattened red fruit with a green calyx."""
    model = Model()
    outline = ((0.0, -0.9), (0.45, -0.92), (0.85, -0.6), (1.0, 0.0), (0.85, 0.58), (0.45, 0.84))
    model.revolve((*outline, (0.15, 0.78), (0.0, 0.68)), look.vary(_TOMATO), count=18)
    for i in range(5):
        angle = 2 * math.pi * i / 5
        cos, sin = math.cos(angle), math.sin(angle)
        path = [(0.0, 0.78, 0.0), (0.25 * cos, 0.9, 0.25 * sin), (0.5 * cos, 0.88, 0.5 * sin)]
        model.tube(path, [0.08, 0.09, 0.02], _CALYX, 5)
    model.rod((0.0, 0.75, 0.0), 0.35, 0.07, _CALYX, count=6)
    return model.fit(look.size)


def tomato_sliced(look: Look) -> Model:
    """Round slice with seed chambers."""
    model = _disc(look, _TOMATO, _TOMATO_FLESH)
    for i in range(5):
        angle = 2 * math.pi * i / 5
        at = (0.52 * math.cos(angle), -1.02, 0.52 * math.sin(angle))
        model.cone(at, 2.04, 0.22, 0.22, _TOMATO.scaled(0.75), count=8)
        seed = (0.56 * math.cos(angle), -1.04, 0.56 * math.sin(angle))
        model.cone(seed, 2.08, 0.08, 0.08, _YOLK.mixed(_CRUMB, 0.5), count=6)
    return _laid(model, look)


BUILDERS: dict[str, Builder] = {
    "Apple": apple,
    "AppleSliced": apple_sliced,
    "Bread": bread,
    "BreadSliced": bread_sliced,
    "Egg": egg,
    "EggCracked": egg_cracked,
    "Lettuce": lettuce,
    "LettuceSliced": lettuce_sliced,
    "Potato": potato,
    "PotatoSliced": potato_sliced,
    "Tomato": tomato,
    "TomatoSliced": tomato_sliced,
}
