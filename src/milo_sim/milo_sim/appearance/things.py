"""Small personal things, paper and writing."""

from __future__ import annotations

import math

import numpy as np

from milo_sim.appearance import palette as p
from milo_sim.appearance import turns
from milo_sim.appearance.look import Builder, Look
from milo_sim.appearance.model import Model, Paint

_COVERS = (
    Paint(0.55, 0.10, 0.10, specular=0.15),
    Paint(0.12, 0.25, 0.48, specular=0.15),
    Paint(0.14, 0.36, 0.24, specular=0.15),
    Paint(0.80, 0.62, 0.20, specular=0.15),
    Paint(0.30, 0.16, 0.36, specular=0.15),
    Paint(0.15, 0.15, 0.16, specular=0.15),
)
_WAX = (
    Paint(0.93, 0.90, 0.80, specular=0.15),
    Paint(0.70, 0.15, 0.14, specular=0.15),
    Paint(0.30, 0.42, 0.60, specular=0.15),
)


def book(look: Look) -> Model:
    """Cover with a spine on -x around pages; open: two white halves with lines of print."""
    cover = look.choose(_COVERS, "cover")
    model = Model()
    if look.openness > 0.5:
        model.box((-1.0, -1.0, -1.0), (1.0, -0.75, 1.0), cover)
        for side in (-1.0, 1.0):
            arch = [(side * 0.02, -0.75), (side * 0.95, -0.75), (side * 0.95, -0.1)]
            arch += [(side * 0.6, 0.75), (side * 0.25, 1.0), (side * 0.02, 0.3)]
            model.prism(arch, -0.95, 0.95, p.PAPER, axis="z")
            for i in range(6):
                z = -0.7 + 0.26 * i
                model.box((side * 0.2, 0.55, z), (side * 0.62, 1.02, z + 0.07), p.GRAY)
        return model.fit(look.size)
    model.box((-1.0, -1.0, -1.0), (1.0, -0.8, 1.0), cover)
    model.box((-1.0, 0.8, -1.0), (1.0, 1.0, 1.0), cover)
    model.box((-1.0, -0.8, -1.0), (-0.94, 0.8, 1.0), cover)
    model.box((-0.94, -0.8, -0.95), (0.93, 0.8, 0.95), p.PAPER)
    for y in (-0.4, 0.0, 0.4):
        model.box((-0.9, y, -0.955), (0.935, y + 0.06, 0.955), p.PAPER.scaled(0.82))
    trim = look.choose((p.CREAM, p.YELLOW.mixed(p.CREAM, 0.4), p.WHITE), "title")
    model.box((-0.55, 1.0, -0.7), (0.65, 1.06, -0.3), trim)
    model.box((-0.3, 1.0, 0.1), (0.4, 1.06, 0.6), trim.mixed(cover, 0.4))
    return model.fit(look.size)


def newspaper(look: Look) -> Model:
    """Folded grey newspaper with a headline, columns and a picture."""
    model = Model()
    paper = Paint(0.84, 0.83, 0.79, specular=0.02)
    for i in range(3):
        y = -1.0 + 0.6 * i
        model.pad((-1.0, y, -1.0), (1.0 - 0.03 * i, y + 0.55, 1.0 - 0.06 * i), paper, 0.5, 0.15, 16)
    ink = Paint(0.22, 0.22, 0.23, specular=0.02)
    top = 0.74
    model.box((-0.85, top, -0.8), (0.8, top + 0.06, -0.55), ink)
    model.box((-0.85, top, -0.4), (0.1, top + 0.06, 0.55), p.GRAY.scaled(1.2))
    for i in range(6):
        z = -0.4 + 0.17 * i
        model.box((0.2, top, z), (0.8, top + 0.06, z + 0.07), ink.scaled(1.8))
    return model.fit(look.size)


