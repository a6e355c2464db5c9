"""Paints that several families of objects share."""

from __future__ import annotations

from milo_sim.appearance.look import Look
from milo_sim.appearance.model import Paint

STEEL = Paint(0.72, 0.73, 0.75, shininess=0.7, specular=0.8)
CHROME = Paint(0.80, 0.81, 0.83, shininess=0.9, specular=1.0)
DARK_STEEL = Paint(0.33, 0.34, 0.36, shininess=0.6, specular=0.6)
IRON = Paint(0.13, 0.13, 0.14, shininess=0.4, specular=0.35)
BRASS = Paint(0.75, 0.58, 0.28, shininess=0.7, specular=0.7)
BRONZE = Paint(0.42, 0.29, 0.17, shininess=0.6, specular=0.5)
COPPER = Paint(0.72, 0.42, 0.28, shininess=0.7, specular=0.6)

BLACK = Paint(0.07, 0.07, 0.075, shininess=0.4, specular=0.3)
CHARCOAL = Paint(0.17, 0.17, 0.18, specular=0.2)
GRAY = Paint(0.45, 0.45, 0.46)
SILVER = Paint(0.66, 0.67, 0.69, shininess=0.5, specular=0.5)
WHITE = Paint(0.92, 0.92, 0.90)
CREAM = Paint(0.90, 0.86, 0.76)
IVORY = Paint(0.93, 0.91, 0.84)
RED = Paint(0.72, 0.09, 0.07)
ORANGE = Paint(0.90, 0.45, 0.10)
YELLOW = Paint(0.95, 0.79, 0.15)
GREEN = Paint(0.20, 0.50, 0.18)
BLUE = Paint(0.14, 0.30, 0.62)
NAVY = Paint(0.10, 0.15, 0.32)
TEAL = Paint(0.13, 0.48, 0.50)
PURPLE = Paint(0.38, 0.20, 0.48)
PINK = Paint(0.90, 0.55, 0.60)

CERAMIC = Paint(0.93, 0.93, 0.91, shininess=0.7, specular=0.6)
GLASS = Paint(0.72, 0.86, 0.90, alpha=0.35, shininess=0.9, specular=1.0)
DARK_GLASS = Paint(0.05, 0.06, 0.07, shininess=0.9, specular=0.8)
MIRROR = Paint(0.70, 0.79, 0.84, shininess=0.95, specular=1.0, emission=0.15)
PAPER = Paint(0.95, 0.94, 0.90, specular=0.05)
CARDBOARD = Paint(0.70, 0.53, 0.34, specular=0.05)
RUBBER = Paint(0.12, 0.11, 0.11, shininess=0.2, specular=0.1)
BROWN_SLEEVE = Paint(0.55, 0.38, 0.22, specular=0.05)
LEAF = Paint(0.22, 0.47, 0.16, specular=0.15)
SOIL = Paint(0.24, 0.16, 0.10, specular=0.02)
STAIN = Paint(0.33, 0.22, 0.10, specular=0.05)
FLAME = Paint(1.00, 0.75, 0.25, emission=1.0)
WARM_LIGHT = Paint(1.00, 0.93, 0.72, emission=1.0)
RED_HOT = Paint(0.95, 0.25, 0.08, emission=0.9)
WATER = Paint(0.55, 0.75, 0.90, alpha=0.55, shininess=0.9, specular=0.9)
LIQUIDS = {
    "water": Paint(0.42, 0.66, 0.86, shininess=0.9, specular=0.8),
    "coffee": Paint(0.20, 0.11, 0.05, shininess=0.8, specular=0.6),
    "wine": Paint(0.40, 0.04, 0.10, shininess=0.8, specular=0.6),
}

OAK = Paint(0.62, 0.43, 0.25, specular=0.15)
WALNUT = Paint(0.34, 0.21, 0.13, specular=0.2)
PINE = Paint(0.78, 0.60, 0.38, specular=0.15)
CHERRY = Paint(0.42, 0.22, 0.14, specular=0.25)
ESPRESSO = Paint(0.20, 0.13, 0.10, specular=0.25)
PAINTED_WHITE = Paint(0.88, 0.87, 0.84, specular=0.2)
WOODS = (OAK, WALNUT, PINE, CHERRY, ESPRESSO, PAINTED_WHITE)

FABRICS = (
    Paint(0.45, 0.41, 0.36, specular=0.03),
    Paint(0.24, 0.27, 0.33, specular=0.03),
    Paint(0.62, 0.55, 0.44, specular=0.03),
    Paint(0.36, 0.22, 0.17, specular=0.03),
    Paint(0.30, 0.36, 0.28, specular=0.03),
    Paint(0.55, 0.20, 0.17, specular=0.03),
    Paint(0.70, 0.68, 0.63, specular=0.03),
    Paint(0.22, 0.36, 0.48, specular=0.03),
)
LEATHERS = (
    Paint(0.12, 0.10, 0.10, shininess=0.5, specular=0.35),
    Paint(0.35, 0.19, 0.11, shininess=0.5, specular=0.35),
    Paint(0.55, 0.34, 0.20, shininess=0.5, specular=0.35),
)


def wood(look: Look) -> Paint:
    """Wood of a piece of furniture."""
    return look.vary(look.choose(WOODS, "wood"), 0.1)


def body(look: Look) -> Paint:
    """Main surface of a piece of furniture by its first salient material."""
    first = look.materials[0] if look.materials else "Wood"
    if first == "Metal":
        return look.choose((STEEL, IRON, DARK_STEEL), "metal")
    if first == "Glass":
        return GLASS
    if first == "Plastic":
        return look.choose((WHITE, CHARCOAL, CREAM), "plastic")
    if first == "Stone":
        return look.choose((GRAY, IVORY), "stone")
    return wood(look)


def frame(look: Look) -> Paint:
    """Legs and frame of a piece of furniture: metal where it has any, else its wood."""
    if look.made_of("Metal"):
        return look.choose((STEEL, IRON, CHARCOAL), "frame")
    return wood(look)


def upholstery(look: Look) -> Paint:
    """Cover of a seat."""
    if look.made_of("Leather"):
        return look.vary(look.choose(LEATHERS, "leather"), 0.1)
    return look.vary(look.choose(FABRICS, "fabric"), 0.1)


def joinery(look: Look) -> Paint:
    """Fitted cupboards and drawers: the same all over a room."""
    return look.common((PAINTED_WHITE, OAK, WALNUT, CREAM, CHERRY, ESPRESSO), "joinery")


def case(look: Look) -> Paint:
    """Furniture with drawers, doors or boards of its own: wood matches the room's joinery."""
    first = look.materials[0] if look.materials else "Wood"
    return joinery(look) if first == "Wood" else body(look)


def handle(look: Look) -> Paint:
    """Knobs and handles of fitted furniture: the same all over a room."""
    return look.common((STEEL, BRASS, DARK_STEEL), "handle")


def vessel_paint(look: Look, ceramics: tuple[Paint, ...]) -> Paint:
    """Surface of a cup, bowl or vase by its material; ceramics come in ``ceramics``."""
    if look.made_of("Glass"):
        return look.choose((GLASS, GLASS, GLASS.mixed(TEAL, 0.35)), "glass")
    if look.made_of("Metal"):
        return look.choose((STEEL, COPPER, BRASS), "metal")
    if look.made_of("Paper"):
        return PAPER
    if look.made_of("Plastic"):
        return look.choose((RED, BLUE, GREEN, YELLOW, ORANGE), "plastic")
    return look.choose(ceramics, "ceramic")
