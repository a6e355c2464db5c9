"""Sport, toys, plants and ornaments."""

from __future__ import annotations

import math

import numpy as np

from milo_sim.appearance import palette as p
from milo_sim.appearance.look import Builder, Look
from milo_sim.appearance.model import Model, Paint
from milo_sim.appearance.vessels import shards

_BALL = Paint(0.85, 0.40, 0.13, specular=0.1)
_FUR = Paint(0.55, 0.36, 0.20, specular=0.02)
_STRING = Paint(0.92, 0.92, 0.85, alpha=1.0)
_STONE = Paint(0.62, 0.60, 0.56, specular=0.08)


def basket_ball(look: Look) -> Model:
    """Orange ball with black seams."""
    model = Model()
    model.ball((0.0, 0.0, 0.0), (0.985, 0.985, 0.985), look.vary(_BALL), 18)
    for axis in ("x", "y", "z"):
        model.hoop((0.0, 0.0, 0.0), 0.98, 0.022, p.BLACK, axis=axis, count=24)
    for side in (-1.0, 1.0):
        arc = []
        for i in range(9):
            a = math.pi * (i / 8 - 0.5) * 1.02
            y, bend = 0.98 * math.sin(a), 0.62 * math.cos(a)
            arc.append((side * bend, y, math.sqrt(max(0.0, 0.96 - y * y - bend * bend))))
        model.tube(arc, 0.022, p.BLACK, 5)
        model.tube([(a, b, -c) for a, b, c in arc], 0.022, p.BLACK, 5)
    return model.fit(look.size)


def baseball_bat(look: Look) -> Model:
    """Bat standing on its barrel end, with a taped grip and a knob on top."""
    color = p.OAK
    if look.made_of("Metal"):
        color = p.SILVER
    elif look.made_of("Plastic"):
        color = look.choose((p.YELLOW, p.RED, p.BLUE), "bat")
    model = Model()
    profile = ((0.0, -1.0), (0.7, -1.0), (0.95, -0.96), (1.0, -0.6), (0.85, -0.2), (0.45, 0.35))
    model.revolve((*profile, (0.42, 0.93), (0.0, 0.93)), color, count=14)
    model.rod((0.0, 0.42, 0.0), 0.52, 0.47, p.BLACK, count=12)
    model.revolve(
        ((0.0, 0.93), (0.55, 0.93), (0.62, 0.96), (0.5, 1.0), (0.0, 1.0)), color, count=12
    )
    model.rod((0.0, -0.5, 0.0), 0.1, 1.005, color.scaled(0.6), count=14)
    return model.fit(look.size)


def tennis_racket(look: Look) -> Model:
    """Oval strung head towards +z, throat and a wrapped grip."""
    frame = look.choose((p.RED, p.BLUE, p.BLACK, p.GREEN), "frame")
    model = Model()
    head = Model()
    head.hoop((0.0, 0.0, 0.0), 0.95, 0.07, frame, stretch=1.25, count=22)
    for i in range(-4, 5):
        u = 0.2 * i
        reach = 1.19 * math.sqrt(1.0 - u * u) - 0.03
        head.box((0.95 * u - 0.012, -0.015, -reach), (0.95 * u + 0.012, 0.015, reach), _STRING)
    for i in range(-5, 6):
        u = i / 6
        reach = 0.95 * math.sqrt(1.0 - u * u) - 0.03
        at = 1.19 * u
        head.box((-reach, -0.012, at - 0.012), (reach, 0.012, at + 0.012), _STRING)
    ratio = look.size[0] / look.size[2]
    wide = 1.0 / 1.02
    long = min(0.62, 1.0 * ratio * 1.25)
    model.add(head, (wide, 5.0, long / 1.25), at=(0.0, 0.0, 1.0 - 1.02 * long))
    neck = 1.0 - 1.95 * long
    for side in (-1.0, 1.0):
        model.tube(
            [(side * 0.5, 0.0, neck + 0.12 * long), (side * 0.12, 0.0, neck - 0.22)], 0.06, frame
        )
    grip = Model()
    grip.rod((0.0, 0.0, -1.0), neck + 0.8, 1.0, p.BLACK, axis="z", count=8)
    model.add(grip, (0.13, 0.9, 1.0))
    for i in range(4):
        z = -0.95 + i * (neck + 0.75) / 4
        ring = Model()
        ring.rod((0.0, 0.0, 0.0), 0.02, 1.0, p.GRAY, axis="z", count=8)
        model.add(ring, (0.14, 0.95, 1.0), at=(0.0, 0.0, z))
    return model.fit(look.size)


