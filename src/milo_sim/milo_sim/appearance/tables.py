"""Tables, desks, dressers, shelves and counters.

Cases that hold Drawer or Cabinet objects have their own front set back, so that the fronts of those
objects show, and are hollow where an opened one must show its inside.
"""

from __future__ import annotations

from milo_sim.appearance import palette as p
from milo_sim.appearance.look import Builder, Look
from milo_sim.appearance.model import Model, Paint
from milo_sim.appearance.seating import legs
from milo_sim.appearance.surfaces import SURFACES

_SETBACK = 0.035
"""How far the case's own front lies behind the box's front [m]."""


def _top(model: Model, look: Look, thickness: float, cover: Paint) -> float:
    """A table top; returns the height of its lower side."""
    x, y, z = look.half
    thickness = min(thickness, 0.5 * y)
    glass = look.made_of("Glass")
    paint = p.GLASS.clear(0.45) if glass else cover
    model.box((-x, y - thickness, -z), (x, y, z), paint)
    return y - thickness


def dining_table(look: Look) -> Model:
    """Thick top, an apron below it and four legs in the corners."""
    x, y, z = look.half
    model = Model()
    under = _top(model, look, 0.04, p.body(look))
    frame = p.frame(look).scaled(0.92)
    w = min(0.075, 0.2 * min(x, z))
    legs(model, (0.97 * x, 0.97 * z), -y, under, w, frame)
    apron = under - min(0.09, 0.3 * (under + y))
    for side in (-1.0, 1.0):
        model.box((-0.93 * x, apron, side * 0.94 * z), (0.93 * x, under, side * 0.9 * z), frame)
        model.box((side * 0.94 * x, apron, -0.9 * z), (side * 0.9 * x, under, 0.9 * z), frame)
    return model


def coffee_table(look: Look) -> Model:
    """Low table with a shelf between its legs."""
    x, y, z = look.half
    model = Model()
    under = _top(model, look, 0.035, p.body(look))
    frame = p.frame(look)
    w = min(0.06, 0.2 * min(x, z))
    legs(model, (x, z), -y, under, w, frame)
    low = -y + 0.22 * (under + y)
    shelf = p.body(look).scaled(0.85)
    model.box((-0.94 * x, low, -0.92 * z), (0.94 * x, low + min(0.025, 0.2 * y), 0.92 * z), shelf)
    return model


def side_table(look: Look) -> Model:
    """Small table: legs, a set-back drawer front with a knob and a low shelf."""
    x, y, z = look.half
    model = Model()
    under = _top(model, look, 0.03, p.case(look))
    timber = p.frame(look) if look.made_of("Metal") else p.case(look)
    w = min(0.04, 0.2 * min(x, z))
    legs(model, (0.96 * x, 0.96 * z), -y, under, w, timber)
    case = max(under - 0.17, -0.4 * y)
    face = z - min(_SETBACK, 0.2 * z)
    tone = p.case(look) if not look.made_of("Glass") else timber
    for side in (-1.0, 1.0):
        model.box((side * 0.95 * x, case, -0.9 * z), (side * 0.9 * x, under, face), tone)
    model.box((-0.9 * x, case, -0.92 * z), (0.9 * x, under, -0.88 * z), tone)
    front = (0.9 * x, under - 0.02 * y, face)
    model.box((-0.9 * x, case, face - 0.05 * z), front, tone.scaled(0.85))
    knob = min(0.016, 0.1 * x)
    model.ball((0.0, (case + under) / 2, face + 0.5 * knob), (knob, knob, knob), p.BRASS, 8)
    low = -y + 0.15 * (under + y)
    model.box((-0.92 * x, low, -0.92 * z), (0.92 * x, low + min(0.02, 0.1 * y), 0.92 * z), tone)
    return model


def desk(look: Look) -> Model:
    """Writing desk: side panels, modesty panel, drawers on the right; a hutch where it is high."""
    x, y, z = look.half
    tall = look.size[1] > 1.0
    share = SURFACES.get(look.asset_id, 0.76 / look.size[1] if tall else 1.0)
    surface = look.size[1] * (share - 0.5)
    timber = p.case(look)
    frame = p.frame(look) if look.made_of("Metal") else timber
    thick = min(0.035, 0.3 * (surface + y))
    under = surface - thick
    model = Model()
    model.box((-x, under, -z), (x, surface, z), timber)
    w = min(0.04, 0.1 * x)
    for side in (-1.0, 1.0):
        model.box((side * 0.98 * x, -y, -0.96 * z), (side * (0.98 * x - w), under, 0.92 * z), frame)
    model.box((-0.95 * x, -0.2 * y, -0.9 * z), (0.95 * x, under, -0.86 * z), frame)
    _desk_drawers(model, look, under, timber)
    if share < 0.93:
        _hutch(model, look, surface, timber)
    return model


