"""Mugs, bowls, bottles, pots: hollow things for liquids and food."""

from __future__ import annotations

import math
from collections.abc import Sequence

from milo_sim.appearance import palette as p
from milo_sim.appearance.look import Builder, Look
from milo_sim.appearance.model import Model, Paint
from milo_sim.appearance.shapes import Point2

_MUGS = (
    p.CERAMIC,
    p.BLUE,
    Paint(0.62, 0.14, 0.12, shininess=0.7, specular=0.5),
    p.CERAMIC.mixed(p.CREAM, 0.8),
    Paint(0.16, 0.35, 0.36, shininess=0.7, specular=0.5),
)
_BOWLS = (
    Paint(0.80, 0.72, 0.58, shininess=0.6, specular=0.5),
    Paint(0.25, 0.42, 0.58, shininess=0.6, specular=0.5),
    p.CERAMIC,
    Paint(0.70, 0.30, 0.20, shininess=0.6, specular=0.5),
)
_VASES = (
    Paint(0.20, 0.36, 0.55, shininess=0.7, specular=0.6),
    Paint(0.60, 0.25, 0.16, shininess=0.7, specular=0.6),
    Paint(0.86, 0.83, 0.76, shininess=0.7, specular=0.6),
    Paint(0.15, 0.40, 0.36, shininess=0.7, specular=0.6),
)


def _fill(model: Model, look: Look, radius: float, low: float, high: float) -> None:
    """What stands in a round vessel around the y axis: liquid or a stain."""
    if look.filled:
        liquid = p.LIQUIDS.get(look.liquid, p.LIQUIDS["water"])
        model.rod((0.0, low, 0.0), max(high - low, 1e-3), radius, liquid, count=16)
    elif look.dirty:
        depth = max(0.12 * (high - low), 1e-3)
        model.rod((0.0, low, 0.0), depth, 0.9 * radius, p.STAIN, count=9)


def _spots(model: Model, look: Look, radius: float, height: float, size: float) -> None:
    """Stains on the outside of a round vessel around the y axis."""
    if look.dirty:
        for i in range(5):
            angle = 2.4 * i + 6.28 * look.share("spot")
            at = (radius * math.cos(angle), height * (0.3 + 0.11 * i), radius * math.sin(angle))
            model.ball(at, (size, 1.3 * size, size), p.STAIN, 8)


def shards(look: Look, paint: Paint, count: int = 9) -> Model:
    """Sharp pieces scattered over the bottom of the box."""
    x, y, z = look.half
    model = Model()
    for i in range(count):
        angle = 2.4 * i
        reach = math.sqrt((i + 0.5) / count)
        cx, cz = 0.72 * reach * math.cos(angle) * x, 0.72 * reach * math.sin(angle) * z
        size = 0.14 + 0.14 * look.share(f"shard{i}")
        turn = 6.28 * look.share(f"turn{i}")
        outline = [
            (cx + size * x * math.cos(turn + a), cz + size * z * math.sin(turn + a))
            for a in (0.0, 1.9, 3.7)
        ]
        model.prism(outline, -y, -y + 2 * y * (0.05 + 0.2 * look.share(f"high{i}")), paint)
    return model


def mug(look: Look) -> Model:
    """Hollow cylinder with a handle on the +x side."""
    paint = p.vessel_paint(look, _MUGS)
    if look.broken:
        return shards(look, paint)
    model = Model()
    model.vessel(((0.90, -1.0), (1.0, -0.9), (1.0, 1.0)), 0.12, 0.16, paint, count=18)
    arc = [(-0.62, 0.93), (-0.62, 1.38), (-0.20, 1.62), (0.24, 1.62), (0.66, 1.38), (0.66, 0.93)]
    model.tube([(r, 1.05 * h, 0.0) for h, r in arc], 0.12, paint, 8)
    _fill(model, look, 0.87, -0.84, 0.65)
    _spots(model, look, 0.96, 1.0, 0.13)
    return model.fit(look.size)


def cup(look: Look) -> Model:
    """Tumbler that widens upward, without a handle."""
    paint = p.vessel_paint(look, _MUGS)
    if look.broken:
        return shards(look, paint)
    model = Model()
    model.vessel(((0.66, -1.0), (0.70, -0.96), (1.0, 1.0)), 0.08, 0.12, paint, count=18)
    if look.made_of("Paper"):
        model.vessel(((0.80, -0.35), (0.91, 0.35)), 0.05, 0.02, p.BROWN_SLEEVE)
    _fill(model, look, 0.70, -0.87, 0.50)
    _spots(model, look, 0.80, 0.9, 0.12)
    return model.fit(look.size)