def cloth(look: Look) -> Model:
    """Folded checked cloth, softly rumpled."""
    colors = (p.BLUE, p.RED, p.GREEN.mixed(p.WHITE, 0.3), p.TEAL)
    fabric = look.choose(colors, "fabric").mixed(p.WHITE, 0.25)
    fabric = fabric.mixed(p.STAIN, 0.55) if look.dirty else fabric
    model = Model()
    steps = np.linspace(-1.0, 1.0, 9)
    rings = []
    for z in np.linspace(-1.0, 1.0, 7):
        top = [[x, 0.6 * math.sin(2.6 * x + 1.3 * z) * math.cos(1.9 * z), z] for x in steps]
        rings.append(top + [[x, y - 0.5, z] for x, y, _ in reversed(top)])
    model.loft(np.array(rings), fabric, cap="strip")
    for x in (-0.7, -0.1, 0.5):
        wave = [
            [
                [u, 0.07 + 0.6 * math.sin(2.6 * u + 1.3 * z) * math.cos(1.9 * z), z]
                for u in (x, x + 0.12, x + 0.24)
            ]
            for z in np.linspace(-1.0, 1.0, 7)
        ]
        under = [[[u, y - 0.1, z] for u, y, z in reversed(ring)] for ring in wave]
        stripe = np.array([a + b for a, b in zip(wave, under, strict=True)])
        model.loft(stripe, p.WHITE, cap="strip")
    return model.fit(look.size)


def cd(look: Look) -> Model:
    """Shining disc with a hole."""
    model = Model()
    disc = ((0.14, -1.0), (1.0, -1.0), (1.0, 1.0), (0.14, 1.0))
    model.revolve(disc, Paint(0.75, 0.80, 0.86, shininess=0.95, specular=1.0), count=24)
    ring = ((0.2, 0.9), (0.36, 0.9), (0.36, 1.1), (0.2, 1.1))
    model.revolve(ring, p.GRAY, count=18)
    for i, paint in enumerate((p.PINK, p.TEAL, p.YELLOW)):
        a = 0.6 + 2.1 * i
        fan = [(0.42 * math.cos(a), 0.42 * math.sin(a)), (0.94 * math.cos(a), 0.94 * math.sin(a))]
        fan += [(0.94 * math.cos(a + 0.25), 0.94 * math.sin(a + 0.25))]
        fan += [(0.42 * math.cos(a + 0.25), 0.42 * math.sin(a + 0.25))]
        model.prism(fan, 0.95, 1.08, paint.mixed(p.WHITE, 0.45))
    return model.fit(look.size)


def credit_card(look: Look) -> Model:
    """Plastic card with a magnetic stripe, a chip and digits."""
    model = Model()
    color = look.choose((p.BLUE, p.CHARCOAL, p.RED, p.TEAL), "card")
    model.pad((-1.0, -1.0, -1.0), (1.0, 0.7, 1.0), color, 0.1, 0.15, 20)
    model.box((-0.97, 0.5, -0.8), (0.97, 0.85, -0.4), p.BLACK)
    model.box((-0.75, 0.5, -0.15), (-0.4, 1.0, 0.25), p.BRASS.scaled(1.25))
    for i in range(4):
        x = -0.75 + 0.4 * i
        model.box((x, 0.5, 0.45), (x + 0.28, 0.9, 0.62), p.WHITE)
    return model.fit(look.size)


def key_chain(look: Look) -> Model:
    """Ring with two keys and a coloured tag."""
    model = Model()
    model.hoop((0.72, 0.0, 0.0), 0.24, 0.035, p.CHROME, stretch=1.7, count=18)
    for z, angle in ((-0.45, 14.0), (0.4, -11.0)):
        key = Model()
        bow = ((0.1, -0.5), (0.26, -0.5), (0.26, 0.5), (0.1, 0.5))
        key.revolve(bow, p.BRASS if z < 0 else p.SILVER, at=(0.30, 0.0, 0.0), count=12)
        metal = p.BRASS if z < 0 else p.SILVER
        key.box((-1.0, -0.5, -0.06), (0.08, 0.5, 0.1), metal)
        for i in range(3):
            x = -0.95 + 0.2 * i
            key.box((x, -0.5, 0.1), (x + 0.1, 0.5, 0.2 + 0.05 * (i % 2)), metal)
        model.add(key, (0.85, 1.0, 1.6), turns.about_y(angle), at=(0.22, 0.6 * z, z))
    tag = look.choose((p.RED, p.BLUE, p.GREEN), "tag")
    model.pad((-0.35, -1.0, -0.18), (0.5, 1.0, 0.3), tag, 0.3, 0.5)
    return model.fit(look.size)


