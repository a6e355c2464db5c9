"""Beds, chairs, sofas and what belongs on them. Backs and heads are at -z."""

from __future__ import annotations

import math

import numpy as np

from milo_sim.appearance import palette as p
from milo_sim.appearance.look import Builder, Look
from milo_sim.appearance.model import Model, Paint
from milo_sim.appearance.shapes import Point2
from milo_sim.appearance.surfaces import SURFACES

_SHEET = Paint(0.93, 0.92, 0.89, specular=0.03)
_BLANKETS = (
    Paint(0.93, 0.92, 0.90, specular=0.03),
    Paint(0.30, 0.38, 0.55, specular=0.03),
    Paint(0.55, 0.30, 0.28, specular=0.03),
    Paint(0.42, 0.47, 0.38, specular=0.03),
    Paint(0.60, 0.52, 0.42, specular=0.03),
)
_PILLOWS = (
    Paint(0.90, 0.89, 0.85, specular=0.03),
    Paint(0.62, 0.20, 0.18, specular=0.03),
    Paint(0.25, 0.38, 0.52, specular=0.03),
    Paint(0.72, 0.60, 0.36, specular=0.03),
    Paint(0.40, 0.46, 0.34, specular=0.03),
)


def legs(
    model: Model, half: tuple[float, float], low: float, high: float, width: float, paint: Paint
) -> None:
    """Four square legs in the corners of a (half x, half z) footprint."""
    x, z = half
    width = min(width, 0.5 * x, 0.5 * z)
    for sx in (-1.0, 1.0):
        for sz in (-1.0, 1.0):
            model.box((sx * x, low, sz * z), (sx * (x - width), high, sz * (z - width)), paint)


def _surface(look: Look, default: float) -> float:
    """Height coordinate of the surface where things lie."""
    return look.size[1] * (SURFACES.get(look.asset_id, default) - 0.5)


def chair(look: Look) -> Model:
    """Dining chair: slats for wood, padding for fabric, a shell for plastic."""
    x, y, z = look.half
    frame = p.frame(look)
    seat = -y + 2 * y * 0.48
    t = min(0.045, 0.2 * x, 0.2 * z)
    model = Model()
    padded = look.made_of("Fabric", "Leather")
    legs(model, (0.96 * x, 0.96 * z), -y, seat - 0.5 * t, t, frame)
    if padded:
        cover = p.upholstery(look)
        model.box((-x, seat - t, -z), (x, seat - 0.3 * t, z), frame)
        model.pad((-x, seat - 0.3 * t, -0.8 * z), (x, seat + 1.2 * t, z), cover, 0.4, 0.3)
        model.pad((-0.95 * x, seat + 2 * t, -z), (0.95 * x, y, -z + 2.2 * t), cover, 0.35, 0.4)
        for side in (-1.0, 1.0):
            model.box((side * 0.8 * x, seat, -z + 0.2 * t), (side * 0.6 * x, y - t, -z + t), frame)
    elif look.made_of("Plastic"):
        shell = look.choose((p.WHITE, p.RED, p.CHARCOAL, p.TEAL), "shell")
        model.pad((-x, seat - 0.5 * t, -z), (x, seat + 0.6 * t, z), shell, 0.4, 0.4)
        model.pad((-0.95 * x, seat, -z), (0.95 * x, y, -z + 1.2 * t), shell, 0.5, 0.3)
    else:
        seat_paint = p.wood(look).scaled(1.12)
        model.pad((-x, seat - 0.6 * t, -z), (x, seat + 0.4 * t, z), seat_paint, 0.15, 0.2)
        for side in (-1.0, 1.0):
            model.box((side * x, seat, -z), (side * (x - t), y, -z + t), frame)
        model.box((-x, y - 1.8 * t, -z), (x, y, -z + 0.8 * t), frame)
        for i in range(4):
            middle = (-0.6 + 0.4 * i) * x
            low, high = (middle - 0.4 * t, seat, -z), (middle + 0.4 * t, y - 1.8 * t, -z + 0.5 * t)
            model.box(low, high, frame)
        model.box((-x + t, -0.5 * y - t, 0.9 * z), (x - t, -0.5 * y, 0.9 * z - 0.6 * t), frame)
    return model


def stool(look: Look) -> Model:
    """Round seat on four splayed legs with a ring between them."""
    x, y, z = look.half
    frame = p.frame(look)
    model = Model()
    thick = min(0.07, 0.3 * y)
    seat = Model()
    cover = p.LEATHERS[0] if look.made_of("Metal") else p.wood(look).scaled(1.1)
    seat.revolve(((0.0, -1.0), (0.9, -1.0), (1.0, -0.4), (1.0, 0.5), (0.9, 1.0), (0.0, 1.0)), cover)
    model.add(seat, (x, thick / 2, z), at=(0.0, y - thick / 2, 0.0))
    r = min(0.018, 0.15 * min(x, z))
    for sx in (-1.0, 1.0):
        for sz in (-1.0, 1.0):
            foot = (sx * (0.9 * x - r), -y, sz * (0.9 * z - r))
            model.tube([foot, (sx * 0.5 * x, y - thick, sz * 0.5 * z)], r, frame)
    ring = Model()
    ring.hoop((0.0, 0.0, 0.0), 1.0, 0.06, frame, count=16)
    model.add(ring, (0.72 * x, r / 0.06, 0.72 * z), at=(0.0, -0.35 * y, 0.0))
    return model


