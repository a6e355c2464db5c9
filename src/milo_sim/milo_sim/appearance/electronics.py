"""Screens, clocks, phones and lamps. Screens face +z."""

from __future__ import annotations

import math

from milo_sim.appearance import palette as p
from milo_sim.appearance import turns
from milo_sim.appearance.look import Builder, Look
from milo_sim.appearance.model import Model, Paint
from milo_sim.appearance.shapes import Point3

_LIT = Paint(0.22, 0.45, 0.80, emission=0.5)
_LIT_BAR = Paint(0.85, 0.88, 0.92, emission=0.5)
_LIT_GREEN = Paint(0.28, 0.60, 0.28, emission=0.5)
_KEY = Paint(0.12, 0.12, 0.13, specular=0.1)
_SHADES = (
    Paint(0.93, 0.88, 0.74, specular=0.03),
    Paint(0.90, 0.90, 0.86, specular=0.03),
    Paint(0.72, 0.35, 0.22, specular=0.03),
    Paint(0.45, 0.52, 0.40, specular=0.03),
)


def _screen(
    model: Model,
    low: tuple[float, float],
    high: tuple[float, float],
    face: float,
    look: Look,
    thick: float = 0.002,
) -> None:
    """Upright display (x, y corners) facing +z: dark, lit with a picture, or cracked."""
    (x0, y0), (x1, y1) = low, high
    width, height = x1 - x0, y1 - y0
    model.box((x0, y0, face - thick), (x1, y1, face), _LIT if look.on else p.DARK_GLASS)
    if look.on:
        ground = (x1, y0 + 0.35 * height, face + 0.5 * thick)
        model.box((x0, y0, face - thick), ground, _LIT_GREEN)
        top = (x0 + 0.6 * width, y1 - 0.1 * height, face + 0.5 * thick)
        model.box((x0 + 0.08 * width, y1 - 0.2 * height, face - thick), top, _LIT_BAR)
    if look.broken:
        middle = (x0 + 0.55 * width, y0 + 0.55 * height, face)
        for i in range(7):
            a = 0.9 * i
            tip = (
                middle[0] + 0.4 * width * math.cos(a),
                middle[1] + 0.4 * height * math.sin(a),
                face,
            )
            model.tube([middle, tip], [0.4 * thick, 0.2 * thick], p.WHITE, 4)


def laptop(look: Look) -> Model:
    """Keyboard base and a hinged screen; its box is that of the opened laptop."""
    x, y, z = look.half
    shell = look.choose((p.SILVER, p.BLACK, p.CHARCOAL, p.SILVER), "shell")
    base = min(0.022, 0.35 * y)
    model = Model()
    depth = 2 * z if look.openness < 0.5 else max(2 * z - 0.12 * look.size[1], z)
    front, back = z, z - depth
    model.pad((-x, -y, back), (x, -y + base, front), shell, 0.1, 0.1, 20)
    if look.openness < 0.5:
        corner = (x, min(-y + 1.9 * base, y), front)
        model.pad((-x, -y + 1.05 * base, back), corner, shell.scaled(0.9), 0.1, 0.1, 20)
        middle = (0.0, min(-y + 1.92 * base, y), (front + back) / 2)
        model.block(middle, (0.1 * x, 0.001, 0.1 * x), p.WHITE)
        return model
    _keyboard(model, (0.88 * x, -y + base), (back + 0.1 * depth, back + 0.58 * depth))
    pad_low, pad_high = back + 0.66 * depth, back + 0.93 * depth
    model.box(
        (-0.22 * x, -y + base, pad_low), (0.22 * x, -y + base + 0.001, pad_high), shell.scaled(0.75)
    )
    reach = back + z
    height = 2 * y - 0.5 * base
    lean = math.degrees(math.atan2(0.8 * reach, height)) if reach > 0.01 else 0.0
    length = 0.985 * height / math.cos(math.radians(lean))
    thick = min(0.009, 0.2 * height)
    lid = Model()
    lid.pad((-x, 0.0, -thick), (x, length, 0.0), shell, 0.1, 0.1, 20)
    lid.box((-0.96 * x, 0.03 * length, 0.0), (0.96 * x, 0.97 * length, 0.001), p.BLACK)
    _screen(lid, (-0.9 * x, 0.1 * length), (0.9 * x, 0.92 * length), 0.0025, look)
    model.add(lid, turn=turns.about_x(lean), at=(0.0, -y + 0.5 * base, back + thick))
    return model