def dumbbell(look: Look) -> Model:
    """Two weights on a chrome bar along z."""
    model = Model()
    weight = look.choose((p.IRON, p.IRON, p.BLUE), "weight")
    model.rod((0.0, 0.0, -0.9), 1.8, 0.26, p.CHROME, axis="z")
    for low, high, r in (
        (-1.0, -0.88, 0.8),
        (-0.88, -0.5, 1.0),
        (0.5, 0.88, 1.0),
        (0.88, 1.0, 0.8),
    ):
        model.rod((0.0, 0.0, low), high - low, r, weight, axis="z", count=6 if r == 1.0 else 12)
    return model.fit(look.size)


def teddy_bear(look: Look) -> Model:
    """Sitting bear: belly, head with muzzle, round ears, arms and legs towards +z."""
    fur = look.vary(_FUR, 0.15)
    pale = fur.mixed(p.CREAM, 0.5)
    model = Model()
    model.ball((0.0, -0.38, -0.1), (0.52, 0.55, 0.45), fur)
    model.ball((0.0, -0.36, 0.2), (0.34, 0.36, 0.2), pale, 10)
    model.ball((0.0, 0.42, 0.0), (0.46, 0.42, 0.42), fur)
    model.ball((0.0, 0.30, 0.36), (0.2, 0.16, 0.18), pale, 10)
    model.ball((0.0, 0.37, 0.52), (0.08, 0.06, 0.06), p.BLACK, 8)
    for side in (-1.0, 1.0):
        model.ball((side * 0.36, 0.78, -0.02), (0.18, 0.18, 0.1), fur, 10)
        model.ball((side * 0.36, 0.78, 0.06), (0.1, 0.1, 0.06), pale, 8)
        model.ball((side * 0.17, 0.52, 0.38), (0.06, 0.06, 0.05), p.BLACK, 8)
        model.tube([(side * 0.4, -0.05, 0.0), (side * 0.66, -0.35, 0.25)], [0.2, 0.16], fur, 8)
        model.ball((side * 0.68, -0.38, 0.28), (0.18, 0.17, 0.17), fur, 8)
        model.tube([(side * 0.3, -0.75, 0.1), (side * 0.45, -0.78, 0.7)], [0.24, 0.2], fur, 8)
        model.ball((side * 0.46, -0.72, 0.78), (0.22, 0.26, 0.14), fur, 10)
        model.ball((side * 0.47, -0.72, 0.88), (0.13, 0.16, 0.07), pale, 8)
    bow = look.choose((p.RED, p.BLUE, p.GREEN), "bow")
    for side in (-1.0, 1.0):
        model.ball((side * 0.15, 0.03, 0.38), (0.14, 0.09, 0.05), bow, 8)
    return model.fit(look.size)


def _leafy(model: Model, count: int, low: float, reach: float, paint: Paint) -> None:
    """Arching pointed leaves from the stem at height ``low``, filling up to y = 1."""
    for i in range(count):
        angle = 2.4 * i
        tilt = 0.35 + 0.65 * ((i * 7) % count) / count
        cos, sin = math.cos(angle), math.sin(angle)
        top = 1.0 - 0.8 * (1.0 - low) * tilt**3
        rings = []
        for t in (0.0, 0.3, 0.65, 1.0):
            out = reach * tilt * t
            y = low + (top - low) * math.sin(1.57 * min(1.0, 1.15 * t)) - 0.25 * tilt**2 * t * t
            wide = 0.02 + 0.15 * math.sin(math.pi * min(1.0, t + 0.08))
            ring = []
            for side, lift in ((-1.0, 0.03), (0.0, 0.0), (1.0, 0.03), (0.0, -0.02)):
                across = side * wide
                ring.append([out * cos - across * sin, y + lift, out * sin + across * cos])
            rings.append(ring)
        tone = (paint, paint.scaled(0.8), paint.scaled(1.2))[i % 3]
        model.loft(np.array(rings), tone)