def _arch(low: Point2, high: Point2) -> list[Point2]:
    """Outline of an upright slab with a rounded top, between two corners."""
    left, right = min(low[0], high[0]), max(low[0], high[0])
    middle, radius = (left + right) / 2, (right - left) / 2
    rise = min(0.6 * radius, 0.4 * (high[1] - low[1]))
    outline = [(left, low[1]), (right, low[1])]
    for i in range(7):
        angle = math.pi * i / 6
        at = (middle + radius * math.cos(angle), high[1] - rise + rise * math.sin(angle))
        outline.append(at)
    return outline


def _seat(look: Look, cushions: int, default: float) -> Model:
    """Upholstered seat with arms and a back."""
    x, y, z = look.half
    cover = p.upholstery(look)
    soft = cover.scaled(1.12)
    seat = _surface(look, default)
    foot = min(0.08, 0.15 * y)
    arm = min(0.22, 0.22 * x)
    arm_top = min(seat + 0.2, 0.7 * y)
    back = min(0.26, 0.4 * z)
    pillow = min(0.16, 0.35 * (seat + y))
    model = Model()
    legs(model, (0.92 * x, 0.92 * z), -y, -y + foot, 0.07, p.ESPRESSO)
    model.box((-0.98 * x, -y + foot, -z), (0.98 * x, seat - pillow, 0.95 * z), cover)
    for side in (-1.0, 1.0):
        low, high = (side * (x - arm), -y + foot), (side * x, arm_top)
        model.prism(_arch(low, high), -0.98 * z, 0.98 * z, cover.scaled(0.94), axis="z")
    model.prism(_arch((-z, -y + foot), (-z + 0.6 * back, y)), -x, x, cover, axis="x")
    width = 2 * (x - arm) / cushions
    for i in range(cushions):
        left = -x + arm + i * width
        right = left + 0.985 * width
        model.pad((left, seat - pillow, -z + back), (right, seat, z), soft, 0.35, 0.15)
        top = min(y, seat + 0.92 * (y - seat))
        model.pad((left, seat, -z + 0.4 * back), (right, top, -z + 1.35 * back), soft, 0.35, 0.3)
    return model


def sofa(look: Look) -> Model:
    """Two or more seat cushions side by side between arms."""
    return _seat(look, max(2, min(4, round(look.size[0] / 0.8))), 0.47)


def arm_chair(look: Look) -> Model:
    """One deep cushion between thick arms."""
    return _seat(look, 1, 0.48)


def ottoman(look: Look) -> Model:
    """Padded block with a seam and buttons on short feet."""
    x, y, z = look.half
    cover = p.upholstery(look)
    foot = min(0.07, 0.3 * y)
    model = Model()
    legs(model, (0.9 * x, 0.9 * z), -y, -y + foot, 0.06, p.ESPRESSO)
    model.box((-0.98 * x, -y + foot, -0.98 * z), (0.98 * x, 0.35 * y, 0.98 * z), cover)
    model.pad((-x, 0.3 * y, -z), (x, y, z), cover.scaled(1.15), 0.3, 0.15)
    for i in range(3):
        for k in (-1.0, 1.0):
            at = (0.5 * x * (i - 1), 0.97 * y, 0.4 * z * k)
            model.ball(at, (0.02 * x, 0.03 * y, 0.03 * z), cover.scaled(0.5), 6)
    return model


def footstool(look: Look) -> Model:
    """Small stool: a round cushion on a wooden rim and four turned legs."""
    x, y, z = look.half
    model = Model()
    timber = p.wood(look)
    top = Model()
    top.revolve(((0.0, -1.0), (1.0, -1.0), (1.0, 0.0), (0.0, 0.0)), timber)
    dome = ((0.0, 0.0), (0.95, 0.0), (1.0, 0.35), (0.75, 0.85), (0.0, 1.0))
    top.revolve(dome, p.upholstery(look))
    height = min(0.16, 0.7 * y)
    model.add(top, (x, height / 2, z), at=(0.0, y - height / 2, 0.0))
    for sx in (-1.0, 1.0):
        for sz in (-1.0, 1.0):
            leg = Model()
            leg.cone((0.0, 0.0, 0.0), 2 * y - height, 0.07, 0.13, timber, count=8)
            model.add(leg, (x, 1.0, z), at=(sx * 0.58 * x, -y, sz * 0.58 * z))
    return model


