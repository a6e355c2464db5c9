"""What is fixed to walls and floors: windows, doors, pictures, curtains, shower walls, floor.

Wall-mounted boxes are thin along z, their back to the wall; one that is much thinner along x is
drawn likewise, with both faces alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from milo_sim.appearance import palette as p
from milo_sim.appearance import turns
from milo_sim.appearance.joinery import closed_depth
from milo_sim.appearance.look import Builder, Look
from milo_sim.appearance.model import Model, Paint
from milo_sim.appearance.parts import Vector
from milo_sim.opening import DOOR_SHARE

_SKY = Paint(0.66, 0.80, 0.93, alpha=0.55, shininess=0.9, specular=0.6, emission=0.35)
_CURTAINS = (
    Paint(0.80, 0.76, 0.68, specular=0.02),
    Paint(0.40, 0.26, 0.22, specular=0.02),
    Paint(0.34, 0.42, 0.52, specular=0.02),
    Paint(0.70, 0.70, 0.70, specular=0.02),
)

Flat = Callable[[Look, Vector], Model]


def _upright(look: Look, draw: Flat) -> Model:
    """Draw a flat thing for half sizes (width, height, half depth) and turn it to the thin side."""
    x, y, z = look.half
    if x > 0.5 * z:
        return draw(look, (x, y, z))
    turned = Model()
    turned.add(draw(look, (z, y, x)), turn=turns.Z_TO_X)
    return turned


def _flush(model: Model, z: float, thickness: float) -> Model:
    """What was modelled with the half depth ``thickness`` about z = 0, moved to the wall at -z."""
    moved = Model()
    moved.add(model, at=(0.0, 0.0, thickness - z))
    return moved


def _frame(model: Model, half: Vector, width: float, paint: Paint) -> tuple[float, float]:
    """Rectangular frame over the whole depth; returns the half size of its opening."""
    x, y, z = half
    width = min(width, 0.3 * x, 0.3 * y)
    for side in (-1.0, 1.0):
        model.box((-x, side * (y - width), -z), (x, side * y, z), paint)
        model.box((side * (x - width), -y + width, -z), (side * x, y - width, z), paint)
    return x - width, y - width


def _cracks(model: Model, half: tuple[float, float], z: float) -> None:
    """White cracks over a broken pane at depth ``z``, on both faces."""
    x, y = half
    width = min(0.004, 0.02 * min(x, y))
    for i in range(9):
        a = 0.75 * i
        tip = (0.9 * x * math.cos(a), 0.9 * y * math.sin(a), z)
        bend = (0.45 * x * math.cos(a + 0.3), 0.45 * y * math.sin(a + 0.3), z)
        model.tube([(0.0, 0.05 * y, z), bend, tip], width, p.WHITE, 4)


def window(look: Look) -> Model:
    """White frame with glazing bars and light panes; only splinters remain once broken."""

    def draw(look: Look, half: Vector) -> Model:
        model = Model()
        x, y, deep = half
        z = min(deep, 0.05)
        white = p.PAINTED_WHITE
        a, b = _frame(model, (x, y, z), 0.07, white)
        bar = min(0.03, 0.2 * min(a, b))
        pane = min(0.004, 0.2 * z)
        columns = max(1, min(4, round(2 * a / 0.7)))
        for i in range(1, columns):
            middle = -a + 2 * a * i / columns
            model.box((middle - bar / 2, -b, -0.6 * z), (middle + bar / 2, b, 0.6 * z), white)
        model.box((-a, -bar / 2, -0.5 * z), (a, bar / 2, 0.5 * z), white)
        if look.broken:
            for i in range(6):
                left = -a + 2 * a * i / 6
                tooth = [
                    (left, -b),
                    (left + a / 3, -b),
                    (left + a / 6, -b + 0.35 * b * (1 + i % 2)),
                ]
                model.prism(tooth, -pane, pane, _SKY, axis="z")
        else:
            model.box((-a, -b, -pane), (a, b, pane), _SKY)
        sill = min(0.04, 0.2 * y)
        model.box((-x, -y, -z), (x, -y + sill, 2 * deep - z), white.scaled(0.92))
        return _flush(model, deep, z)

    return _upright(look, draw)


def mirror(look: Look) -> Model:
    """Pale reflecting pane with a bright diagonal in a frame."""

    def draw(look: Look, half: Vector) -> Model:
        model = Model()
        x, y, deep = half
        z = min(deep, 0.03)
        frame = look.choose((p.SILVER, p.WALNUT, p.BRONZE, p.PAINTED_WHITE), "frame")
        a, b = _frame(model, (x, y, z), 0.035, frame)
        glass = p.MIRROR.mixed(p.STAIN, 0.35) if look.dirty else p.MIRROR
        model.box((-a, -b, -0.7 * z), (a, b, 0.7 * z), glass)
        shine = p.MIRROR.scaled(1.25)
        for left, wide in ((-0.55, 0.22), (-0.15, 0.1)):
            u = left * a
            band = [(u, -0.6 * b), (u + wide * a, -0.6 * b)]
            band += [(u + (wide + 0.5) * a, 0.6 * b), (u + 0.5 * a, 0.6 * b)]
            model.prism(band, -0.75 * z, 0.75 * z, shine, axis="z")
        if look.dirty:
            for i in range(5):
                at = (0.6 * a * math.cos(2.1 * i), 0.6 * b * math.sin(1.3 * i), 0.0)
                model.ball(at, (0.12 * a, 0.12 * b, 0.8 * z), p.STAIN, 8)
        if look.broken:
            _cracks(model, (a, b), 0.78 * z)
            _cracks(model, (a, b), -0.78 * z)
        return _flush(model.within((2 * x, 2 * y, 2 * z)), deep, z)

    return _upright(look, draw)


def painting(look: Look) -> Model:
    """Framed landscape: sky, sun, hills and a tree."""

    def draw(look: Look, half: Vector) -> Model:
        model = Model()
        x, y, deep = half
        z = min(deep, 0.025)
        timber = look.choose((p.WALNUT, p.BRASS, p.BLACK, p.OAK), "frame")
        a, b = _frame(model, (x, y, z), 0.05, timber)
        sky = look.choose((Paint(0.55, 0.74, 0.88), Paint(0.93, 0.70, 0.45), p.CREAM), "sky")
        hill = look.choose((p.GREEN, p.TEAL, p.PURPLE, p.BRONZE), "hill")
        model.box((-a, -b, -0.6 * z), (a, b, 0.6 * z), sky)
        back = [(-a, -b), (a, -b), (a, 0.1 * b), (0.4 * a, 0.4 * b), (-0.2 * a, -0.05 * b)]
        back += [(-0.6 * a, 0.2 * b), (-a, -0.1 * b)]
        model.prism(back, -0.66 * z, 0.66 * z, hill.mixed(sky, 0.45), axis="z")
        near = [(-a, -b), (a, -b), (a, -0.5 * b), (0.1 * a, -0.25 * b), (-a, -0.55 * b)]
        model.prism(near, -0.72 * z, 0.72 * z, hill, axis="z")
        sun = Model()
        sun.rod((0.0, 0.0, -0.7 * z), 1.4 * z, 1.0, p.YELLOW, axis="z", count=14)
        r = 0.16 * min(a, b)
        model.add(sun, (r, r, 1.0), at=(-0.45 * a, 0.58 * b, 0.0))
        trunk = (0.5 * a, -0.1 * b, 0.78 * z)
        model.box((0.46 * a, -0.5 * b, -0.78 * z), trunk, p.WALNUT)
        crown = Model()
        crown.rod((0.0, 0.0, -0.78 * z), 1.56 * z, 1.0, p.LEAF.scaled(0.7), axis="z", count=10)
        model.add(crown, (0.16 * a, 0.2 * b, 1.0), at=(0.48 * a, -0.02 * b, 0.0))
        return _flush(model, deep, z)

    return _upright(look, draw)


def poster(look: Look) -> Model:
    """Unframed sheet with a big circle, a triangle and lines of title."""

    def draw(look: Look, half: Vector) -> Model:
        model = Model()
        x, y, deep = half
        z = min(deep, 0.01)
        ground = look.choose((p.NAVY, p.CREAM, p.RED, p.TEAL), "ground")
        ink = p.CREAM if ground is not p.CREAM else p.RED
        thin = 0.7 * z
        model.box((-x, -y, -thin), (x, y, thin), ground)
        disc = Model()
        disc.rod((0.0, 0.0, -0.5), 1.0, 1.0, p.ORANGE, axis="z", count=20)
        r = 0.55 * min(x, y)
        model.add(disc, (r, r, 2.2 * thin), at=(0.0, 0.25 * y, 0.0))
        peak = [(-0.7 * x, -0.25 * y), (0.7 * x, -0.25 * y), (0.0, 0.35 * y)]
        model.prism(peak, -1.3 * thin, 1.3 * thin, ground.mixed(p.BLACK, 0.5), axis="z")
        for i, wide in enumerate((0.75, 0.5)):
            low = -0.55 * y - 0.2 * y * i
            model.box((-wide * x, low, -1.2 * thin), (wide * x, low + 0.1 * y, 1.2 * thin), ink)
        model.box((-0.3 * x, 0.98 * y, -z), (0.3 * x, y, z), p.CREAM)
        return _flush(model.within((2 * x, 2 * y, 2 * z)), deep, z)

    return _upright(look, draw)


def blinds(look: Look) -> Model:
    """Head rail with slats over the height of the box, which is low while they are gathered."""

    def draw(look: Look, half: Vector) -> Model:
        model = Model()
        x, y, z = half
        slat = look.choose((p.PAINTED_WHITE, p.CREAM, p.PINE), "slat")
        rail = min(0.05, 0.5 * y)
        model.box((-x, y - rail, -z), (x, y, z), slat.scaled(0.9))
        spread = look.size[1] - rail
        count = max(5, min(24, round(spread / 0.045)))
        step = spread / count
        turn = np.array([[1.0, 0.0, 0.0], [0.0, 0.82, -0.57], [0.0, 0.57, 0.82]])
        deep = min(1.5 * z, 1.2 * step)
        for i in range(count):
            at = (0.0, y - rail - (i + 0.55) * step, 0.0)
            model.block(at, (1.96 * x, min(0.004, 0.3 * step), deep), slat, turn)
        for side in (-0.6, 0.6):
            low = (side * x - 0.002, y - rail - spread, -0.05 * z)
            model.box(low, (side * x + 0.002, y - rail, 0.05 * z), p.GRAY)
        foot = min(0.02, 0.5 * step) - y
        model.box((-x, -y, -0.6 * z), (x, foot, 0.6 * z), slat.scaled(0.85))
        return model.within((2 * x, 2 * y, 2 * z))

    return _upright(look, draw)


def _drape(model: Model, span: tuple[float, float], half: Vector, folds: int, paint: Paint) -> None:
    """Folded cloth between two x positions over the whole height of a box."""
    _, y, z = half
    left, right = span
    steps = np.linspace(0.0, 1.0, 4 * folds + 1)
    rings = []
    for level, gather in ((-y, 1.0), (0.0, 0.9), (0.92 * y, 0.8)):
        front = []
        for u in steps:
            wave = 0.62 * z * gather * math.sin(2 * math.pi * folds * u)
            front.append([left + (right - left) * u, level, wave + 0.16 * z])
        rings.append(front + [[a, b, c - 0.32 * z] for a, b, c in reversed(front)])
    model.loft(np.array(rings), paint, cap="strip")


def curtains(look: Look) -> Model:
    """Two folded drapes that hang from a rod with end knobs."""

    def draw(look: Look, half: Vector) -> Model:
        model = Model()
        x, y, z = half
        paint = look.vary(look.choose(_CURTAINS, "curtain"))
        width = min(0.7 * x, 0.6)
        folds = max(2, min(6, round(width / 0.12)))
        for side in (-1.0, 1.0):
            span = (side * 0.98 * x, side * (0.98 * x - width))
            _drape(model, (min(span), max(span)), half, folds, paint)
        r = min(0.018, 0.4 * z, 0.1 * y)
        model.rod((-0.97 * x, 0.95 * y - r, 0.0), 1.94 * x, r, p.BRONZE, axis="x", count=8)
        for side in (-1.0, 1.0):
            at = (side * (x - 1.5 * r), 0.95 * y - r, 0.0)
            model.ball(at, (1.5 * r, 1.5 * r, 1.5 * r), p.BRONZE, 8)
        return model

    return _upright(look, draw)


def shower_curtain(look: Look) -> Model:
    """Light curtain on rings below a rod; pushed to one side when open."""

    def draw(look: Look, half: Vector) -> Model:
        model = Model()
        x, y, z = half
        paint = look.choose((p.WHITE, p.TEAL.mixed(p.WHITE, 0.6), p.BLUE.mixed(p.WHITE, 0.6)), "c")
        reach = 0.1 * x if look.openness > 0.5 else 0.97 * x
        r = min(0.014, 0.2 * z)
        low_half = (x, 0.98 * y, z)
        folds = max(3, min(8, round(x / 0.06)))
        cloth = Model()
        _drape(cloth, (-0.97 * x, reach), low_half, folds, paint)
        model.add(cloth, at=(0.0, 0.02 * y, 0.0))
        band = Model()
        _drape(band, (-0.97 * x, reach), (x, 0.04 * y, 1.04 * z), folds, paint.mixed(p.BLUE, 0.5))
        model.add(band, at=(0.0, -0.6 * y, 0.0))
        rail = y - 1.5 * r
        model.rod((-x, rail, 0.0), 2 * x, r, p.CHROME, axis="x", count=8)
        for i in range(7):
            at = (-0.9 * x + (reach + 0.9 * x) * 0.95 * i / 6, rail, 0.0)
            model.hoop(at, min(1.4 * r, 0.9 * z), 0.25 * r, p.CHROME, axis="x", count=8)
        return model.within((2 * x, 2 * y, 2 * z))

    return _upright(look, draw)


def shower_door(look: Look) -> Model:
    """Glass pane in a chrome frame with a bar handle; it swings to the front on its +x side."""
    x, y, z = look.half
    depth = closed_depth(look)
    if look.openness < 0.05 or look.broken or look.size[0] < depth:
        return _upright(look, _glass_door)
    width = 2 * x * (1.0 - (1.0 - DOOR_SHARE) * look.openness)
    pane = _glass_door(look, (width / 2, y, min(depth, 0.1 * width) / 2))
    door = Model()
    door.add(pane, at=(-width / 2, 0.0, 0.0))
    model = Model()
    model.add(door, turn=turns.about_y(90.0 * look.openness), at=(x, 0.0, -z + depth / 2))
    return model.within(look.size)


def _glass_door(look: Look, half: Vector) -> Model:
    model = Model()
    x, y, z = half
    a, b = _frame(model, half, 0.03, p.CHROME)
    thin = min(0.004, 0.3 * z)
    if look.broken:
        _splinters(model, (a, b), thin)
    else:
        model.box((-a, -b, -thin), (a, b, thin), p.GLASS.clear(0.3))
        grip = min(0.012, 0.3 * z)
        for side in (-1.0, 1.0):
            level = side * (z - grip)
            model.tube([(-0.78 * x, -0.2 * y, level), (-0.78 * x, 0.2 * y, level)], grip, p.SILVER)
    return model


def _splinters(model: Model, half: tuple[float, float], thin: float) -> None:
    a, b = half
    for i in range(7):
        left = -a + 2 * a * i / 7
        tooth = [
            (left, -b),
            (left + 2 * a / 7, -b),
            (left + a / 7, -b + b * (0.2 + 0.25 * (i % 3))),
        ]
        model.prism(tooth, -thin, thin, p.GLASS.clear(0.5), axis="z")


def shower_glass(look: Look) -> Model:
    """Fixed glass walls: one pane, or an enclosure of panes where the box is deep."""
    x, y, z = look.half
    thin = 0.03
    if min(x, z) < 0.15:
        return _upright(look, _glass_wall)
    model = Model()
    model.add(_glass_wall(look, (x, y, thin)), at=(0.0, 0.0, z - thin))
    model.add(_glass_wall(look, (z - thin, y, thin)), turn=turns.Z_TO_X, at=(x - thin, 0.0, -thin))
    return model


def _glass_wall(look: Look, half: Vector) -> Model:
    model = Model()
    x, y, z = half
    rail = min(0.03, 0.1 * y)
    thin = min(0.005, 0.4 * z)
    model.box((-x, -y, -z), (x, -y + rail, z), p.CHROME)
    model.box((-x, y - rail, -z), (x, y, z), p.CHROME)
    for at in (-x, x - rail):
        model.box((at, -y + rail, -z), (at + rail, y - rail, z), p.CHROME)
    if look.broken:
        _splinters(model, (x, y - rail), thin)
        return model
    model.box((-x + rail, -y + rail, -thin), (x - rail, y - rail, thin), p.GLASS.clear(0.28))
    frost = p.WHITE.clear(0.35)
    model.box((-x + rail, -0.25 * y, -1.3 * thin), (x - rail, 0.1 * y, 1.3 * thin), frost)
    return model


def doorway(look: Look) -> Model:
    """Frame with a panelled door leaf and a knob."""

    def draw(look: Look, half: Vector) -> Model:
        x, y, z = half
        model = _casing(half)
        leaf = p.PAINTED_WHITE.scaled(0.94)
        width = min(0.09, 0.25 * x)
        a, top = x - width, y - width
        model.box((-a, -y, -0.3 * z), (a, top, 0.3 * z), leaf)
        for left in (-0.85 * a, 0.1 * a):
            for low, high in ((-0.85 * y, -0.2 * y), (-0.05 * y, 0.8 * y)):
                panel = (left + 0.75 * a, high, 0.42 * z)
                model.box((left, low, -0.42 * z), panel, leaf.scaled(0.93))
        r = min(0.03, 0.4 * z)
        for side in (-1.0, 1.0):
            model.ball((0.9 * a, -0.05 * y, side * (z - r)), (r, r, r), p.BRASS, 8)
        return model

    return _upright(look, draw)


def _casing(half: Vector) -> Model:
    """Two jambs and a head, open at the bottom."""
    x, y, z = half
    model = Model()
    width = min(0.09, 0.25 * x)
    white = p.PAINTED_WHITE
    for side in (-1.0, 1.0):
        model.box((side * (x - width), -y, -z), (side * x, y - width, z), white)
    model.box((-x, y - width, -z), (x, y, z), white)
    return model


def doorframe(look: Look) -> Model:
    """Empty door casing with a stop in it."""

    def draw(look: Look, half: Vector) -> Model:
        model = _casing(half)
        x, y, z = half
        width = min(0.09, 0.25 * x)
        stop = p.PAINTED_WHITE.scaled(0.88)
        a = x - width
        for side in (-1.0, 1.0):
            model.box((side * (a - 0.02), -y, -0.2 * z), (side * a, y - width, 0.2 * z), stop)
        model.box((-a, y - width - 0.02, -0.2 * z), (a, y - width, 0.2 * z), stop)
        model.box((-a, -y, -z), (a, -y + 0.01 * y, z), p.OAK)
        return model

    return _upright(look, draw)


def floor(look: Look) -> Model:
    """Boards, tiles or carpet at the top of the box, by its material."""
    x, y, z = look.half
    thick = min(0.02, look.size[1])
    top, low = y, y - thick
    model = Model()
    if look.made_of("Wood"):
        paint = look.common((p.OAK, p.CHERRY, p.PINE), "floor")
    elif look.made_of("Fabric"):
        paint = look.common((Paint(0.55, 0.50, 0.44), Paint(0.45, 0.45, 0.48)), "carpet")
    else:
        paint = look.common((Paint(0.72, 0.68, 0.60), Paint(0.55, 0.55, 0.56)), "tile")
    model.box((-x, low, -z), (x, top - 0.1 * thick, z), paint.scaled(0.85))
    if look.made_of("Fabric"):
        model.box((-x, top - 0.1 * thick, -z), (x, top, z), paint)
        return model
    tiled = not look.made_of("Wood")
    step_x = 2 * x / max(1, min(12, round(2 * x / 0.5))) if tiled else 2 * x
    step_z = 2 * z / max(1, min(12, round(2 * z / 0.5)))
    gap = min(0.006, 0.05 * step_z)
    for i in range(round(2 * x / step_x)):
        for k in range(round(2 * z / step_z)):
            at = (-x + i * step_x, top - 0.1 * thick, -z + k * step_z)
            corner = (at[0] + step_x - (gap if tiled else 0.0), top, at[2] + step_z - gap)
            model.box(at, corner, paint if (i + k) % 2 else paint.scaled(0.95))
    return model


def target_circle(look: Look) -> Model:
    """Flat red and white rings."""
    model = Model()
    for i, (r, paint) in enumerate(((1.0, p.RED), (0.72, p.WHITE), (0.44, p.RED), (0.18, p.WHITE))):
        model.rod((0.0, -1.0, 0.0), 1.4 + 0.2 * i, r, paint, count=24)
    return model.fit(look.size)


BUILDERS: dict[str, Builder] = {
    "Blinds": blinds,
    "Curtains": curtains,
    "Doorframe": doorframe,
    "Doorway": doorway,
    "Floor": floor,
    "Mirror": mirror,
    "Painting": painting,
    "Poster": poster,
    "ShowerCurtain": shower_curtain,
    "ShowerDoor": shower_door,
    "ShowerGlass": shower_glass,
    "TargetCircle": target_circle,
    "Window": window,
}