def _keyboard(model: Model, size: tuple[float, float], depth: tuple[float, float]) -> None:
    """Five rows of keys on a surface; ``size`` is (half width, height of the surface)."""
    half, y = size
    low, high = depth
    model.box((-half, y, low), (half, y + 0.0005, high), p.CHARCOAL)
    row = (high - low) / 5
    for i in range(4):
        keys = 10
        pitch = 2 * half / keys
        for k in range(keys):
            left = -half + (k + 0.1) * pitch
            corner = (left + 0.8 * pitch, y + 0.003, low + (i + 0.85) * row)
            model.box((left, y, low + (i + 0.12) * row), corner, _KEY)
    model.box((-0.4 * half, y, high - 0.85 * row), (0.4 * half, y + 0.003, high - 0.12 * row), _KEY)


def television(look: Look) -> Model:
    """Wide thin screen in a black frame on a foot."""
    x, y, z = look.half
    frame = p.BLACK if look.share("frame") < 0.8 else p.SILVER
    foot = min(0.12, 0.25 * y) if look.size[2] > 0.12 else 0.0
    thick = min(0.06, 0.8 * z)
    back = -0.5 * thick
    model = Model()
    model.box((-x, -y + foot, back), (x, y, back + 0.92 * thick), frame)
    edge = min(0.035, 0.12 * y)
    face = back + thick
    low = (-x + edge, -y + foot + 1.3 * edge)
    _screen(model, low, (x - edge, y - edge), face, look, 0.08 * thick)
    if foot > 0.0:
        model.box(
            (-0.08 * x, -y, -0.3 * thick), (0.08 * x, -y + 1.5 * foot, 0.2 * thick), p.CHARCOAL
        )
        stand = Model()
        stand.rod((0.0, 0.0, 0.0), 1.0, 1.0, frame.scaled(1.2), count=20)
        model.add(stand, (0.45 * x, 0.2 * foot, z), at=(0.0, -y, 0.0))
    lamp = _LIT_GREEN if look.on else p.RED
    model.box(
        (0.9 * x, -y + foot + 0.3 * edge, face - 0.1 * thick),
        (0.92 * x, -y + foot + 0.7 * edge, face),
        lamp,
    )
    return model


def desktop(look: Look) -> Model:
    """Monitor with a keyboard before it and a computer tower on -x."""
    x, y, z = look.half
    model = Model()
    tower = -0.55 * x
    model.box((-x, -y, -z), (tower, 0.85 * y, z), p.CHARCOAL)
    model.box((-0.95 * x, 0.45 * y, z), (tower - 0.05 * x, 0.52 * y, 0.96 * z), p.SILVER)
    model.rod(
        ((tower - x) / 2, 0.1 * y, 0.96 * z),
        0.04 * z,
        0.05 * y,
        _LIT_GREEN if look.on else p.GRAY,
        axis="z",
    )
    left, right = -0.45 * x, x
    middle = (left + right) / 2
    model.box((left, -0.3 * y, -0.55 * z), (right, y, -0.3 * z), p.BLACK)
    low = (left + 0.05 * x, -0.2 * y)
    _screen(model, low, (right - 0.05 * x, 0.93 * y), -0.27 * z, look, 0.02 * z)
    model.box((middle - 0.06 * x, -y, -0.6 * z), (middle + 0.06 * x, 0.0, -0.5 * z), p.CHARCOAL)
    model.box((middle - 0.3 * x, -y, -0.9 * z), (middle + 0.3 * x, -0.96 * y, 0.0), p.CHARCOAL)
    board = Model()
    _keyboard(board, (0.62 * x, -0.95 * y), (0.28 * z, 0.95 * z))
    board.box((-0.65 * x, -y, 0.22 * z), (0.65 * x, -0.95 * y, z), p.GRAY)
    model.add(board, at=(middle, 0.0, 0.0))
    return model


