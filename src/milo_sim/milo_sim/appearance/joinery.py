"""Closed containers: cupboards, drawers, fridges, cartons, hampers. Fronts are at +z."""

from __future__ import annotations

import math

from milo_sim.appearance import palette as p
from milo_sim.appearance import turns
from milo_sim.appearance.look import Builder, Look
from milo_sim.appearance.model import Model, Paint
from milo_sim.opening import DOOR_SHARE

_THIN_BOARD = 0.008
"""Boards of cupboards, so thin that what stands on the box's bottom isn't hidden [m]."""


def closed_depth(look: Look) -> float:
    """Depth of the body behind an opened door, whose swing has made the box deeper [m]."""
    reach = DOOR_SHARE * look.size[0] * math.sin(math.radians(90.0 * look.openness))
    return max(look.size[2] - reach, 0.25 * look.size[2])


def _swing(
    model: Model, door: Model, hinge: tuple[float, float], side: float, angle: float
) -> None:
    """Hang a door that is modelled closed, from x = 0 (hinge) to -side * width, at a hinge."""
    model.add(door, turn=turns.about_y(side * angle), at=(hinge[0], 0.0, hinge[1]))


def _panel_door(width: float, low: float, high: float, side: float, look: Look) -> Model:
    """Framed door hinged at x = 0 whose outside is at z = 0; ``side`` +1 hinges on +x."""
    paint = p.joinery(look)
    thick = min(0.02, 0.2 * width)
    rail = min(0.06, 0.2 * width, 0.2 * (high - low))
    far = -side * width
    model = Model()
    model.box((0.0, low, -thick), (far, high, -0.4 * thick), paint.scaled(0.93))
    model.box((0.0, low, -0.4 * thick), (-side * rail, high, 0.0), paint)
    model.box((far, low, -0.4 * thick), (far + side * rail, high, 0.0), paint)
    inner = (-side * rail, far + side * rail)
    model.box((inner[0], low, -0.4 * thick), (inner[1], low + rail, 0.0), paint)
    model.box((inner[0], high - rail, -0.4 * thick), (inner[1], high, 0.0), paint)
    return model


def cabinet(look: Look) -> Model:
    """Hollow cupboard with one framed door, or two when wide; they swing to the front."""
    x, y, z = look.half
    depth = closed_depth(look)
    angle = 90.0 * look.openness
    pull = min(0.02, 0.15 * depth)
    face = -z + depth - pull
    paint = p.joinery(look)
    model = Model()
    board = min(_THIN_BOARD, 0.1 * min(x, y))
    inside = paint.scaled(0.8)
    model.niche((-x, -y, -z), (x, y, face - min(0.02, 0.3 * depth)), board, inside)
    gap = min(0.004, 0.05 * x)
    doors = 2 if look.size[0] > 0.62 else 1
    width = min(x if doors == 2 else 2 * x, 2 * x * (1.0 - (1.0 - DOOR_SHARE) * look.openness))
    for side in (1.0, -1.0)[:doors]:
        door = _panel_door(width - gap, -y + gap, y - gap, side, look)
        grip = min(0.14, 0.5 * y)
        at_x = -side * (width - min(0.035, 0.12 * width))
        door.block((at_x, -0.2 * y, 0.5 * pull), (0.012, grip, 0.9 * pull), p.handle(look))
        _swing(model, door, (side * (x - 0.5 * gap), face), side, angle)
    return model


def drawer(look: Look) -> Model:
    """Tray, open on top, behind a framed front with a knob or a bar."""
    x, y, z = look.half
    paint = p.joinery(look)
    pull = min(0.022, 0.12 * z)
    thick = min(0.02, 0.1 * z)
    face = z - pull
    wall = min(0.012, 0.1 * x)
    model = Model()
    back = (-0.96 * x, -y + 0.02 * y, -z)
    model.tray(back, (0.96 * x, 0.6 * y, face - thick), wall, p.PINE.scaled(1.1), 0.006)
    model.box((-x, -y, face - thick), (x, y, face - 0.3 * thick), paint.scaled(0.93))
    rail = min(0.03, 0.25 * y)
    for side in (-1.0, 1.0):
        model.box((-x, side * y, face - 0.3 * thick), (x, side * (y - rail), face), paint)
        low = (side * x, -y + rail, face - 0.3 * thick)
        model.box(low, (side * (x - rail), y - rail, face), paint)
    if look.size[0] > 0.45:
        model.block((0.0, 0.0, face + 0.5 * pull), (0.16, 0.014, pull), p.handle(look))
    else:
        knob = min(0.016, 0.4 * y)
        model.rod((0.0, 0.0, face - 0.3 * thick), pull * 0.6, 0.4 * knob, p.handle(look), axis="z")
        model.ball((0.0, 0.0, face + 0.5 * pull), (knob, knob, 0.5 * pull), p.handle(look), 10)
    return model