def bed(look: Look) -> Model:
    """Frame with a headboard at -z, mattress, two flat pillows and a turned-down blanket."""
    x, y, z = look.half
    top = _surface(look, min(0.62, 0.62 / look.size[1]))
    frame = p.wood(look)
    board = min(0.07, 0.05 * z)
    mattress = min(0.24, 0.5 * (top + y))
    model = Model()
    legs(model, (x, z), -y, top - mattress, 0.09, frame)
    rail = min(0.18, 0.6 * (top - mattress + y))
    model.box((-x, top - mattress - rail, -z), (x, top - mattress, z), frame)
    model.box((-x, -y, -z), (x, y, -z + board), frame)
    model.box(
        (-0.9 * x, top, -z + board),
        (0.9 * x, y - 0.2 * (y - top), -z + 1.4 * board),
        frame.scaled(0.8),
    )
    foot = min(y, top + 0.06)
    model.box((-x, -0.4 * (top + y) + top - mattress, z - board), (x, foot, z), frame)
    inner = z - 1.05 * board
    head = -z + 1.4 * board
    model.pad((-0.97 * x, top - mattress, head), (0.97 * x, top - 0.02, inner), _SHEET, 0.2, 0.1)
    _bedding(model, look, top, mattress, head, inner)
    return model


def _bedding(
    model: Model, look: Look, top: float, mattress: float, head: float, inner: float
) -> None:
    x, y, _ = look.half
    blanket = look.vary(look.choose(_BLANKETS, "blanket"), 0.08)
    length = inner - head
    high = min(top + 0.02, y)
    start = head + (0.42 if look.dirty else 0.33) * length
    low = (-0.995 * x, top - 0.75 * mattress, start)
    model.pad(low, (0.995 * x, high, inner), blanket, 0.2, 0.12)
    fold = (0.995 * x, min(high + 0.01, y), start + 0.1 * length)
    model.pad((-0.995 * x, top - 0.02, start - 0.04 * length), fold, _SHEET.scaled(0.97), 0.5, 0.2)
    for side in (-1.0, 1.0):
        near, far = side * 0.08 * x, side * 0.86 * x
        low = (near, top - 0.03, head + 0.02 * length)
        model.pad(low, (far, min(top + 0.07, y), head + 0.22 * length), p.WHITE, 0.7, 0.35)
    if look.dirty:
        rumple = min(0.05, y - high) if y > high else 0.0
        steps = np.linspace(-0.97, 0.97, 11)
        rings = []
        for z in np.linspace(start + 0.08 * length, inner, 9):
            wave = [high + rumple * (0.5 + 0.5 * math.sin(9 * u + 14 * z)) for u in steps]
            ring = [[u * x, level, z] for u, level in zip(steps, wave, strict=True)]
            rings.append(ring + [[a, top - 0.03, c] for a, _, c in reversed(ring)])
        model.loft(np.array(rings), blanket.scaled(0.94), smooth=False, cap="strip")


def dog_bed(look: Look) -> Model:
    """Flat cushion inside a thick soft rim that is open in front."""
    rim = look.choose((p.FABRICS[0], p.FABRICS[3], p.FABRICS[7]), "rim")
    model = Model()
    model.pad((-0.82, -0.9, -0.82), (0.82, 0.0, 0.82), rim.mixed(p.CREAM, 0.6), 0.6, 1.0, 18)
    path = []
    for i in range(17):
        angle = math.radians(115 + 310 * i / 16)
        path.append((0.8 * math.cos(angle), 0.0, -0.8 * math.sin(angle) + 0.0))
    turned = [(-z, y, -x) for x, y, z in path]
    radii = [0.1, *[0.2] * 15, 0.1]
    ring = Model()
    ring.tube(turned, radii, rim, 8)
    model.add(ring, (1.0, 5.0, 1.0))
    return model.fit(look.size)


def pillow(look: Look) -> Model:
    """Soft cushion with pinched corners and a seam."""
    fabric = look.vary(look.choose(_PILLOWS, "pillow"))
    steps = 9
    grid = np.linspace(-1.0, 1.0, steps)
    rings = []
    for v in grid:
        row = []
        for u in grid:
            bulge = ((1 - u * u) * (1 - v * v)) ** 0.32
            pinch = 1.0 - 0.07 * (1 - u * u) * abs(v) ** 3
            pinch_x = 1.0 - 0.07 * (1 - v * v) * abs(u) ** 3
            row.append([u * pinch_x, bulge, v * pinch])
        rings.append(row + [[a, -b - 0.02, c] for a, b, c in reversed(row)])
    model = Model()
    model.loft(np.array(rings), fabric, cap="strip")
    trim = fabric.scaled(0.75)
    corners = [(0.98, 0.98), (0.9, 0.0), (0.98, -0.98), (0.0, -0.9), (-0.98, -0.98), (-0.9, 0.0)]
    corners += [(-0.98, 0.98), (0.0, 0.9)]
    model.tube([(a, 0.0, b) for a, b in corners], 0.025, trim, 5, closed=True)
    if look.share("button") > 0.4:
        model.ball((0.0, 0.98, 0.0), (0.1, 0.08, 0.1), trim, 8)
    return model.fit(look.size)


BUILDERS: dict[str, Builder] = {
    "ArmChair": arm_chair,
    "Bed": bed,
    "Chair": chair,
    "DogBed": dog_bed,
    "Footstool": footstool,
    "Ottoman": ottoman,
    "Pillow": pillow,
    "Sofa": sofa,
    "Stool": stool,
}