def house_plant(look: Look) -> Model:
    """Arching leaves from soil in a pot."""
    pot = look.choose((Paint(0.66, 0.34, 0.20), p.CERAMIC, p.CHARCOAL, p.TEAL), "pot")
    model = Model()
    edge = -0.35
    model.vessel(
        ((0.42, -1.0), (0.56, edge - 0.1), (0.62, edge - 0.1), (0.62, edge)), 0.06, 0.06, pot
    )
    soil = p.SOIL.scaled(0.7) if look.filled else p.SOIL
    model.rod((0.0, edge - 0.16, 0.0), 0.1, 0.52, soil)
    _leafy(model, 13, edge - 0.1, 1.0, look.vary(p.LEAF, 0.2))
    return model.fit(look.size)


def room_decor(look: Look) -> Model:
    """Tall floor vase with dry branches and blossoms."""
    model = Model()
    vase = look.choose((p.CERAMIC, p.CHARCOAL, Paint(0.55, 0.25, 0.17)), "vase")
    curve = ((0.5, -1.0), (0.85, -0.75), (0.9, -0.55), (0.5, -0.2), (0.36, -0.08), (0.48, 0.0))
    model.vessel(curve, 0.08, 0.05, vase, count=18)
    model.hoop((0.0, -0.55, 0.0), 0.88, 0.05, vase.scaled(1.4), count=18)
    for i in range(7):
        a = 2 * math.pi * i / 7
        reach, top = 0.45 + 0.4 * ((3 * i) % 7) / 7, 0.62 + 0.36 * ((5 * i) % 7) / 7
        tip = (reach * math.cos(a), top, reach * math.sin(a))
        mid = (0.45 * tip[0], 0.5 * top, 0.45 * tip[2])
        model.tube([(0.0, -0.4, 0.0), mid, tip], [0.05, 0.04, 0.02], p.WALNUT, 4)
        for t in (0.7, 1.0):
            at = tuple(m + (e - m) * (2 * t - 1) for m, e in zip(mid, tip, strict=True))
            bloom = p.PINK if look.share("bloom") < 0.5 else p.CREAM
            model.ball((at[0], at[1], at[2]), (0.1, 0.035, 0.1), bloom, 6)
    return model.fit(look.size)


def table_top_decor(look: Look) -> Model:
    """Glass bowl on a foot with coloured balls in it."""
    model = Model()
    glass = p.GLASS.clear(0.4)
    model.vessel(
        ((0.42, -1.0), (0.3, -0.8), (0.5, -0.5), (0.85, 0.1), (1.0, 0.75)), 0.06, 0.3, glass
    )
    tones = (p.ORANGE, p.TEAL, p.RED, p.YELLOW, p.GREEN, p.PURPLE)
    for i in range(6):
        a = 2 * math.pi * i / 6
        at = (0.45 * math.cos(a), 0.25, 0.45 * math.sin(a))
        model.ball(at, (0.24, 0.42, 0.24), tones[i], 8)
    model.ball((0.0, 0.55, 0.0), (0.26, 0.45, 0.26), p.BRASS, 8)
    return model.fit(look.size)


