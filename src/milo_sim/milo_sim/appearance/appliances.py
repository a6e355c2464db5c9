"""Kitchen and cleaning appliances, stove parts, bins. Fronts are at +z."""

from __future__ import annotations

import math

import numpy as np

from milo_sim.appearance import palette as p
from milo_sim.appearance import turns
from milo_sim.appearance.look import Builder, Look
from milo_sim.appearance.model import Model, Paint


def microwave(look: Look) -> Model:
    """Case with a dark window, a handle and a column of buttons on the viewer's right.

    Its box keeps the closed shape, so an opened one shows its inside behind a narrowed door.
    """
    x, y, z = look.half
    case = look.choose((p.SILVER, p.BLACK, p.WHITE, p.SILVER), "case")
    grip = min(0.03, 0.1 * z)
    split = -0.48 * x
    is_open = look.openness > 0.05
    face = z - grip - (0.45 * z if is_open else 0.0)
    model = Model()
    model.box((-x, -0.94 * y, -z), (split, y, face), case)
    room = Model()
    room.niche((split, -0.94 * y, -z), (x, y, face), 0.02, case)
    model.add(room)
    lining = p.WARM_LIGHT.scaled(0.95) if look.on else p.IVORY
    model.box((split + 0.02, -0.9 * y, -z + 0.021), (x - 0.02, 0.95 * y, -z + 0.03), lining)
    model.rod(
        ((split + x) / 2, -0.93 * y + 0.021, (face - z) / 2),
        0.006,
        0.7 * min((x - split) / 2, (face + z) / 2),
        p.GLASS.clear(0.7),
        count=18,
    )
    for sx in (-0.85, 0.85):
        model.box(
            (sx * x - 0.05 * x, -y, -0.8 * z), (sx * x + 0.05 * x, -0.94 * y, 0.3 * z), p.BLACK
        )
    _keypad(model, look, (-0.97 * x, split - 0.03 * x), face)
    frame = case.scaled(0.85)
    if is_open:
        model.box((x - 0.02, -0.92 * y, face), (x, 0.98 * y, z), frame)
        model.box(
            (x - 0.024, -0.7 * y, face + 0.05 * z), (x - 0.02, 0.75 * y, z - 0.05 * z), p.DARK_GLASS
        )
        return model
    window = p.DARK_GLASS if not look.on else p.WARM_LIGHT.mixed(p.DARK_GLASS, 0.35)
    model.box((split, -0.92 * y, face - 0.012), (x, 0.98 * y, face - 0.002), frame)
    model.box(
        (split + 0.22 * x, -0.68 * y, face - 0.002), (0.9 * x, 0.74 * y, face + 0.001), window
    )
    bar = (split + 0.09 * x, -0.6 * y, face)
    model.tube(
        [
            bar,
            (bar[0], bar[1], z - 0.3 * grip),
            (bar[0], 0.65 * y, z - 0.3 * grip),
            (bar[0], 0.65 * y, face),
        ],
        0.3 * grip,
        p.CHROME,
    )
    return model


def _keypad(model: Model, look: Look, span: tuple[float, float], face: float) -> None:
    """Clock display and rows of buttons."""
    _, y, _ = look.half
    left, right = span
    width = right - left
    clock = Paint(0.25, 0.95, 0.55, emission=0.9) if look.on else Paint(0.12, 0.35, 0.25)
    model.box((left, -0.85 * y, face), (right, 0.9 * y, face + 0.002), p.CHARCOAL)
    low = (left + 0.12 * width, 0.5 * y, face + 0.002)
    model.box(low, (right - 0.12 * width, 0.78 * y, face + 0.004), clock)
    for row in range(4):
        for column in range(3):
            x0 = left + (0.12 + 0.27 * column) * width
            y0 = (0.2 - 0.26 * row) * y
            corner = (x0 + 0.2 * width, y0 + 0.15 * y, face + 0.005)
            model.box((x0, y0, face + 0.002), corner, p.SILVER)


