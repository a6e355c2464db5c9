"""Cutlery, kitchen tools and kitchen supplies. Long ones lie along z, their handle towards -z."""

from __future__ import annotations

import math

import numpy as np

from milo_sim.appearance import palette as p
from milo_sim.appearance.look import Builder, Look
from milo_sim.appearance.model import Model, Paint
from milo_sim.appearance.parts import FloatArray

_PEPPER = Paint(0.16, 0.13, 0.12, specular=0.1)
_SALT = Paint(0.97, 0.97, 0.96, specular=0.1)
_SPONGE = Paint(0.93, 0.80, 0.22, specular=0.02)
_SCOURER = Paint(0.16, 0.42, 0.20, specular=0.02)
_FOIL = Paint(0.80, 0.81, 0.83, shininess=0.8, specular=1.0)


def _strip(stations: list[tuple[float, float, float, float]]) -> FloatArray:
    """Rings of a flat bar along z from (z, half width, middle height, half thickness)."""
    corners = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
    return np.array([[[w * a, y + t * b, z] for a, b in corners] for z, w, y, t in stations])


def _blade(stations: list[tuple[float, float, float]], thickness: float) -> FloatArray:
    """Rings of an upright blade along z from (z, edge height, back height)."""
    half = thickness / 2
    return np.array(
        [[[0.0, low, z], [half, high, z], [-half, high, z]] for z, low, high in stations]
    )


def knife(look: Look) -> Model:
    """Kitchen knife: wide pointed blade on edge, dark riveted handle."""
    model = Model()
    blade = [(-0.22, -1.0, 0.75), (0.5, -0.85, 0.75), (0.85, -0.3, 0.72), (1.0, 0.6, 0.7)]
    model.loft(_blade(blade, 0.7), p.STEEL, smooth=False)
    model.box((-0.8, -0.5, -0.27), (0.8, 0.9, -0.2), p.DARK_STEEL)
    grip = look.choose((p.BLACK, p.WALNUT, p.BLACK), "grip")
    model.pad((-1.0, -0.45, -1.0), (1.0, 1.0, -0.25), grip, 0.4, 0.4, 12)
    for z in (-0.45, -0.65, -0.85):
        model.block((0.0, 0.3, z), (2.04, 0.22, 0.03), p.STEEL)
    return model.fit(look.size)


def butter_knife(look: Look) -> Model:
    """One-piece metal table knife with a rounded blade."""
    model = Model()
    blade = [
        (0.0, -0.6, 0.4),
        (0.2, -1.0, 0.8),
        (0.75, -1.0, 1.0),
        (0.93, -0.5, 1.0),
        (1.0, 0.3, 0.8),
    ]
    model.loft(_blade(blade, 1.0), p.STEEL, smooth=False)
    model.pad((-1.0, -0.6, -1.0), (1.0, 0.6, 0.05), p.SILVER, 0.4, 0.5, 10)
    return model.fit(look.size)


def fork(look: Look) -> Model:
    """Four tines on a curved neck and a flat handle."""
    model = Model()
    handle = [(-1.0, 0.42, 0.0, 0.16), (-0.8, 0.5, 0.0, 0.16), (-0.1, 0.2, 0.1, 0.16)]
    handle += [(0.25, 0.2, 0.5, 0.16), (0.42, 0.9, 0.1, 0.16), (0.55, 1.0, -0.4, 0.16)]
    model.loft(_strip(handle), p.STEEL)
    model.box((-0.3, 0.1, -0.97), (0.3, 0.2, -0.72), p.SILVER.scaled(0.8))
    for x in (-0.84, -0.28, 0.28, 0.84):
        stations = [(0.53, 0.16, -0.4, 0.15), (0.8, 0.15, -0.6, 0.14), (1.0, 0.08, 0.2, 0.1)]
        rings = _strip(stations)
        rings[:, :, 0] += x
        model.loft(rings, p.STEEL)
    return model.fit(look.size)


def spoon(look: Look) -> Model:
    """Oval hollow bowl on a flat handle."""
    model = Model()
    handle = [(-1.0, 0.35, 0.5, 0.14), (-0.8, 0.42, 0.45, 0.14), (0.0, 0.16, 0.5, 0.14)]
    handle.append((0.42, 0.2, 0.75, 0.16))
    model.loft(_strip(handle), p.STEEL)
    model.box((-0.26, 0.5, -0.97), (0.26, 0.66, -0.74), p.SILVER.scaled(0.8))
    scoop = Model()
    curve = ((0.25, -1.0), (0.7, -0.7), (0.93, 0.0), (1.0, 0.9))
    scoop.vessel(curve, 0.07, 0.2, p.STEEL, count=16)
    model.add(scoop, (1.0, 0.85, 0.33), at=(0.0, 0.0, 0.67))
    return model.fit(look.size)


def ladle(look: Look) -> Model:
    """Deep round scoop at the end of a rising handle."""
    model = Model()
    scoop = Model()
    curve = ((0.35, -1.0), (0.75, -0.75), (0.95, -0.1), (1.0, 0.8))
    scoop.vessel(curve, 0.08, 0.15, p.DARK_STEEL, count=16)
    width = min(look.size[0] / look.size[2], 0.5)
    model.add(scoop, (1.0, 0.9, width), at=(0.0, -0.1, 1.0 - width))
    start = 1.0 - 1.85 * width
    path = [(0.0, 0.55, start), (0.0, 0.8, start - 0.2), (0.0, 0.9, -0.55), (0.0, 0.85, -1.0)]
    grip = look.choose((p.BLACK, p.RED, p.BLACK), "grip")
    model.tube(path[:3], [0.1, 0.1, 0.11], p.STEEL)
    model.pad((-0.17, 0.7, -1.0), (0.17, 1.0, -0.35), grip, 0.5, 0.5, 10)
    return model.fit(look.size)


