"""Bathroom fittings and washing things. What hangs on a wall has the wall at -z."""

from __future__ import annotations

import math

import numpy as np

from milo_sim.appearance import palette as p
from milo_sim.appearance import turns
from milo_sim.appearance.look import Builder, Look
from milo_sim.appearance.model import Model, Paint

_TOWELS = (
    Paint(0.80, 0.83, 0.86, specular=0.02),
    Paint(0.30, 0.48, 0.62, specular=0.02),
    Paint(0.75, 0.58, 0.45, specular=0.02),
    Paint(0.42, 0.58, 0.48, specular=0.02),
    Paint(0.72, 0.30, 0.32, specular=0.02),
)
_SOAPS = (
    Paint(0.85, 0.55, 0.62, alpha=0.9, shininess=0.7, specular=0.5),
    Paint(0.35, 0.62, 0.75, alpha=0.9, shininess=0.7, specular=0.5),
    Paint(0.90, 0.75, 0.30, alpha=0.9, shininess=0.7, specular=0.5),
    Paint(0.45, 0.68, 0.40, alpha=0.9, shininess=0.7, specular=0.5),
)


def _rim(
    model: Model,
    half: tuple[float, float],
    hole: tuple[float, float],
    low: float,
    high: float,
    paint: Paint,
) -> None:
    """Flat frame of (half x, half z) with a rectangular hole."""
    (x, z), (a, b) = half, hole
    for side in (-1.0, 1.0):
        model.box((-x, low, side * b), (x, high, side * z), paint)
        model.box((side * a, low, -b), (side * x, high, b), paint)


def bathtub(look: Look) -> Model:
    """Tub: panelled outside, broad rim, deep hollow."""
    x, y, z = look.half
    rim = min(0.05, 0.2 * y)
    # Medians of basin to tub in the recorded scenes, the long way and across.
    hole = (0.62 * x, 0.78 * z) if z >= x else (0.78 * x, 0.62 * z)
    model = Model()
    _rim(model, (x, z), hole, y - rim, y, p.CERAMIC)
    _rim(model, (0.97 * x, 0.97 * z), (0.92 * x, 0.92 * z), -y, y - rim, p.CERAMIC.scaled(0.93))
    floor = -y + 0.12 * y
    model.box((-0.92 * x, -y, -0.92 * z), (0.92 * x, floor, 0.92 * z), p.CERAMIC.scaled(0.97))
    lip = min(0.02, 0.1 * min(hole))
    _rim(model, hole, (hole[0] - lip, hole[1] - lip), floor, y - 0.2 * rim, p.CERAMIC.scaled(0.98))
    r = min(0.03, 0.2 * min(hole))
    model.rod((0.0, floor, 0.6 * hole[1]), min(0.006, 0.1 * y), r, p.CHROME)
    return model


def _basin(look: Look, drain: float) -> Model:
    """White open trough with rounded inside and a drain at ``drain`` of its length."""
    x, y, z = look.half
    paint = look.common((p.CERAMIC, p.STEEL), "basin") if drain == 0.0 else p.CERAMIC
    wall = min(0.012, 0.12 * min(x, z))
    floor = min(0.006, 0.2 * y)
    model = Model()
    model.tray((-x, -y, -z), (x, y, z), wall, paint, floor)
    r = min(0.035, 0.25 * min(x, z))
    at = (0.0, -y + floor, drain * z) if z >= x else (drain * x, -y + floor, 0.0)
    thin = min(0.003, 0.1 * y)
    model.revolve(((0.0, 0.0), (r, 0.0), (0.85 * r, thin), (0.0, thin)), p.CHROME, at)
    model.rod((at[0], at[1] + 0.9 * thin, at[2]), 0.4 * thin, 0.5 * r, p.BLACK)
    if drain != 0.0:
        # The overflow tells a tub from a sink.
        end = (0.0, 0.3 * y, (z - wall)) if z >= x else (x - wall, 0.3 * y, 0.0)
        model.ball(end, (0.02, 0.02, 0.02), p.CHROME, 8)
    if look.filled:
        model.box((-x + wall, -y + floor, -z + wall), (x - wall, 0.3 * y, z - wall), p.WATER)
    return model.within(look.size)


def bathtub_basin(look: Look) -> Model:
    """Inside of a bathtub."""
    return _basin(look, 0.75)


def sink_basin(look: Look) -> Model:
    """Inside of a sink."""
    return _basin(look, 0.0)