_FRIDGES = (
    Paint(0.90, 0.89, 0.84, shininess=0.6, specular=0.4),
    Paint(0.70, 0.71, 0.73, shininess=0.6, specular=0.6),
    Paint(0.90, 0.89, 0.84, shininess=0.6, specular=0.4),
    Paint(0.10, 0.10, 0.11, shininess=0.6, specular=0.5),
)


def _fridge_door(width: float, low: float, high: float, paint: Paint) -> Model:
    """Thick door hinged at x = 0 that reaches to -x, its outside at z = 0, handle at its end."""
    thick = min(0.06, 0.2 * width)
    model = Model()
    model.pad((-width, low, -thick), (0.0, high, 0.0), paint, 0.12, 0.12, 20)
    inner = (-0.92 * width, low + 0.05 * (high - low), -1.15 * thick)
    model.box(inner, (-0.08 * width, high - 0.05 * (high - low), -0.9 * thick), p.IVORY)
    for i in range(2):
        level = low + (0.25 + 0.4 * i) * (high - low)
        rack = (-0.15 * width, level + 0.05 * (high - low), -1.15 * thick)
        model.box((-0.85 * width, level, -1.6 * thick), rack, p.SILVER)
    bar, reach = min(0.014, 0.1 * (high - low)), 0.028
    x = -0.92 * width
    inset = 0.12 * (high - low)
    path = [(x, low + inset, 0.0), (x, low + inset, reach - bar)]
    path += [(x, high - inset, reach - bar), (x, high - inset, 0.0)]
    model.tube(path, bar, p.CHROME)
    return model


def fridge(look: Look) -> Model:
    """Freezer above, cooler below; doors hinged on +x open on white walls and wire shelves."""
    x, y, z = look.half
    depth = closed_depth(look)
    paint = look.choose(_FRIDGES, "fridge")
    handle = min(0.03, 0.1 * depth)
    thick = min(0.06, 0.2 * depth)
    face = -z + depth - handle
    front = face - thick
    foot = min(0.06, 0.1 * y)
    split = -y + 2 * y * look.choose((0.68, 0.66, 0.70), "split")
    model = Model()
    model.box((-0.95 * x, -y, -z), (0.95 * x, -y + foot, front), p.CHARCOAL)
    model.niche((-x, -y + foot, -z), (x, y, front), 0.035, paint)
    inner = x - min(0.035, 0.2 * x)
    model.box((-inner, split - 0.02, -z + 0.035), (inner, split + 0.02, front), p.IVORY)
    model.box((-inner, -y + foot + 0.03, -z + 0.03), (inner, y - 0.03, -z + 0.04), p.IVORY)
    _fridge_racks(model, inner, (-y + foot + 0.05, split), (-z + 0.05, front - 0.02))
    width = 2 * x * (1.0 - (1.0 - DOOR_SHARE) * look.openness)
    gap = min(0.006, 0.03 * y)
    for low, high in ((-y + foot, split - gap), (split + gap, y)):
        door = _fridge_door(width, low, high, paint)
        _swing(model, door, (x, face), 1.0, 90.0 * look.openness)
    return model


def _fridge_racks(
    model: Model, x: float, heights: tuple[float, float], depths: tuple[float, float]
) -> None:
    """Glass shelves with a metal edge, and a crisper drawer on the bottom."""
    low, high = heights
    for i in range(1, 4):
        y = low + i * (high - low) / 4
        model.box((-x, y, depths[0]), (x, y + 0.006, depths[1]), p.GLASS.clear(0.4))
        model.box((-x, y - 0.004, depths[1] - 0.012), (x, y + 0.01, depths[1]), p.SILVER)
    corner = (0.96 * x, low + 0.16 * (high - low), depths[1] - 0.02)
    model.box((-0.96 * x, low, depths[1] - 0.03), corner, p.GLASS.mixed(p.TEAL, 0.2).clear(0.5))