def _desk_drawers(model: Model, look: Look, under: float, timber: Paint) -> None:
    """Pedestal on the -x side with set-back drawer fronts."""
    x, y, z = look.half
    left, right = -0.96 * x, -0.96 * x + min(0.45, 0.6 * x)
    face = z - min(_SETBACK, 0.2 * z) - 0.08 * z
    low = -y + 0.08 * (under + y)
    model.niche((left, low, -0.86 * z), (right, under, face), 0.02, timber.scaled(0.9))
    step = (under - low) / 3
    for i in range(3):
        corner = (right - 0.01, low + (i + 0.94) * step, face + 0.02 * z)
        model.box((left + 0.01, low + (i + 0.06) * step, face), corner, timber.scaled(1.05))
        at = ((left + right) / 2, low + (i + 0.6) * step, face + 0.03 * z)
        model.block(at, (0.25 * (right - left), 0.012, 0.03 * z), p.STEEL)


def _hutch(model: Model, look: Look, surface: float, timber: Paint) -> None:
    """Shelves that stand on the back half of a desk."""
    x, y, z = look.half
    front = -z + min(0.3, 0.8 * z)
    t = min(0.025, 0.1 * x)
    model.box((-x, surface, -z), (x, y, -z + 0.3 * t), timber.scaled(0.9))
    for i in range(4):
        left = -x + i * (2 * x - t) / 3
        model.box((left, surface, -z), (left + t, y, front), timber)
    model.box((-x, y - t, -z), (x, y, front), timber)
    middle = (surface + y) / 2
    model.box((-x, middle, -z), (x, middle + t, front), timber)


def _chest(look: Look, columns: int, rows: int, pulls: bool) -> Model:
    """Closed case with set-back drawer fronts on a plinth."""
    x, y, z = look.half
    timber = p.case(look)
    face = z - min(_SETBACK, 0.2 * z)
    top = min(0.035, 0.2 * y)
    plinth = min(0.07, 0.2 * y)
    model = Model()
    model.box((-x, y - top, -z), (x, y, z), timber.scaled(1.08))
    model.box((-0.98 * x, -y + plinth, -z), (0.98 * x, y - top, face), timber)
    legs(model, (0.97 * x, 0.95 * z), -y, -y + plinth, 0.07, timber.scaled(0.7))
    width, height = 1.92 * x / columns, (2 * y - top - plinth) / rows
    gap = 0.06 * min(width, height)
    for column in range(columns):
        for row in range(rows):
            left, low = -0.96 * x + column * width, -y + plinth + row * height
            high = (left + width - gap, low + height - gap, face + 0.012)
            model.box((left + gap, low + gap, face), high, timber.scaled(1.15))
            middle = (left + width / 2, low + height / 2, face + 0.015)
            if pulls:
                model.block(middle, (0.3 * width, 0.02, 0.012), p.DARK_STEEL)
            else:
                model.ball(middle, (0.018, 0.018, 0.012), p.BRASS, 8)
    return model


def dresser(look: Look) -> Model:
    """Chest of drawers."""
    columns = 2 if look.size[0] > 0.9 else 1
    return _chest(look, columns, max(2, min(5, round(look.size[1] / 0.25))), False)


def tv_stand(look: Look) -> Model:
    """Long low case: open middle shelf between two doors."""
    x, y, z = look.half
    timber = p.case(look) if not look.made_of("Glass") else p.CHARCOAL
    t = min(0.03, 0.2 * y)
    plinth = min(0.06, 0.2 * y)
    face = z - min(_SETBACK, 0.2 * z)
    model = Model()
    top = p.GLASS.clear(0.5) if look.made_of("Glass") else timber.scaled(1.1)
    model.box((-x, y - t, -z), (x, y, z), top)
    legs(model, (0.96 * x, 0.94 * z), -y, -y + plinth, 0.06, p.frame(look))
    model.niche((-0.98 * x, -y + plinth, -z), (0.98 * x, y - t, face), t, timber)
    model.box((-0.98 * x, -0.1 * t, -0.95 * z), (0.98 * x, 0.9 * t, face), timber)
    for side in (-1.0, 1.0):
        inner, outer = side * 0.36 * x, side * 0.94 * x
        low, high = -y + plinth + 1.2 * t, y - 2.2 * t
        if high > low:
            model.box((inner, low, face - 0.02), (outer, high, face), timber.scaled(1.18))
            knob = (side * 0.42 * x, (low + high) / 2, face + 0.006)
            model.block(knob, (0.012, 0.3 * (high - low), 0.012), p.STEEL)
    return model


def shelving_unit(look: Look) -> Model:
    """Open bookcase: two sides, a thin back and boards."""
    x, y, z = look.half
    timber = p.case(look)
    frame = p.frame(look) if look.made_of("Metal") else timber
    t = min(0.03, 0.2 * x)
    model = Model()
    for side in (-1.0, 1.0):
        model.box((side * x, -y, -z), (side * (x - t), y, z), frame)
    model.box((-x + t, -y, -z), (x - t, y, -z + 0.3 * t), timber.scaled(0.75))
    # Most boards of a unit are Shelf objects; more than a few of its own would double them.
    levels = (-0.98 * y, 0.0, y - t) if look.size[1] > 0.9 else (-0.98 * y, y - t)
    for low in levels:
        model.box((-x + t, low, -z + 0.3 * t), (x - t, low + t, 0.98 * z), timber)
    return model