def sink(look: Look) -> Model:
    """Rim around a hollow bowl; a box that reaches far down also has a pedestal."""
    x, y, z = look.half
    depth = min(0.16, 0.9 * look.size[1])
    hole = (0.70 * x, 0.58 * z)
    rim = min(0.03, 0.3 * depth)
    paint = p.CERAMIC
    wall = min(0.015, 0.1 * min(x, z))
    bottom = y - depth
    model = Model()
    _rim(model, (x, z), hole, y - rim, y, paint)
    outer = (hole[0] + wall, hole[1] + wall)
    _rim(model, outer, hole, bottom, y - rim, paint.scaled(0.96))
    model.box((-outer[0], bottom, -outer[1]), (outer[0], bottom + 0.12 * depth, outer[1]), paint)
    r = min(0.028, 0.2 * min(x, z))
    model.rod((0.0, bottom + 0.12 * depth, 0.0), 0.03 * depth, r, p.CHROME)
    if look.size[1] > 0.4:
        post = Model()
        post.cone((0.0, 0.0, 0.0), bottom + y, 0.42, 0.34, paint)
        model.add(post, (x, 1.0, z), at=(0.0, -y, -0.2 * z))
    return model


def faucet(look: Look) -> Model:
    """Arched spout towards +z between two taps on a plate; a thread of water when on."""
    x, y, z = look.half
    metal = p.CHROME if look.share("metal") < 0.8 else p.BRONZE
    model = Model()
    r = min(0.016, 0.16 * min(x, y, z))
    model.box((-x, -y, -z), (x, -y + 1.2 * r, min(-z + 6 * r, 0.2 * z)), metal)
    back = -z + 2.6 * r
    top = y - r
    arc = [(0.0, -y + r, back), (0.0, 0.3 * y, back)]
    for i in range(1, 6):
        a = math.pi * i / 6
        middle, reach = (back + z - 1.4 * r) / 2, (z - 1.4 * r - back) / 2
        arc.append((0.0, 0.3 * y + (top - 0.3 * y) * math.sin(a), middle - reach * math.cos(a)))
    end = (0.0, 0.05 * y, z - 1.4 * r)
    model.tube([*arc, end], r, metal, 8)
    model.rod((0.0, end[1] - 1.2 * r, end[2]), 1.4 * r, 1.25 * r, metal)
    for side in (-1.0, 1.0):
        at = (side * (x - 1.8 * r), -y + r, back)
        model.cone(at, min(4 * r, y), 1.1 * r, 0.8 * r, metal, count=10)
        knob_y = -y + r + min(4 * r, y)
        grip = p.CHROME if look.on else metal.scaled(0.9)
        model.block((at[0], knob_y, back), (3.4 * r, r, r), grip)
        model.block((at[0], knob_y, back), (r, r, 3.4 * r), grip)
    if look.on:
        model.tube([(0.0, end[1], end[2]), (0.0, -y, end[2])], 0.7 * r, p.WATER, 6)
    return model


def shower_head(look: Look) -> Model:
    """Round head on a bent pipe above a bar with a mixer; jets when on."""
    model = Model()
    metal = p.CHROME
    model.tube(
        [(0.0, -0.85, -0.82), (0.0, 0.8, -0.82), (0.0, 0.97, -0.6), (0.0, 0.93, 0.2)],
        0.07,
        metal,
        8,
    )
    slim = Model()
    slim.revolve(((0.0, 0.0), (0.72, 0.0), (0.72, 0.03), (0.2, 0.12), (0.0, 0.12)), metal, count=18)
    slim.rod((0.0, -0.012, 0.0), 0.012, 0.62, p.GRAY, count=18)
    model.add(slim, at=(0.0, 0.78, 0.26))
    model.rod((-0.7, -0.78, -0.82), 1.4, 0.09, metal, axis="x")
    model.box((-0.3, -0.9, -1.0), (0.3, -0.66, -0.9), metal)
    for side in (-1.0, 1.0):
        model.rod((side * 0.72 - 0.14, -0.78, -0.82), 0.28, 0.17, metal.scaled(0.85), axis="x")
    if look.on:
        for i in range(7):
            a = 2 * math.pi * i / 6
            r = 0.0 if i == 6 else 0.45
            top = (r * math.cos(a), 0.76, 0.26 + r * math.sin(a))
            model.tube([top, (top[0], -0.98, top[2])], 0.03, p.WATER, 4)
    return model.fit(look.size)