def spatula(look: Look) -> Model:
    """Slotted turner blade, thin neck, dark grip."""
    model = Model()
    for x in (-0.8, -0.4, 0.0, 0.4, 0.8):
        model.box((x - 0.13, -1.0, 0.5), (x + 0.13, -0.75, 0.85), p.CHARCOAL)
    model.box((-1.0, -1.0, 0.85), (1.0, -0.75, 1.0), p.CHARCOAL)
    neck = [(0.25, 0.2, 0.0, 0.15), (0.38, 0.8, -0.6, 0.13), (0.52, 1.0, -0.87, 0.12)]
    model.loft(_strip(neck), p.CHARCOAL, smooth=False)
    model.tube([(0.0, 0.4, -0.4), (0.0, 0.3, 0.0), (0.0, 0.0, 0.3)], 0.18, p.STEEL)
    grip = look.choose((p.RED, p.BLACK, p.BLUE), "grip")
    model.pad((-0.32, 0.0, -1.0), (0.32, 1.0, -0.3), grip, 0.5, 0.5, 10)
    return model.fit(look.size)


def _shaker(look: Look, content: Paint, holes: int) -> Model:
    model = Model()
    glass = p.GLASS.clear(0.22)
    model.cone((0.0, -1.0, 0.0), 1.35, 1.0, 0.72, glass, count=8)
    model.cone((0.0, -0.93, 0.0), 0.85, 0.9, 0.76, content, count=8)
    cap = ((0.0, 0.35), (0.78, 0.35), (0.80, 0.62), (0.6, 0.9), (0.0, 1.0))
    model.revolve(cap, p.CHROME, count=14)
    for i in range(holes):
        angle = 2 * math.pi * i / holes
        at = (0.3 * math.cos(angle), 0.92, 0.3 * math.sin(angle))
        model.rod(at, 0.08, 0.07, p.BLACK, count=6)
    return model.fit(look.size)


def salt_shaker(look: Look) -> Model:
    """Glass shaker of white salt with a metal cap."""
    return _shaker(look, _SALT, 5)


def pepper_shaker(look: Look) -> Model:
    """Glass shaker of dark pepper with a metal cap."""
    return _shaker(look, _PEPPER, 3)


def aluminum_foil(look: Look) -> Model:
    """Printed carton along x with a roll and a flap of foil sticking out."""
    model = Model()
    carton = Paint(0.15, 0.35, 0.65, specular=0.1)
    model.box((-1.0, -1.0, -1.0), (1.0, 0.8, 0.55), carton)
    model.box((-0.7, -0.6, 0.55), (0.3, 0.35, 0.57), p.PAPER)
    model.box((-0.75, 0.8, -0.75), (0.25, 0.83, 0.2), p.PAPER)
    model.box((-0.96, 0.35, 0.5), (0.96, 0.5, 1.0), _FOIL)
    model.box((-0.96, -0.9, 0.92), (0.96, 0.4, 1.0), _FOIL)
    model.rod((-0.99, 0.55, 0.1), 1.98, 0.45, _FOIL, axis="x")
    return model.fit(look.size)


def paper_towel_roll(look: Look) -> Model:
    """White roll standing on its end with a cardboard core; only the core once used up."""
    model = Model()
    if not look.used_up:
        ring = ((0.36, -0.96), (1.0, -0.96), (1.0, 0.96), (0.36, 0.96))
        model.revolve(ring, p.PAPER, count=20)
        for y in (-0.5, 0.0, 0.5):
            model.hoop((0.0, y, 0.0), 0.985, 0.025, p.PAPER.mixed(p.BLUE, 0.2), count=20)
        model.box((0.93, -0.96, 0.0), (1.0, 0.96, 0.75), p.PAPER)
    core = ((0.28, -1.0), (0.37, -1.0), (0.37, 1.0), (0.28, 1.0))
    model.revolve(core, p.CARDBOARD, count=16)
    if look.used_up:
        model.hoop((0.0, 0.2, 0.0), 0.37, 0.02, p.CARDBOARD.scaled(0.8))
        return model.fit((0.4 * look.size[0], look.size[1], 0.4 * look.size[2]))
    return model.fit(look.size)


def dish_sponge(look: Look) -> Model:
    """Yellow block with a green scouring side."""
    model = Model()
    sponge = look.choose((_SPONGE, _SPONGE, Paint(0.35, 0.55, 0.80, specular=0.02)), "sponge")
    model.pad((-1.0, -1.0, -1.0), (1.0, 0.55, 1.0), sponge, 0.2, 0.2, 16)
    model.box((-0.97, 0.3, -0.97), (0.97, 1.0, 0.97), _SCOURER)
    for i in range(7):
        at = (1.0 if i % 2 else -1.0, -0.6 + 0.25 * (i % 3), -0.75 + 0.25 * i)
        model.ball(at, (0.02, 0.12, 0.05), sponge.scaled(0.6), 6)
    return model.fit(look.size)


BUILDERS: dict[str, Builder] = {
    "AluminumFoil": aluminum_foil,
    "ButterKnife": butter_knife,
    "DishSponge": dish_sponge,
    "Fork": fork,
    "Knife": knife,
    "Ladle": ladle,
    "PaperTowelRoll": paper_towel_roll,
    "PepperShaker": pepper_shaker,
    "SaltShaker": salt_shaker,
    "Spatula": spatula,
    "Spoon": spoon,
}