def cell_phone(look: Look) -> Model:
    """Flat rounded slab, screen up, its top towards -z; icons when on."""
    x, _, z = look.half
    shell = look.choose((p.BLACK, p.SILVER, p.WHITE, p.RED.scaled(0.8)), "shell")
    model = Model()
    model.pad((-1.0, -1.0, -1.0), (1.0, 0.7, 1.0), shell, 0.15, 0.2, 20)
    face = Model()
    low, high = (-0.88, -0.84), (0.88, 0.80)
    _screen(face, low, high, 1.0, look, 0.2)
    if look.on:
        for i in range(4):
            for k in range(3):
                at = (-0.55 + 0.55 * k, 0.1 - 0.25 * i, 1.1)
                tone = (p.RED, p.YELLOW, p.WHITE, p.TEAL)[(i + k) % 4].glowing(0.4)
                face.block(at, (0.3, 0.13, 0.1), tone)
    model.add(face, turn=turns.Z_TO_Y)
    model.rod((0.0, 0.7, 0.92), 0.3, 0.05 * z / x, p.SILVER, count=10)
    model.box((-0.2, 0.7, -0.94), (0.2, 0.95, -0.91), p.GRAY)
    return model.fit(look.size)


def remote_control(look: Look) -> Model:
    """Long dark bar along z with rows of buttons and a ring pad."""
    x, _, z = look.half
    shell = look.choose((p.BLACK, p.CHARCOAL, p.SILVER), "shell")
    model = Model()
    model.pad((-1.0, -1.0, -1.0), (1.0, 0.6, 1.0), shell, 0.35, 0.3, 16)
    flat = x / z
    power = Model()
    power.rod((0.0, 0.0, 0.0), 1.0, 1.0, p.RED, count=10)
    model.add(power, (0.2, 0.4, 0.2 * flat), at=(0.5, 0.55, -0.86))
    pad = Model()
    pad.revolve(((0.5, 0.0), (1.0, 0.0), (1.0, 0.4), (0.5, 0.4)), p.GRAY)
    pad.rod((0.0, 0.0, 0.0), 0.35, 0.35, p.WHITE)
    model.add(pad, (0.62, 1.0, 0.62 * flat), at=(0.0, 0.55, -0.5))
    tones = (p.GRAY, p.GRAY, p.GRAY, p.GRAY)
    for row in range(5):
        for column in range(3):
            at = (-0.55 + 0.55 * column, 0.7, -0.12 + 0.2 * row)
            paint = (p.BLUE, p.GREEN, p.YELLOW)[column] if row == 4 else tones[row % 4]
            model.block(at, (0.34, 0.5, 0.12), paint)
    return model.fit(look.size)