def toilet(look: Look) -> Model:
    """Bowl and seat in front of a cistern whose lid is the top of the box; the lid opens."""
    paint = p.CERAMIC
    model = Model()
    model.pad((-0.92, -0.05, -1.0), (0.92, 0.92, -0.5), paint, 0.15, 0.2, 16)
    model.pad((-1.0, 0.9, -1.0), (1.0, 1.0, -0.46), paint, 0.3, 0.2, 16)
    model.block((-0.6, 0.75, -0.49), (0.3, 0.05, 0.06), p.CHROME)
    bowl = Model()
    profile = ((0.5, -1.0), (0.42, -0.75), (0.55, -0.4), (0.95, -0.14), (1.0, -0.06))
    bowl.vessel(profile, 0.22, 0.45, paint, count=20)
    bowl.rod((0.0, -0.56, 0.0), 0.08, 0.4, p.WATER.clear(0.9), count=14)
    seat = ((0.66, -0.06), (1.02, -0.06), (1.02, 0.0), (0.66, 0.0))
    bowl.revolve(seat, p.WHITE.scaled(1.05), count=20)
    if look.openness < 0.5:
        bowl.revolve(((0.0, 0.0), (1.03, 0.0), (1.03, 0.04), (0.0, 0.06)), p.WHITE, count=20)
    model.add(bowl, (0.82, 1.0, 0.74), at=(0.0, 0.0, 0.26))
    model.box((-0.45, -1.0, -0.95), (0.45, -0.15, 0.0), paint.scaled(0.97))
    if look.openness >= 0.5:
        lid = Model()
        lid.rod((0.0, 0.0, 0.0), 0.06, 1.0, p.WHITE, axis="z", count=20)
        model.add(lid, (0.8, 0.44, 1.0), at=(0.0, 0.42, -0.46))
    return model.fit(look.size)


def _hanging(look: Look, folds: float, stripe: bool) -> Model:
    """Towel folded over a bar: two hanging layers, soft at the bottom, with a band."""
    color = look.vary(look.choose(_TOWELS, "towel"))
    rings = []
    for t in np.linspace(0.0, 1.0, 6):
        y = -1.0 + 2.0 * t
        spread = 0.75 + 0.25 * (1 - t)
        front = []
        for u in np.linspace(-1.0, 1.0, 9):
            wave = 0.22 * (1 - t) * math.sin(folds * u)
            front.append([u * (0.97 + 0.03 * (1 - t)), y, spread * (0.55 + 0.45 * wave)])
        rings.append(front + [[a, b, -c] for a, b, c in reversed(front)])
    model = Model()
    model.loft(np.array(rings), color, cap="strip")
    roll = Model()
    roll.rod((-0.97, 0.0, 0.0), 1.94, 1.0, color, axis="x")
    model.add(roll, (1.0, 0.06, 0.5), at=(0.0, 0.95, 0.0))
    band = color.mixed(p.WHITE, 0.6) if color.red < 0.75 else color.scaled(0.7)
    levels = (-0.72, -0.6) if stripe else (-0.7,)
    for y in levels:
        model.box((-0.99, y, -0.82), (0.99, y + 0.06, 0.82), band)
    return model.fit(look.size)


def towel(look: Look) -> Model:
    """Broad bath towel, hanging."""
    return _hanging(look, 7.0, True)


def hand_towel(look: Look) -> Model:
    """Narrow hand towel, hanging, with one band."""
    return _hanging(look, 4.0, False)


def towel_holder(look: Look) -> Model:
    """Bar along x between two brackets on the wall."""
    x, y, z = look.half
    r = 0.35 * y
    model = Model()
    model.rod((-x, 0.2 * y, z - r), 2 * x, r, p.CHROME, axis="x")
    for side in (-1.0, 1.0):
        outer, inner = side * 0.97 * x, side * (0.97 * x - min(0.03, 0.3 * x))
        model.box((outer, -y, -z), (inner, y, -z + 0.1 * z), p.CHROME.scaled(0.9))
        model.box((outer, -0.4 * y, -z), (inner, 0.8 * y, z - 0.5 * r), p.CHROME.scaled(0.9))
    return model


def hand_towel_holder(look: Look) -> Model:
    """Ring that hangs from a round rosette on the wall."""
    model = Model()
    model.rod((0.0, 0.72, -1.0), 0.5, 0.28, p.CHROME, axis="z")
    model.rod((0.0, 0.72, -0.6), 1.3, 0.1, p.STEEL, axis="z", count=8)
    ring = Model()
    ring.hoop((0.0, 0.0, 0.0), 0.82, 0.07, p.CHROME, axis="z", count=20)
    model.add(ring, (1.0, 0.88, 3.0), at=(0.0, -0.1, 0.6))
    return model.fit(look.size)