def _dog(paint: Paint) -> Model:
    """Sitting dog, muzzle towards +z."""
    model = Model()
    model.tube(
        [(0.0, -0.7, -0.5), (0.0, -0.1, -0.1), (0.0, 0.4, 0.15)], [0.42, 0.36, 0.25], paint, 10
    )
    model.ball((0.0, 0.66, 0.25), (0.26, 0.26, 0.28), paint, 10)
    model.ball((0.0, 0.58, 0.55), (0.14, 0.12, 0.22), paint, 8)
    for side in (-1.0, 1.0):
        model.tube([(side * 0.2, 0.2, 0.2), (side * 0.22, -0.98, 0.4)], [0.13, 0.1], paint, 7)
        model.pad((side * 0.12, -1.0, 0.3), (side * 0.34, -0.86, 0.65), paint, 0.6, 0.6, 8)
        model.ball((side * 0.33, -0.66, -0.35), (0.2, 0.34, 0.4), paint, 8)
        model.ball((side * 0.24, 0.72, 0.1), (0.07, 0.28, 0.14), paint.scaled(0.8), 8)
    model.tube([(0.0, -0.85, -0.8), (0.0, -0.7, -1.05), (0.0, -0.4, -1.1)], 0.08, paint, 6)
    return model


def _hand(paint: Paint) -> Model:
    """Raised open hand."""
    model = Model()
    model.tube([(0.0, -0.8, 0.0), (0.0, -0.3, 0.0)], [0.32, 0.27], paint, 8)
    model.pad((-0.45, -0.4, -0.2), (0.45, 0.3, 0.2), paint, 0.5, 0.5, 12)
    for i, (x, top) in enumerate(((-0.36, 0.75), (-0.13, 0.95), (0.11, 0.98), (0.34, 0.85))):
        tip = (1.25 * x, top, 0.05 * (i % 2))
        model.tube([(x, 0.2, 0.0), tip], [0.12, 0.09], paint, 6)
    model.tube(
        [(0.4, -0.15, 0.05), (0.62, 0.1, 0.12), (0.68, 0.38, 0.12)], [0.13, 0.11, 0.08], paint, 6
    )
    return model


def _figure(paint: Paint) -> Model:
    """Standing robed figure with arms at its sides, one raised."""
    model = Model()
    robe = (
        (0.0, -0.9),
        (0.52, -0.9),
        (0.4, -0.3),
        (0.3, 0.1),
        (0.38, 0.38),
        (0.14, 0.52),
        (0.0, 0.55),
    )
    model.revolve(robe, paint, count=12)
    model.ball((0.0, 0.74, 0.0), (0.2, 0.26, 0.2), paint, 10)
    model.tube(
        [(0.3, 0.36, 0.0), (0.55, 0.1, 0.1), (0.3, -0.12, 0.3)], [0.13, 0.11, 0.09], paint, 7
    )
    model.tube(
        [(-0.3, 0.36, 0.0), (-0.6, 0.5, 0.05), (-0.62, 0.9, 0.1)], [0.13, 0.11, 0.08], paint, 7
    )
    return model


def statue(look: Look) -> Model:
    """Stone or metal sculpture on a plinth: a dog, a hand or a figure, by its asset."""
    paint = (
        _STONE if look.made_of("Stone") else look.choose((p.BRONZE, p.BRASS, p.DARK_STEEL), "cast")
    )
    if look.broken:
        return shards(look, paint)
    name = look.asset_id.lower()
    form = _dog(paint) if "dog" in name else _hand(paint) if "hand" in name else _figure(paint)
    model = Model()
    model.add(form.fit((1.8, 1.76, 1.8), (0.0, 0.12, 0.0)))
    model.box((-1.0, -1.0, -1.0), (1.0, -0.84, 1.0), paint.scaled(0.55))
    model.box((-0.92, -0.84, -0.92), (0.92, -0.76, 0.92), paint.scaled(0.75))
    return model.fit(look.size)


BUILDERS: dict[str, Builder] = {
    "BaseballBat": baseball_bat,
    "BasketBall": basket_ball,
    "Dumbbell": dumbbell,
    "HousePlant": house_plant,
    "RoomDecor": room_decor,
    "Statue": statue,
    "TableTopDecor": table_top_decor,
    "TeddyBear": teddy_bear,
    "TennisRacket": tennis_racket,
}