def shelf(look: Look) -> Model:
    """Thin board on the bottom of the box, so that nothing on it is hidden, with a raised rim.

    The rim runs along the back and ends, as what stands on a shelf keeps clear of them.
    """
    x, y, z = look.half
    timber = p.joinery(look)
    t = min(0.005, 0.3 * y)
    rim = min(0.012, 0.6 * y)
    wall = min(0.012, 0.2 * x, 0.2 * z)
    model = Model()
    model.box((-x, -y, -z), (x, -y + t, z), timber)
    tone = timber.scaled(0.85)
    model.box((-x, -y + t, -z), (x, -y + t + rim, -z + wall), tone)
    for side in (-1.0, 1.0):
        low = (side * x, -y + t, -z + wall)
        model.box(low, (side * (x - wall), -y + t + rim, z - wall), tone)
    model.box((-x, -y, z - 0.3 * wall), (x, -y + 1.6 * t, z), tone)
    return model


def counter_top(look: Look) -> Model:
    """Worktop; a flat box is the surface only, a high one stands on a hollow base with a plinth."""
    x, y, z = look.half
    stone = look.common(
        (
            Paint(0.55, 0.49, 0.42, shininess=0.8, specular=0.5),
            Paint(0.20, 0.20, 0.22, shininess=0.8, specular=0.5),
            Paint(0.80, 0.78, 0.74, shininess=0.8, specular=0.5),
            Paint(0.62, 0.43, 0.26, shininess=0.5, specular=0.3),
        ),
        "counter",
    )
    model = Model()
    if look.size[1] < 0.1:
        thick = min(0.003, look.size[1])
        model.box((-x, -y, -z), (x, -y + 0.7 * thick, z), stone)
        model.box(
            (-0.98 * x, -y + 0.7 * thick, -0.98 * z),
            (0.98 * x, -y + thick, 0.98 * z),
            stone.scaled(1.06),
        )
        return model
    t = min(0.04, 0.3 * y)
    model.box((-x, y - t, -z), (x, y, z), stone)
    base = p.joinery(look)
    face = z - min(0.05, 0.2 * z)
    model.niche((-0.99 * x, -y, -z), (0.99 * x, y - t, face), 0.02, base)
    model.box((-0.97 * x, -y, face - 0.02), (0.97 * x, -y + 0.1, face), p.CHARCOAL)
    panels = max(1, round(look.size[0] / 0.5))
    width = 1.94 * x / panels
    for i in range(panels):
        left = -0.97 * x + i * width
        low, high = -y + min(0.12, 0.2 * y), y - t - 0.02 * y
        model.box((left + 0.01 * x, low, face - 0.012), (left + width - 0.01 * x, high, face), base)
        model.block(
            (left + 0.85 * width, 0.6 * y, face + 0.01), (0.012, 0.1, 0.012), p.handle(look)
        )
    return model


def cart(look: Look) -> Model:
    """Serving cart: three trays between uprights, castors and a push handle on +x."""
    x, y, z = look.half
    metal = p.STEEL
    model = Model()
    wheel = min(0.06, 0.2 * y)
    r = min(0.015, 0.1 * min(x, z))
    for sx in (-1.0, 1.0):
        for sz in (-1.0, 1.0):
            at = (sx * 0.82 * x, -y + 2 * wheel, sz * 0.88 * z)
            model.tube([at, (at[0], 0.72 * y, at[2])], r, metal)
            axle = (at[0], -y + wheel, at[2] - 0.015)
            model.rod(axle, 0.03, wheel, p.RUBBER, axis="z")
    for level in (-0.75, -0.05, 0.62):
        low = (-0.88 * x, level * y, -0.94 * z)
        model.tray(low, (0.88 * x, level * y + 0.08 * y, 0.94 * z), 0.015, p.SILVER, 0.01)
    grip = [(0.8 * x, 0.7 * y, -0.88 * z), (0.95 * x, 0.97 * y, -0.88 * z)]
    grip += [(0.95 * x, 0.97 * y, 0.88 * z), (0.8 * x, 0.7 * y, 0.88 * z)]
    model.tube(grip, r, p.BLACK)
    return model.fit(look.size)


BUILDERS: dict[str, Builder] = {
    "Cart": cart,
    "CoffeeTable": coffee_table,
    "CounterTop": counter_top,
    "Desk": desk,
    "DiningTable": dining_table,
    "Dresser": dresser,
    "Shelf": shelf,
    "ShelvingUnit": shelving_unit,
    "SideTable": side_table,
    "TVStand": tv_stand,
}