def toaster(look: Look) -> Model:
    """Rounded case, long along z, with two slots on top and a lever in front."""
    shell = look.choose((p.STEEL, p.RED.scaled(0.8), p.STEEL, p.BLACK), "shell")
    model = Model()
    model.pad((-1.0, -0.9, -0.97), (1.0, 1.0, 0.92), shell, 0.35, 0.3, 18)
    model.box((-0.92, -1.0, -0.92), (0.92, -0.78, 0.88), p.BLACK)
    slot = p.RED_HOT if look.on else p.BLACK
    for x in (-0.36, 0.36):
        model.box((x - 0.2, 0.985, -0.72), (x + 0.2, 1.0, 0.68), p.CHROME)
        model.box((x - 0.13, 0.99, -0.66), (x + 0.13, 1.008, 0.62), slot)
    model.box((-0.08, -0.55, 0.9), (0.08, 0.6, 0.93), p.GRAY)
    lever = -0.4 if look.on else 0.4
    model.box((-0.28, lever, 0.9), (0.28, lever + 0.15, 1.0), p.CHROME)
    model.rod((0.5, -0.4, 0.9), 0.06, 0.14, p.DARK_STEEL, axis="z")
    return model.fit(look.size)


def coffee_machine(look: Look) -> Model:
    """C-shaped machine: tank behind, brewing head on top, a glass jug below it."""
    dark = look.choose((p.BLACK, p.CHARCOAL, p.RED.scaled(0.7), p.BLACK), "case")
    model = Model()
    model.pad((-1.0, -1.0, -1.0), (1.0, 0.95, -0.25), dark, 0.2, 0.2, 16)
    model.pad((-1.0, 0.35, -0.7), (1.0, 1.0, 0.92), dark, 0.25, 0.25, 16)
    model.pad((-1.0, -1.0, -0.7), (1.0, -0.82, 1.0), dark, 0.3, 0.2, 16)
    model.box((-0.75, -0.82, -0.2), (0.75, -0.79, 0.85), p.STEEL)
    jug = Model()
    glass = p.GLASS.clear(0.4)
    jug.revolve(
        ((0.0, -1.0), (0.85, -1.0), (1.0, -0.5), (0.85, 0.5), (0.6, 0.9), (0.0, 0.9)), glass
    )
    jug.revolve(
        ((0.0, -0.95), (0.8, -0.95), (0.93, -0.5), (0.9, 0.0), (0.0, 0.0)), p.LIQUIDS["coffee"]
    )
    jug.rod((0.0, 0.88, 0.0), 0.14, 0.64, p.BLACK)
    jug.tube([(0.0, 0.7, 0.7), (0.0, 0.7, 1.3), (0.0, -0.5, 1.35), (0.0, -0.5, 0.95)], 0.1, p.BLACK)
    model.add(jug, (0.52, 0.5, 0.48), at=(0.0, -0.29, 0.28))
    model.cone((0.0, 0.2, 0.28), 0.18, 0.25, 0.5, p.CHARCOAL)
    lamp = Paint(0.2, 0.9, 0.3, emission=1.0) if look.on else p.GRAY
    model.box((-0.6, 0.55, 0.9), (0.6, 0.85, 0.95), p.SILVER)
    model.rod((0.35, 0.7, 0.94), 0.05, 0.1, lamp, axis="z")
    model.rod((-0.3, 0.7, 0.94), 0.04, 0.12, p.BLACK, axis="z")
    return model.fit(look.size)


def stove_burner(look: Look) -> Model:
    """Black drip pan with a grate of rings and bars; red rings when on."""
    model = Model()
    hot = p.RED_HOT if look.on else p.IRON
    model.revolve(
        ((0.0, -1.0), (1.0, -1.0), (0.96, -0.3), (0.8, -0.6), (0.0, -0.6)), p.STEEL, count=20
    )
    for i, radius in enumerate((0.28, 0.5, 0.72)):
        ring = Model()
        ring.hoop((0.0, 0.0, 0.0), radius, 0.075, hot, count=18)
        model.add(ring, (1.0, 6.5, 1.0), at=(0.0, 0.2 + 0.01 * i, 0.0))
    for i in range(4):
        angle = math.pi / 4 + i * math.pi / 2
        at = (0.55 * math.cos(angle), 0.6, 0.55 * math.sin(angle))
        model.block(at, (0.7, 0.8, 0.06), p.BLACK, turns.about_y(-math.degrees(angle)))
    return model.fit(look.size)