def bowl(look: Look) -> Model:
    """Round-bottomed hollow shell on a foot."""
    paint = p.vessel_paint(look, _BOWLS)
    if look.broken:
        return shards(look, paint)
    model = Model()
    curve = ((0.42, -1.0), (0.45, -0.88), (0.74, -0.55), (0.93, 0.15), (1.0, 1.0))
    model.vessel(curve, 0.07, 0.18, paint, count=20)
    if paint.alpha == 1.0:
        model.hoop((0.0, 0.62, 0.0), 0.975, 0.03, paint.scaled(0.7), count=20)
    _fill(model, look, 0.84, -0.4, 0.35)
    return model.fit(look.size)


def plate(look: Look) -> Model:
    """Flat disc with a raised rim and a coloured line."""
    paint = p.vessel_paint(look, (p.CERAMIC, p.CERAMIC, _BOWLS[0], _BOWLS[1]))
    if look.broken:
        return shards(look, paint)
    model = Model()
    curve = ((0.58, -1.0), (0.62, -0.85), (1.0, 1.0))
    model.vessel(curve, 0.05, 0.7, paint, count=24)
    band = ((0.80, 0.10), (0.87, 0.35), (0.87, 0.78), (0.80, 0.50))
    model.revolve(band, paint.mixed(p.BLUE, 0.55), count=24)
    if look.dirty:
        for i in range(4):
            at = (0.32 * math.cos(2.1 * i), -0.2, 0.36 * math.sin(2.1 * i))
            model.ball(at, (0.22, 0.25, 0.18), p.STAIN, 8)
    return model.fit(look.size)


def _bar(model: Model, low: float, high: float, y: float, width: float, paint: Paint) -> None:
    """Flat pan handle along z."""
    model.pad((-width, y - 0.25, low), (width, y + 0.25, high), paint, 0.6, 0.5, 10)


def pan(look: Look) -> Model:
    """Shallow round pan with a long handle towards +z."""
    x, _, z = look.half
    metal = look.choose((p.IRON, p.DARK_STEEL, p.IRON, p.STEEL), "pan")
    body = Model()
    body.vessel(((0.80, -1.0), (0.86, -0.9), (1.0, 1.0)), 0.06, 0.4, metal, count=22)
    _fill(body, look, 0.84, -0.58, 0.4)
    model = Model()
    ratio = min(x / z, 0.98)
    model.add(body, (ratio, 1.0, ratio), at=(0.0, 0.0, -1.0 + ratio))
    if ratio < 0.9:
        _bar(model, 2 * ratio - 1.06, 1.0, 0.55, 0.09 * ratio, p.BLACK)
    else:
        for side in (-1.0, 1.0):
            model.box((side * 1.0, 0.3, -0.2), (side * 1.15, 0.6, 0.2), p.BLACK)
    return model.fit(look.size)


def pot(look: Look) -> Model:
    """Deep cooking pot with two side handles, or one long one where the box is longer than wide."""
    x, _, z = look.half
    metal = look.choose((p.STEEL, p.STEEL, p.DARK_STEEL, p.IRON), "pot")
    body = Model()
    body.vessel(((0.94, -1.0), (1.0, -0.92), (1.0, 0.94), (1.04, 1.0)), 0.06, 0.09, metal, count=22)
    _fill(body, look, 0.93, -0.9, 0.45)
    model = Model()
    if z > 1.25 * x:
        ratio = x / z
        model.add(body, (ratio, 1.0, ratio), at=(0.0, 0.0, -1.0 + ratio))
        _bar(model, 2 * ratio - 1.04, 1.0, 0.6, 0.09 * ratio, p.BLACK)
    else:
        model.add(body)
        for side in (-1.0, 1.0):
            grip = [(side * 0.98, 0.6, -0.32), (side * 1.26, 0.66, -0.24)]
            grip += [(side * 1.26, 0.66, 0.24), (side * 0.98, 0.6, 0.32)]
            model.tube(grip, 0.07, p.BLACK if metal is not p.IRON else p.DARK_STEEL)
    return model.fit(look.size)


def kettle(look: Look) -> Model:
    """Closed pot belly with spout towards +z, lid and a hoop handle."""
    metal = look.choose((p.STEEL, p.RED, p.STEEL), "kettle")
    model = Model()
    belly = ((0.0, -1.0), (0.85, -1.0), (1.0, -0.75), (0.9, -0.1), (0.55, 0.25), (0.0, 0.33))
    model.revolve(belly, metal, count=18)
    if look.openness < 0.5:
        model.cone((0.0, 0.3, 0.0), 0.1, 0.42, 0.36, p.BLACK)
        model.ball((0.0, 0.45, 0.0), (0.11, 0.11, 0.11), p.BLACK, 8)
    else:
        model.rod((0.0, 0.32, 0.0), 0.02, 0.38, p.BLACK)
    model.tube([(0.0, -0.4, 0.8), (0.0, -0.05, 1.1), (0.0, 0.18, 1.3)], (0.2, 0.14, 0.1), metal, 8)
    arc = [(0.0, 0.0, 0.72), (0.0, 0.62, 0.62), (0.0, 0.95, 0.3)]
    arc += [(a, b, -c) for a, b, c in reversed(arc)]
    model.tube(arc, 0.07, p.BLACK, 8)
    return model.fit(look.size)