def _roll(model: Model, paint: Paint, scale: float = 1.0) -> None:
    """Roll of paper standing along y with a cardboard core and a loose end."""
    model.revolve(((0.36, -1.0), (scale, -1.0), (scale, 1.0), (0.36, 1.0)), paint, count=20)
    core = ((0.30, -0.99), (0.38, -0.99), (0.38, 0.99), (0.30, 0.99))
    model.revolve(core, p.CARDBOARD, count=16)
    for r in (0.55, 0.75):
        model.hoop((0.0, 1.0, 0.0), r * scale, 0.012, paint.scaled(0.85), count=20)


def toilet_paper(look: Look) -> Model:
    """White roll standing on its end; only the cardboard core once used up."""
    model = Model()
    if look.used_up or "used_up" in look.asset_id.lower():
        core = ((0.8, -1.0), (1.0, -1.0), (1.0, 1.0), (0.8, 1.0))
        model.revolve(core, p.CARDBOARD, count=16)
        for y in (-0.5, 0.1, 0.6):
            model.hoop((0.0, y, 0.0), 1.0, 0.02, p.CARDBOARD.scaled(0.75))
        share = 1.0 if "used_up" in look.asset_id.lower() else 0.55
        return model.fit((share * look.size[0], look.size[1], share * look.size[2]))
    _roll(model, p.PAPER)
    model.box((0.95, -1.0, 0.0), (1.0, 1.0, 0.8), p.PAPER.scaled(0.95))
    return model.fit(look.size)


def toilet_paper_roll(look: Look) -> Model:
    """Roll of paper lying along x with a loose sheet hanging in front."""
    upright = Model()
    _roll(upright, p.PAPER)
    model = Model()
    model.add(upright, turn=turns.Y_TO_X)
    model.box((-1.0, -1.35, 0.92), (1.0, 0.0, 1.0), p.PAPER.scaled(0.96))
    return model.fit(look.size)


def toilet_paper_hanger(look: Look) -> Model:
    """Two brackets on the wall with a roller between them."""
    model = Model()
    for side in (-1.0, 1.0):
        model.box((side * 0.8, -1.0, -1.0), (side * 1.0, 1.0, -0.75), p.CHROME)
        model.pad(
            (side * 0.82, -0.6, -0.9), (side * 0.98, 0.8, 1.0), p.CHROME.scaled(0.92), 0.4, 0.4
        )
    model.rod((-0.85, 0.1, 0.45), 1.7, 0.3, p.SILVER, axis="x")
    model.rod((-0.25, 0.1, 0.45), 0.5, 0.36, p.WHITE, axis="x")
    return model.fit(look.size)


def soap_bar(look: Look) -> Model:
    """Rounded bar with a pressed oval."""
    soap = look.choose((p.PINK, p.CREAM, p.GREEN.mixed(p.WHITE, 0.6)), "soap")
    model = Model()
    model.pad((-1.0, -1.0, -1.0), (1.0, 0.9, 1.0), soap, 0.5, 0.45, 18)
    oval = Model()
    oval.hoop((0.0, 0.0, 0.0), 0.5, 0.06, soap.scaled(0.8), stretch=1.3, count=18)
    model.add(oval, (1.0, 1.6, 1.0), at=(0.0, 0.9, 0.0))
    model.block((0.0, 0.93, 0.0), (0.5, 0.1, 0.12), soap.scaled(0.8))
    return model.fit(look.size)


def soap_bottle(look: Look) -> Model:
    """Bottle with a pump whose nozzle points to +x; clear once used up."""
    soap = look.choose(_SOAPS, "soap")
    if look.made_of("Metal", "Glass"):
        soap = look.choose((p.GLASS.mixed(p.TEAL, 0.3).clear(0.7), p.CERAMIC, p.SILVER), "metal")
    shell = p.GLASS.clear(0.3) if look.used_up else soap
    model = Model()
    profile = ((0.0, -1.0), (0.92, -1.0), (1.0, -0.92), (1.0, 0.1), (0.8, 0.3), (0.35, 0.38))
    model.revolve((*profile, (0.3, 0.45), (0.0, 0.45)), shell, count=16)
    label = ((0.99, -0.65), (1.02, -0.65), (1.02, -0.15), (0.99, -0.15))
    model.revolve(label, p.WHITE, count=16)
    pump = p.WHITE if soap.red < 0.8 else p.CHROME
    model.rod((0.0, 0.42, 0.0), 0.14, 0.42, pump)
    model.rod((0.0, 0.5, 0.0), 0.35, 0.12, pump, count=8)
    model.rod((0.0, 0.82, 0.0), 0.16, 0.3, pump)
    model.tube([(0.0, 0.9, 0.0), (0.9, 0.92, 0.0), (1.12, 0.8, 0.0)], [0.13, 0.12, 0.09], pump, 6)
    return model.fit(look.size)