def alarm_clock(look: Look) -> Model:
    """Round twin-bell clock, or a digital block where the box is clearly wider than high."""
    if look.size[0] > 1.3 * look.size[1]:
        return _digital_clock(look)
    color = look.choose((p.RED, p.TEAL, p.CHROME, p.BLACK), "case")
    model = Model()
    model.rod((0.0, -0.1, -0.7), 1.4, 0.78, color, axis="z", count=20)
    model.rod((0.0, -0.1, 0.68), 0.1, 0.66, p.WHITE, axis="z", count=20)
    for i in range(12):
        a = i * math.pi / 6
        at = (0.56 * math.sin(a), -0.1 + 0.56 * math.cos(a), 0.78)
        model.block(at, (0.05, 0.05, 0.06), p.BLACK)
    model.box((-0.04, -0.1, 0.78), (0.04, 0.38, 0.86), p.BLACK)
    model.box((0.0, -0.14, 0.78), (0.36, -0.06, 0.84), p.BLACK)
    for side in (-1.0, 1.0):
        bell = Model()
        bell.revolve(((0.0, 0.0), (0.36, 0.0), (0.3, 0.22), (0.0, 0.32)), p.CHROME)
        model.add(bell, turn=turns.about_z(-28 * side), at=(side * 0.44, 0.62, 0.0))
        foot = [(side * 0.45, -0.7, 0.0), (side * 0.65, -1.0, 0.0)]
        model.tube(foot, 0.09, p.CHROME)
    model.tube([(-0.2, 0.95, 0.0), (0.0, 1.05, 0.0), (0.2, 0.95, 0.0)], 0.05, p.CHROME)
    return model.fit(look.size)


_SEGMENTS = ((0, 2, 3, 4, 5, 6), (5, 6), (0, 1, 2, 4, 5), (0, 1, 2, 5, 6))


def _digital_clock(look: Look) -> Model:
    """Block with glowing digits 10:23 and a snooze bar on top."""
    model = Model()
    shell = look.choose((p.BLACK, p.CHARCOAL, p.WALNUT), "case")
    model.pad((-1.0, -1.0, -1.0), (1.0, 0.9, 0.9), shell, 0.2, 0.15, 16)
    model.box((-0.9, -0.7, 0.85), (0.9, 0.7, 0.93), p.DARK_GLASS)
    model.box((-0.5, 0.88, -0.5), (0.5, 1.0, 0.3), p.SILVER)
    digits = (1, 0, 2, 3)
    lit = Paint(0.95, 0.15, 0.10, emission=1.0)
    for place, digit in enumerate(digits):
        middle = (0.66, 0.26, -0.26, -0.66)[place]
        for segment in _SEGMENTS[digit]:
            model.block(*_segment(segment, middle), lit)
    for y in (-0.2, 0.2):
        model.block((0.0, y, 0.96), (0.06, 0.1, 0.06), lit)
    return model.fit(look.size)


def _segment(index: int, middle: float) -> tuple[Point3, Point3]:
    """Centre and size of one bar of a seven-segment digit.

    0 top, 1 middle, 2 bottom, 3 and 4 upper and lower on the reader's left (+x), 5 and 6 right.
    """
    if index < 3:
        return (middle, 0.45 - 0.45 * index, 0.96), (0.24, 0.1, 0.06)
    side = 0.12 if index in (3, 4) else -0.12
    upper = index in (3, 5)
    return (middle + side, 0.22 if upper else -0.22, 0.96), (0.07, 0.4, 0.06)


def _shade(model: Model, look: Look, low: float, high: float) -> None:
    """Hollow lamp shade of unit radius, narrower on top, around a bulb."""
    shade = look.choose(_SHADES, "shade")
    if look.on:
        shade = shade.mixed(p.WARM_LIGHT, 0.5).glowing(0.45)
    profile = ((0.96, low), (1.0, low), (0.72, high), (0.68, high))
    model.revolve(profile, shade, count=20)
    bulb = p.WARM_LIGHT if look.on else p.WHITE
    middle = (low + high) / 2
    model.ball((0.0, middle, 0.0), (0.22, 0.35 * (high - low), 0.22), bulb, 10)
    for i in range(3):
        a = 2 * math.pi * i / 3
        tip = (0.78 * math.cos(a), low + 0.75 * (high - low), 0.78 * math.sin(a))
        model.tube([(0.0, low + 0.75 * (high - low), 0.0), tip], 0.015, p.DARK_STEEL, 4)