def safe(look: Look) -> Model:
    """Steel box with a round dial and a three-armed wheel; the opened door stands in front."""
    x, y, z = look.half
    steel = look.choose((p.CHARCOAL, p.DARK_STEEL, p.GREEN.scaled(0.45)), "safe")
    open_now = look.openness > 0.05
    knob = 0.12 * z
    front = z - (0.55 * z if open_now else 0.0) - knob
    model = Model()
    model.niche((-x, -y, -z), (x, y, front), 0.1 * min(x, y), steel)
    model.box((-0.9 * x, -0.05 * y, -0.8 * z), (0.9 * x, 0.0, front - 0.05 * z), p.SILVER)
    door = Model()
    wide = 0.64 * z if open_now else 1.76 * x
    door.box((-wide, -0.86 * y, -0.1 * z), (0.0, 0.86 * y, 0.0), steel.scaled(1.7))
    dial = Model()
    dial.rod((0.0, 0.0, 0.0), 0.45 * knob, 0.3 * y, p.SILVER, axis="z", count=18)
    dial.rod((0.0, 0.0, 0.45 * knob), 0.2 * knob, 0.08 * y, p.BLACK, axis="z")
    for i in range(8):
        a = 2 * math.pi * i / 8
        at = (0.23 * y * math.cos(a), 0.23 * y * math.sin(a), 0.5 * knob)
        dial.block(at, (0.035 * y, 0.035 * y, 0.1 * knob), p.BLACK)
    for i in range(3):
        a = math.pi / 2 + 2 * math.pi * i / 3
        tip = (0.28 * y * math.cos(a), 0.28 * y * math.sin(a), 0.65 * knob)
        dial.tube(
            [(0.0, -0.45 * y, 0.65 * knob), (tip[0], tip[1] - 0.45 * y, tip[2])], 0.04 * y, p.CHROME
        )
    door.add(dial, (min(1.0, wide / (0.6 * y)), 1.0, 1.0), at=(-0.5 * wide, 0.2 * y, 0.0))
    _swing(model, door, (0.88 * x, front + 0.05 * z), 1.0, 82.0 if open_now else 0.0)
    return model


def carton(look: Look) -> Model:
    """Cardboard box: a tray with four flaps, folded out when open and shut when closed."""
    x, y, z = look.half
    board = look.vary(p.CARDBOARD, 0.15)
    model = Model()
    if look.openness < 0.5:
        model.box((-x, -y, -z), (x, 0.97 * y, z), board)
        model.box((-x, 0.97 * y, -0.02 * z), (x, y, 0.02 * z), board.scaled(0.6))
        tape = p.CREAM.mixed(p.CARDBOARD, 0.5)
        model.box((-x, 0.97 * y, -0.14 * z), (x, 0.995 * y, 0.14 * z), tape)
        return model
    flap, lean = 0.16, 0.42
    bx, bz = x * (1 - flap), z * (1 - flap)
    rim = y * (1 - lean)
    wall = min(0.008, 0.1 * bx)
    model.tray((-bx, -y, -bz), (bx, rim, bz), wall, board, wall)
    fold = board.scaled(1.12)
    for side in (-1.0, 1.0):
        edge = [(side * bx, rim), (side * (bx - wall), rim), (side * (x - wall), y), (side * x, y)]
        model.prism(edge, -bz, bz, fold, axis="z")
        edge = [(side * bz, rim), (side * (bz - wall), rim), (side * (z - wall), y), (side * z, y)]
        model.prism(edge, -bx, bx, fold, axis="x")
    model.box((-0.4 * bx, -0.3 * y, bz), (0.4 * bx, 0.1 * y, bz + 0.002), board.scaled(0.7))
    return model


def laundry_hamper(look: Look) -> Model:
    """Woven basket, open on top; its lid lies closed on it or leans behind."""
    x, y, z = look.half
    weave = look.choose((p.PINE, p.CREAM, p.OAK), "weave")
    model = Model()
    lid = min(0.04, 0.1 * y)
    top = y - 1.5 * lid if look.openness < 0.5 else y - 0.45 * y
    model.tray((-0.9 * x, -y, -0.9 * z), (0.9 * x, top, 0.9 * z), 0.012, p.CREAM)
    bands = 6
    step = (top + y) / bands
    for i in range(bands):
        low, high = -y + i * step, -y + (i + 0.8) * step
        tone = weave if i % 2 else weave.scaled(0.82)
        for side in (-1.0, 1.0):
            model.box((-0.96 * x, low, side * 0.9 * z), (0.96 * x, high, side * 0.96 * z), tone)
            model.box((side * 0.9 * x, low, -0.9 * z), (side * 0.96 * x, high, 0.9 * z), tone)
    if look.openness < 0.5:
        model.box((-x, y - 1.5 * lid, -z), (x, y - 0.4 * lid, z), weave)
        model.block((0.0, y - 0.2 * lid, 0.7 * z), (0.4 * x, 0.4 * lid, 0.1 * z), weave.scaled(0.6))
    else:
        model.box((-x, top, -z), (x, y, -z + 0.06 * z), weave)
    return model


BUILDERS: dict[str, Builder] = {
    "Box": carton,
    "Cabinet": cabinet,
    "Drawer": drawer,
    "Fridge": fridge,
    "LaundryHamper": laundry_hamper,
    "Safe": safe,
}