def spray_bottle(look: Look) -> Model:
    """Cleaner bottle with a trigger head whose nozzle points to +z."""
    color = look.choose((p.BLUE.mixed(p.WHITE, 0.3), p.GREEN, p.YELLOW, p.RED), "spray")
    head = look.choose((p.WHITE, p.RED, p.CHARCOAL), "head")
    model = Model()
    model.pad((-1.0, -1.0, -0.8), (1.0, 0.3, 0.75), color, 0.2, 0.4, 16)
    model.box((-1.02, -0.7, -0.45), (1.02, -0.1, 0.4), p.WHITE)
    model.cone((0.0, 0.2, -0.1), 0.35, 0.45, 0.25, color)
    model.rod((0.0, 0.48, -0.1), 0.1, 0.36, head)
    model.box((-0.5, 0.62, -0.6), (0.5, 1.0, 0.55), head)
    model.cone((0.0, 0.82, 0.5), 0.5, 0.22, 0.14, head.scaled(0.8), axis="z")
    model.tube([(0.0, 0.65, 0.4), (0.0, 0.4, 0.55), (0.0, 0.25, 0.42)], 0.09, head.scaled(0.7), 6)
    return model.fit(look.size)


def plunger(look: Look) -> Model:
    """Red rubber cup on a long wooden stick."""
    rubber = look.choose((p.RED.scaled(0.85), p.BLACK, p.RED.scaled(0.85)), "rubber")
    model = Model()
    cup = ((0.94, -1.0), (1.0, -0.98), (0.92, -0.72), (0.5, -0.56), (0.2, -0.5), (0.0, -0.5))
    inside = ((0.0, -0.62), (0.45, -0.66), (0.82, -0.78), (0.9, -1.0))
    model.revolve((*inside, *cup), rubber, count=18)
    model.rod((0.0, -0.55, 0.0), 1.52, 0.13, p.PINE, count=8)
    model.ball((0.0, 0.96, 0.0), (0.14, 0.04, 0.14), p.PINE, 8)
    return model.fit(look.size)


def scrub_brush(look: Look) -> Model:
    """Toilet brush: white bristle head in a holder cup, long handle."""
    model = Model()
    model.vessel(((0.85, -1.0), (1.0, -0.95), (0.82, -0.3)), 0.08, 0.06, p.WHITE.scaled(0.95))
    bristles = Paint(0.35, 0.60, 0.80, specular=0.05)
    model.revolve(
        ((0.0, -0.7), (0.6, -0.6), (0.68, -0.25), (0.5, -0.1), (0.0, -0.05)), bristles, count=12
    )
    model.rod((0.0, -0.1, 0.0), 0.9, 0.1, p.WHITE, count=8)
    model.pad((-0.17, 0.5, -0.17), (0.17, 1.0, 0.17), p.WHITE, 0.5, 0.6, 10)
    model.hoop((0.0, 0.5, 0.0), 0.16, 0.03, bristles, count=10)
    return model.fit(look.size)


BUILDERS: dict[str, Builder] = {
    "Bathtub": bathtub,
    "BathtubBasin": bathtub_basin,
    "Faucet": faucet,
    "HandTowel": hand_towel,
    "HandTowelHolder": hand_towel_holder,
    "Plunger": plunger,
    "ScrubBrush": scrub_brush,
    "ShowerHead": shower_head,
    "Sink": sink,
    "SinkBasin": sink_basin,
    "SoapBar": soap_bar,
    "SoapBottle": soap_bottle,
    "SprayBottle": spray_bottle,
    "Toilet": toilet,
    "ToiletPaper": toilet_paper,
    "ToiletPaperHanger": toilet_paper_hanger,
    "ToiletPaperRoll": toilet_paper_roll,
    "Towel": towel,
    "TowelHolder": towel_holder,
}