def _pen_body(model: Model, look: Look, paint: Paint) -> None:
    model.rod((0.0, 0.0, -0.72), 1.4, 1.0, paint, axis="z", count=8)


def pen(look: Look) -> Model:
    """Barrel with a metal tip towards +z, a push button and a clip."""
    model = Model()
    ink = look.choose((p.BLUE, p.BLACK, p.RED, p.NAVY), "ink")
    _pen_body(model, look, ink)
    model.cone((0.0, 0.0, 0.68), 0.27, 1.0, 0.35, p.CHROME, axis="z", count=8)
    model.cone((0.0, 0.0, 0.95), 0.05, 0.2, 0.1, p.BLACK, axis="z", count=6)
    model.rod((0.0, 0.0, -1.0), 0.3, 0.55, p.CHROME, axis="z", count=8)
    model.box((-0.25, 0.9, -0.7), (0.25, 1.3, -0.1), p.CHROME)
    return model.fit(look.size)


def pencil(look: Look) -> Model:
    """Six-sided yellow pencil: sharpened tip towards +z, metal ferrule and pink eraser."""
    model = Model()
    coat = look.choose((p.YELLOW, p.YELLOW, p.RED, p.GREEN), "coat")
    model.rod((0.0, 0.0, -0.75), 1.45, 1.0, coat, axis="z", count=6)
    model.cone((0.0, 0.0, 0.7), 0.22, 0.97, 0.25, p.PINE.scaled(1.15), axis="z", count=6)
    model.cone((0.0, 0.0, 0.92), 0.08, 0.26, 0.0, p.BLACK, axis="z", count=6)
    model.rod((0.0, 0.0, -0.86), 0.12, 1.02, p.SILVER, axis="z", count=8)
    model.rod((0.0, 0.0, -1.0), 0.15, 0.9, p.PINK, axis="z", count=8)
    return model.fit(look.size)


def _standing(model: Model, look: Look) -> Model:
    """Fill the box to the share of its height that the model, 2 units high in full, has now."""
    bottom, top = model.bounds()
    share = float(top[1] - bottom[1]) / 2.0
    size = (look.size[0], share * look.size[1], look.size[2])
    return model.fit(size, (0.0, (share - 1.0) * look.half[1], 0.0))


def candle(look: Look) -> Model:
    """Wax cylinder with a wick; a flame when lit."""
    model = Model()
    wax = look.choose(_WAX, "wax")
    top = 0.55
    profile = ((0.0, -1.0), (1.0, -1.0), (1.0, top), (0.8, top), (0.6, top - 0.1), (0.0, top - 0.1))
    model.revolve(profile, wax, count=16)
    model.tube([(0.0, top - 0.12, 0.0), (0.03, 0.66, 0.0), (0.08, 0.75, 0.0)], 0.06, p.BLACK)
    for a, low in ((0.4, 0.1), (2.2, -0.2), (4.4, 0.25)):
        drip = [(0.97 * math.cos(a), y, 0.97 * math.sin(a)) for y in (low, 0.3, top - 0.02)]
        model.tube(drip, [0.12, 0.09, 0.12], wax.scaled(1.06))
    if look.on:
        flame = ((0.0, 0.62), (0.2, 0.7), (0.24, 0.78), (0.12, 0.9), (0.0, 1.0))
        model.revolve(flame, p.FLAME, count=8)
        return model.fit(look.size)
    return _standing(model, look)