def stove_knob(look: Look) -> Model:
    """Round knob with a grip bar and a mark, facing +z, or up in a flat box; turned when on."""
    model = Model()
    model.rod((0.0, -1.0, 0.0), 0.5, 1.0, p.SILVER, count=18)
    model.cone((0.0, -0.5, 0.0), 0.9, 0.85, 0.75, p.BLACK, count=18)
    grip = Model()
    grip.box((-0.22, 0.3, -0.8), (0.22, 1.0, 0.8), p.BLACK)
    grip.box((-0.06, 1.0, 0.2), (0.06, 1.03, 0.78), p.RED_HOT if look.on else p.WHITE)
    model.add(grip, turn=turns.about_y(100.0 if look.on else 10.0))
    x, y, z = look.size
    if y <= 0.8 * min(x, z):
        return model.fit(look.size)
    turned = Model()
    turned.add(model, turn=turns.Y_TO_X if x < 0.8 * z else turns.Y_TO_Z)
    return turned.fit(look.size)


def _front_loader(look: Look, glass: Paint, panel: Paint) -> Model:
    x, y, z = look.half
    case = look.choose((p.WHITE, p.WHITE, p.SILVER), "case")
    r = 0.62 * min(x, y)
    ring = min(0.04, 0.12 * z)
    face = z - ring
    model = Model()
    model.box((-x, -0.95 * y, -z), (x, y, face), case)
    for sx in (-0.8, 0.8):
        for sz in (-0.8, 0.7):
            model.box(
                (sx * x - 0.06 * x, -y, sz * z),
                (sx * x + 0.06 * x, -0.95 * y, sz * z + 0.08),
                p.BLACK,
            )
    model.box((-0.97 * x, 0.72 * y, face), (0.97 * x, 0.96 * y, face + 0.3 * ring), panel)
    model.rod((0.55 * x, 0.84 * y, face + 0.2 * ring), 0.6 * ring, 0.09 * y, p.CHROME, axis="z")
    lamp = Paint(0.3, 0.9, 0.4, emission=1.0) if look.on else p.DARK_GLASS
    model.box((-0.3 * x, 0.79 * y, face + 0.3 * ring), (0.2 * x, 0.9 * y, face + 0.4 * ring), lamp)
    door = ((0.72 * r, 0.0), (r, 0.0), (r, 0.6 * ring), (0.72 * r, ring))
    model.revolve(door, p.CHROME, at=(0.0, -0.1 * y, face), axis="z", count=22)
    model.revolve(
        ((0.0, -0.2 * ring), (0.74 * r, -0.2 * ring), (0.72 * r, 0.5 * ring), (0.0, 0.8 * ring)),
        glass,
        at=(0.0, -0.1 * y, face),
        axis="z",
        count=22,
    )
    return model


def washing_machine(look: Look) -> Model:
    """White front loader: round bull's-eye of dark glass, soap drawer and dial above."""
    model = _front_loader(look, p.DARK_GLASS.mixed(p.BLUE, 0.25), p.SILVER)
    x, y, z = look.half
    face = z - min(0.04, 0.12 * z)
    model.box((-0.92 * x, 0.76 * y, face), (-0.45 * x, 0.92 * y, face + 0.012), p.WHITE)
    model.box((-0.8 * x, 0.78 * y, face + 0.012), (-0.57 * x, 0.81 * y, face + 0.016), p.GRAY)
    return model


def clothes_dryer(look: Look) -> Model:
    """Like the washer, with a white solid door and a lint grille at the bottom."""
    model = _front_loader(look, p.WHITE.scaled(0.95), p.CHARCOAL)
    x, y, z = look.half
    face = z - min(0.04, 0.12 * z)
    for i in range(5):
        low = (-0.75 * x, -0.9 * y + 0.035 * y * i, face)
        model.box(low, (0.75 * x, low[1] + 0.015 * y, face + 0.006), p.GRAY)
    return model