def _bottle(look: Look, curve: Sequence[Point2], paint: Paint, label: Paint, cap: Paint) -> Model:
    if look.broken:
        return shards(look, paint.clear(0.8))
    model = Model()
    model.revolve((((0.0, -1.0)), *curve, (0.0, curve[-1][1])), paint, count=16)
    radius = curve[1][0]
    if look.filled:
        liquid = p.LIQUIDS.get(look.liquid, p.LIQUIDS["water"])
        model.rod((0.0, -0.97, 0.0), 0.9, 0.93 * radius, liquid)
    model.revolve(
        ((0.98 * radius, -0.6), (1.02 * radius, -0.6), (1.02 * radius, 0.0), (0.98 * radius, 0.0)),
        label,
    )
    top = curve[-1]
    model.rod((0.0, top[1] - 0.06, 0.0), 1.06 - top[1], 1.2 * top[0], cap)
    return model.fit(look.size)


def bottle(look: Look) -> Model:
    """Glass bottle with shoulders, label and cap."""
    curve = ((0.94, -1.0), (1.0, -0.9), (1.0, 0.1), (0.85, 0.35), (0.36, 0.6), (0.32, 0.85))
    glass = look.choose((p.GLASS.mixed(p.GREEN, 0.3), p.GLASS.mixed(p.TEAL, 0.3)), "glass")
    return _bottle(look, curve, glass.clear(0.6), p.PAPER, p.CHROME)


def wine_bottle(look: Look) -> Model:
    """Slim dark green bottle with a long neck and a wine-red capsule."""
    curve = ((0.96, -1.0), (1.0, -0.96), (1.0, 0.2), (0.8, 0.36), (0.34, 0.5), (0.30, 0.95))
    glass = Paint(0.07, 0.17, 0.08, alpha=0.92, shininess=0.9, specular=0.9)
    return _bottle(look, curve, glass, p.CREAM, Paint(0.40, 0.05, 0.09, specular=0.3))


def vase(look: Look) -> Model:
    """Hollow vase; its outline follows the asset: flat, open, medium, tall."""
    paint = p.vessel_paint(look, _VASES)
    if look.broken:
        return shards(look, paint)
    name = look.asset_id.lower()
    if "flat" in name or look.size[1] < 0.75 * look.size[0]:
        curve: tuple[Point2, ...] = (
            (0.5, -1.0),
            (0.55, -0.85),
            (1.0, 0.0),
            (0.75, 0.7),
            (0.6, 1.0),
        )
    elif "open" in name:
        curve = ((0.45, -1.0), (0.4, -0.85), (0.5, -0.3), (0.62, 0.2), (0.8, 0.7), (1.0, 1.0))
    elif "tall" in name:
        curve = ((0.8, -1.0), (0.9, -0.4), (1.0, 0.2), (0.8, 0.6), (0.5, 0.78), (0.72, 1.0))
    else:
        curve = ((0.55, -1.0), (0.85, -0.7), (1.0, -0.2), (0.8, 0.3), (0.42, 0.66), (0.56, 1.0))
    model = Model()
    model.vessel(curve, 0.08, 0.12, paint, count=18)
    if paint.alpha == 1.0:
        widest = max(curve)
        model.hoop((0.0, widest[1], 0.0), widest[0] - 0.02, 0.05, paint.scaled(1.5), count=18)
    return model.fit(look.size)


def watering_can(look: Look) -> Model:
    """Can with a long spout and rose towards +z and a hoop handle behind."""
    paint = look.choose((p.GREEN, p.TEAL, p.BLUE), "can")
    model = Model()
    model.vessel(((0.8, -1.0), (0.86, -0.95), (0.78, 0.45)), 0.08, 0.1, paint)
    if look.filled:
        model.rod((0.0, -0.9, 0.0), 1.0, 0.7, p.LIQUIDS["water"])
    model.tube([(0.0, -0.7, 0.7), (0.0, -0.1, 1.25), (0.0, 0.75, 1.9)], (0.17, 0.13, 0.1), paint, 8)
    model.cone((0.0, 0.68, 1.84), 0.25, 0.1, 0.28, paint.scaled(0.8), axis="z")
    arc = [(0.0, 0.4, 0.6), (0.0, 0.9, 0.3), (0.0, 1.0, -0.4), (0.0, 0.6, -1.2), (0.0, -0.4, -0.75)]
    model.tube(arc, 0.1, paint.scaled(0.8), 8)
    return model.fit(look.size)


BUILDERS: dict[str, Builder] = {
    "Bottle": bottle,
    "Bowl": bowl,
    "Cup": cup,
    "Kettle": kettle,
    "Mug": mug,
    "Pan": pan,
    "Plate": plate,
    "Pot": pot,
    "Vase": vase,
    "WateringCan": watering_can,
    "WineBottle": wine_bottle,
}