def tissue_box(look: Look) -> Model:
    """Patterned carton with an oval slot and a tissue sticking out."""
    model = Model()
    carton = look.choose((p.TEAL, p.PINK, p.BLUE), "carton").mixed(p.WHITE, 0.35)
    model.box((-1.0, -1.0, -1.0), (1.0, 0.35, 1.0), carton)
    for i in range(3):
        x = -0.65 + 0.65 * i
        model.box((x - 0.12, -0.6, -1.01), (x + 0.12, 0.0, 1.01), p.WHITE.mixed(carton, 0.4))
    slot = [(0.55 * math.cos(a), 0.45 * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 13)[:-1]]
    model.prism(slot, 0.3, 0.39, p.CHARCOAL)
    if not look.used_up:
        rings = []
        for t in (0.0, 0.35, 0.7, 1.0):
            w = 0.22 + 0.3 * t
            front = [
                [w * u, 0.3 + 0.7 * t * (1 - 0.25 * u * u), 0.3 * t * math.sin(3 * u) + 0.08]
                for u in (-1.0, -0.5, 0.0, 0.5, 1.0)
            ]
            rings.append(front + [[x, y, z - 0.16] for x, y, z in reversed(front)])
        model.loft(np.array(rings), p.WHITE, cap="strip")
        return model.fit(look.size)
    return _standing(model, look)


def watch(look: Look) -> Model:
    """Wristwatch lying on its side: loop of strap, round case with dial and hands on top."""
    model = Model()
    strap = look.choose((p.BLACK, p.LEATHERS[1], p.SILVER), "strap")
    for side in (-1.0, 1.0):
        path = [(side * 0.36, 0.62, 0.0), (side * 0.78, 0.35, 0.0), (side * 0.93, -0.3, 0.0)]
        path += [(side * 0.6, -0.85, 0.0), (0.0, -0.9, 0.0)]
        band = Model()
        band.tube(path, 0.1, strap, 4)
        model.add(band, (1.0, 1.0, 4.2))
    model.rod((0.0, 0.35, 0.0), 0.5, 0.62, p.CHROME, count=16)
    model.rod((0.0, 0.85, 0.0), 0.08, 0.52, p.WHITE, count=16)
    model.block((0.0, 0.95, -0.18), (0.07, 0.05, 0.42), p.BLACK)
    model.block((0.14, 0.95, 0.0), (0.3, 0.05, 0.09), p.BLACK)
    model.rod((0.6, 0.6, 0.0), 0.12, 0.09, p.CHROME, axis="x", count=8)
    return model.fit(look.size)


def boots(look: Look) -> Model:
    """Pair of high rubber boots, toes towards +z."""
    rubber = look.choose((p.GREEN.scaled(0.6), p.BLACK, p.YELLOW), "boots")
    model = Model()
    for x in (-0.53, 0.53):
        boot = Model()
        boot.pad((-0.42, -0.92, -0.95), (0.42, -0.45, 1.0), rubber, 0.55, 0.6, 14)
        boot.vessel(((0.4, -0.75), (0.38, -0.4), (0.42, 0.2), (0.47, 1.0)), 0.06, 0.3, rubber)
        boot.box((-0.44, -1.0, -0.95), (0.44, -0.88, -0.3), p.RUBBER)
        boot.box((-0.44, -1.0, -0.15), (0.44, -0.9, 0.95), p.RUBBER)
        boot.hoop((0.0, 0.93, 0.0), 0.44, 0.045, rubber.scaled(0.7))
        model.add(boot, at=(x, 0.0, 0.0))
        model.add(_shaft(rubber), at=(x, 0.0, -0.45))
    return model.fit(look.size)


def _shaft(rubber: Paint) -> Model:
    """Closing wedge between a boot's shaft and its heel."""
    model = Model()
    model.pad((-0.4, -0.95, -0.45), (0.4, -0.2, 0.5), rubber, 0.5, 0.6, 12)
    return model


BUILDERS: dict[str, Builder] = {
    "Book": book,
    "Boots": boots,
    "CD": cd,
    "Candle": candle,
    "Cloth": cloth,
    "CreditCard": credit_card,
    "KeyChain": key_chain,
    "Newspaper": newspaper,
    "Pen": pen,
    "Pencil": pencil,
    "TissueBox": tissue_box,
    "Watch": watch,
}