def vacuum_cleaner(look: Look) -> Model:
    """Upright cleaner: floor head, clear dust cup, slim body, long handle with a loop."""
    model = Model()
    model.pad((-1.0, -1.0, 0.1), (1.0, -0.84, 1.0), p.CHARCOAL, 0.3, 0.2)
    model.box((-0.95, -0.99, 0.85), (0.95, -0.9, 1.0), p.RED)
    for x in (-0.75, 0.75):
        model.rod((x - 0.08, -0.88, -0.1), 0.16, 0.11, p.RUBBER, axis="x")
    lean = np.array([[1.0, 0.0, 0.0], [0.0, 0.98, 0.2], [0.0, -0.2, 0.98]])
    body = Model()
    body.pad((-0.5, -0.85, -0.45), (0.5, 0.0, 0.0), p.RED, 0.4, 0.4)
    cup = p.GLASS.clear(0.45)
    body.rod((0.0, -0.7, 0.05), 0.55, 0.3, cup)
    body.rod((0.0, -0.68, 0.05), 0.2, 0.25, p.GRAY)
    body.rod((0.0, -0.15, 0.05), 0.1, 0.32, p.CHARCOAL)
    body.tube([(0.0, 0.0, -0.2), (0.0, 0.7, -0.2)], 0.07, p.SILVER)
    loop = [(0.0, 0.68, -0.2), (0.0, 0.8, -0.05), (0.0, 0.95, -0.1), (0.0, 0.95, -0.35)]
    body.tube([*loop, (0.0, 0.75, -0.38)], 0.07, p.BLACK, closed=True)
    model.add(body, turn=lean.T, at=(0.0, 0.05, 0.0))
    return model.fit(look.size)


def garbage_can(look: Look) -> Model:
    """Bin, open on top: round pedal bin of metal or tapered plastic with a rim."""
    metal = look.made_of("Metal")
    model = Model()
    if metal and abs(look.size[0] - look.size[2]) < 0.2 * look.size[0]:
        body = ((0.95, -0.97), (1.0, 0.86), (1.03, 0.88), (1.03, 1.0))
        model.vessel(body, 0.06, 0.04, p.STEEL, count=20)
        model.rod((0.0, -1.0, 0.0), 0.06, 0.97, p.BLACK, count=20)
        model.box((-0.25, -0.98, 0.85), (0.25, -0.93, 1.12), p.BLACK)
        return model.fit(look.size)
    paint = p.STEEL if metal else look.choose((p.CHARCOAL, p.GRAY, p.BLACK, p.BLUE), "bin")
    model.square_vessel(((0.78, -1.0), (0.94, 0.95)), 0.05, 0.08, paint)
    for side in (-1.0, 1.0):
        model.box((-1.0, 0.85, side * 0.88), (1.0, 1.0, side * 1.0), paint.scaled(1.3))
        model.box((side * 0.88, 0.85, -0.88), (side * 1.0, 1.0, 0.88), paint.scaled(1.3))
    liner = p.WHITE.scaled(0.95)
    for side in (-1.0, 1.0):
        model.box((-0.86, 0.7, side * 0.86), (0.86, 0.98, side * 0.88), liner)
    return model.fit(look.size)


def garbage_bag(look: Look) -> Model:
    """Bulging black sack, tied at the neck."""
    model = Model()
    bag = Paint(0.09, 0.09, 0.10, shininess=0.7, specular=0.5)
    rings = []
    for y, r in ((-1.0, 0.75), (-0.85, 0.95), (-0.4, 1.0), (0.1, 0.85), (0.45, 0.5), (0.62, 0.16)):
        ring = []
        for i in range(18):
            angle = -2 * math.pi * i / 18
            fold = 1.0 + (0.07 if i % 2 else -0.05) * (1.0 + 0.5 * y)
            ring.append([r * fold * math.cos(angle), y, r * fold * math.sin(angle)])
        rings.append(ring)
    model.loft(np.array(rings), bag)
    model.hoop((0.0, 0.62, 0.0), 0.15, 0.06, p.RED, count=10)
    for i in range(5):
        angle = 2 * math.pi * i / 5
        tip = (0.38 * math.cos(angle), 0.95 + 0.05 * (i % 2), 0.38 * math.sin(angle))
        model.tube([(0.0, 0.6, 0.0), tip], [0.1, 0.14], bag, 5)
    return model.fit(look.size)


BUILDERS: dict[str, Builder] = {
    "ClothesDryer": clothes_dryer,
    "CoffeeMachine": coffee_machine,
    "GarbageBag": garbage_bag,
    "GarbageCan": garbage_can,
    "Microwave": microwave,
    "StoveBurner": stove_burner,
    "StoveKnob": stove_knob,
    "Toaster": toaster,
    "VacuumCleaner": vacuum_cleaner,
    "WashingMachine": washing_machine,
}