def floor_lamp(look: Look) -> Model:
    """Shade on a long thin pole over a round foot."""
    model = Model()
    metal = (
        p.wood(look) if look.made_of("Wood") else look.choose((p.IRON, p.BRASS, p.STEEL), "pole")
    )
    model.revolve(((0.0, -1.0), (0.62, -1.0), (0.62, -0.98), (0.12, -0.955), (0.0, -0.955)), metal)
    model.rod((0.0, -0.97, 0.0), 1.72, 0.045, metal, count=8)
    _shade(model, look, 0.62, 1.0)
    return model.fit(look.size)


def desk_lamp(look: Look) -> Model:
    """Small shade on a bulbous foot; a bare metal one has a jointed arm and a cone."""
    model = Model()
    if not look.made_of("Fabric") and look.made_of("Metal"):
        return _arm_lamp(look)
    foot = look.choose((p.BRASS, p.CERAMIC, p.TEAL, p.BRONZE), "foot")
    profile = ((0.0, -1.0), (0.5, -1.0), (0.5, -0.94), (0.25, -0.86), (0.42, -0.6), (0.4, -0.35))
    model.revolve((*profile, (0.12, -0.1), (0.1, 0.25), (0.0, 0.25)), foot)
    _shade(model, look, 0.1, 1.0)
    return model.fit(look.size)


def _arm_lamp(look: Look) -> Model:
    color = look.choose((p.BLACK, p.RED, p.STEEL), "arm")
    model = Model()
    model.rod((0.0, -1.0, -0.4), 0.1, 0.55, color)
    model.tube([(0.0, -0.9, -0.4), (0.0, 0.1, -0.85), (0.0, 0.85, 0.1)], 0.05, p.STEEL)
    model.ball((0.0, 0.1, -0.85), (0.09, 0.09, 0.09), color, 8)
    head = Model()
    head.revolve(
        ((0.0, 0.2), (0.12, 0.2), (0.5, -0.4), (0.44, -0.4), (0.08, 0.1), (0.0, 0.1))[::-1], color
    )
    head.ball((0.0, -0.15, 0.0), (0.14, 0.18, 0.14), p.WARM_LIGHT if look.on else p.WHITE, 8)
    model.add(head, turn=turns.about_x(-30), at=(0.0, 0.8, 0.35))
    return model.fit(look.size)


def light_switch(look: Look) -> Model:
    """White plate on the wall with a rocker, up when on."""
    model = Model()
    model.pad((-1.0, -1.0, -1.0), (1.0, 1.0, -0.2), p.IVORY, 0.15, 0.1, 20)
    rockers = 2 if look.size[0] > 1.1 * look.size[1] else 1
    for i in range(rockers):
        x = (i - (rockers - 1) / 2) * 1.0
        model.box((x - 0.32, -0.5, -0.25), (x + 0.32, 0.5, 0.05), p.IVORY.scaled(0.85))
        high = 0.08 if look.on else -0.42
        model.box((x - 0.22, high, 0.0), (x + 0.22, high + 0.34, 1.0), p.WHITE)
        lamp = p.WARM_LIGHT if look.on else p.GRAY
        model.box(
            (x - 0.06, -0.46 if look.on else 0.34, 0.0),
            (x + 0.06, -0.34 if look.on else 0.46, 0.12),
            lamp,
        )
    for y in (-0.8, 0.8):
        model.rod((0.0, y, -0.2), 0.12, 0.06, p.GRAY, axis="z", count=8)
    return model.fit(look.size)


BUILDERS: dict[str, Builder] = {
    "AlarmClock": alarm_clock,
    "CellPhone": cell_phone,
    "DeskLamp": desk_lamp,
    "Desktop": desktop,
    "FloorLamp": floor_lamp,
    "Laptop": laptop,
    "LightSwitch": light_switch,
    "RemoteControl": remote_control,
    "Television": television,
}
