"""Putting coloured solids together into the look of one object."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from milo_sim.appearance import shapes
from milo_sim.appearance.parts import FloatArray, IntArray, Part, Vector
from milo_sim.appearance.shapes import Mesh, Point2, Point3

_TOUCH = 1e-9


@dataclass(frozen=True, slots=True)
class Paint:
    """Colour and finish of a surface; all values 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0
    shininess: float = 0.3
    specular: float = 0.2
    emission: float = 0.0

    def scaled(self, factor: float) -> Paint:
        """A darker (below 1) or lighter colour of the same finish."""
        red, green, blue = (min(1.0, c * factor) for c in (self.red, self.green, self.blue))
        return replace(self, red=red, green=green, blue=blue)

    def mixed(self, other: Paint, share: float) -> Paint:
        """The colour with a share of another one."""
        pairs = ((self.red, other.red), (self.green, other.green), (self.blue, other.blue))
        red, green, blue = (a + (b - a) * share for a, b in pairs)
        return replace(self, red=red, green=green, blue=blue)

    def glowing(self, emission: float = 0.9) -> Paint:
        """The same colour, giving light."""
        return replace(self, emission=emission)

    def clear(self, alpha: float) -> Paint:
        """The same colour with another opacity."""
        return replace(self, alpha=alpha)


@dataclass(frozen=True, slots=True)
class _Solid:
    """A mesh and, where it is one, the primitive it stands for."""

    vertices: FloatArray
    faces: IntArray
    kind: str


class Model:
    """Solids of several paints in one frame; every method adds one."""

    def __init__(self) -> None:
        self._groups: dict[Paint, list[_Solid]] = {}

    def mesh(self, mesh: Mesh, paint: Paint, kind: str = "mesh") -> None:
        """A closed mesh as it is."""
        self._groups.setdefault(paint, []).append(_Solid(mesh[0], mesh[1], kind))

    def box(self, low: Point3, high: Point3, paint: Paint) -> None:
        """Box between two corners, given in any order; one without volume is left out."""
        lo = (min(low[0], high[0]), min(low[1], high[1]), min(low[2], high[2]))
        hi = (max(low[0], high[0]), max(low[1], high[1]), max(low[2], high[2]))
        if all(b - a > _TOUCH for a, b in zip(lo, hi, strict=True)):
            self.mesh(shapes.box(lo, hi), paint, "box")

    def block(
        self, center: Point3, size: Point3, paint: Paint, turn: FloatArray | None = None
    ) -> None:
        """Box by centre and size, turned by a rotation matrix (3, 3)."""
        half = (size[0] / 2, size[1] / 2, size[2] / 2)
        vertices, faces = shapes.box((-half[0], -half[1], -half[2]), half)
        kind = "box"
        if turn is not None:
            vertices, kind = vertices @ turn.T, "mesh"
        self.mesh((vertices + np.array(center), faces), paint, kind)

    def revolve(
        self,
        profile: Sequence[Point2],
        paint: Paint,
        at: Point3 = (0.0, 0.0, 0.0),
        axis: str = "y",
        count: int = 16,
    ) -> None:
        """Solid of revolution about an axis through ``at``; see ``shapes.revolve``."""
        vertices, faces = shapes.along(shapes.revolve(tuple(profile), count), axis)
        self.mesh((vertices + np.array(at), faces), paint)

    def cone(
        self,
        base: Point3,
        height: float,
        radius: float,
        top: float,
        paint: Paint,
        axis: str = "y",
        count: int = 14,
    ) -> None:
        """Frustum that stands on ``base`` and narrows from ``radius`` to ``top``."""
        rim = ((radius, 0.0), (top, height)) if top > 0.0 else ((radius, 0.0),)
        self.revolve(((0.0, 0.0), *rim, (0.0, height)), paint, base, axis, count)

    def rod(
        self,
        base: Point3,
        height: float,
        radius: float,
        paint: Paint,
        axis: str = "y",
        count: int = 12,
    ) -> None:
        """Cylinder that stands on ``base``."""
        self.cone(base, height, radius, radius, paint, axis, count)

    def ball(self, center: Point3, radii: Point3, paint: Paint, count: int = 12) -> None:
        """Ellipsoid."""
        vertices, faces = shapes.ball(count, max(4, count // 2))
        placed = vertices * np.array(radii) + np.array(center)
        self.mesh((placed, faces), paint, "ellipsoid")

    def pad(
        self,
        low: Point3,
        high: Point3,
        paint: Paint,
        round_y: float = 0.5,
        round_xz: float = 0.4,
        count: int = 16,
    ) -> None:
        """Rounded box between two corners; see ``shapes.pad``."""
        vertices, faces = shapes.pad(round_y, round_xz, count, 4 if count < 18 else 6)
        lo, hi = np.minimum(low, high), np.maximum(low, high)
        if np.all(hi - lo > _TOUCH):
            self.mesh((vertices * ((hi - lo) / 2) + (lo + hi) / 2, faces), paint)

    def tube(
        self,
        path: Sequence[Point3],
        radius: float | Sequence[float],
        paint: Paint,
        count: int = 6,
        closed: bool = False,
    ) -> None:
        """Round bar along a path."""
        self.mesh(shapes.tube(path, radius, count, closed), paint)

    def hoop(
        self,
        center: Point3,
        radius: float,
        thickness: float,
        paint: Paint,
        axis: str = "y",
        count: int = 14,
        stretch: float = 1.0,
    ) -> None:
        """Ring of round wire; ``stretch`` lengthens it along its second axis."""
        ring = [
            (radius * math.cos(a), 0.0, stretch * radius * math.sin(a))
            for a in (2 * math.pi * i / count for i in range(count))
        ]
        sides = 4 if thickness < 0.06 * radius else 6
        vertices, faces = shapes.along(shapes.tube(ring, thickness, sides, True), axis)
        self.mesh((vertices + np.array(center), faces), paint)

    def prism(
        self,
        outline: Sequence[Point2],
        low: float,
        high: float,
        paint: Paint,
        axis: str = "y",
        cap: str = "fan",
    ) -> None:
        """Outline extruded along an axis.

        The outline is (x, z) for axis y, (x, y) for axis z and (z, y) for axis x.
        """
        vertices, faces = shapes.prism(outline, low, high, cap)
        if axis == "z":
            vertices = vertices[:, [0, 2, 1]]
        elif axis == "x":
            vertices = vertices[:, [1, 2, 0]]
        self.mesh(shapes.face_outward((vertices, faces)), paint)

    def loft(self, rings: FloatArray, paint: Paint, smooth: bool = True, cap: str = "fan") -> None:
        """Skin over rings (r, n, 3); see ``shapes.loft``."""
        self.mesh(shapes.loft(rings, cap, smooth), paint)

    def vessel(
        self,
        outside: Sequence[Point2],
        wall: float,
        floor: float,
        paint: Paint,
        at: Point3 = (0.0, 0.0, 0.0),
        count: int = 16,
    ) -> None:
        """Hollow body of revolution, open on top.

        ``outside`` runs from the edge of the foot up to the rim; the inside follows it at the
        distance ``wall`` and ends ``floor`` above the foot.
        """
        bottom = outside[0][1] + floor
        inside: list[Point2] = []
        for radius, height in reversed(outside):
            inside.append((max(radius - wall, 1e-4), max(height, bottom)))
            if height <= bottom:
                break
        profile = [(0.0, outside[0][1]), *outside, *inside, (0.0, bottom)]
        self.revolve(profile, paint, at, count=count)

    def square_vessel(
        self, outside: Sequence[Point2], wall: float, floor: float, paint: Paint
    ) -> None:
        """Hollow four-sided body, open on top; ``outside`` gives (half side, y) upward."""
        corner = math.sqrt(2.0)
        body = Model()
        scaled = [(corner * half, y) for half, y in outside]
        body.vessel(scaled, corner * wall, floor, paint, count=4)
        turn = np.array([[1.0, 0.0, 1.0], [0.0, corner, 0.0], [-1.0, 0.0, 1.0]]) / corner
        for solid in body._groups[paint]:
            flat = shapes.explode((solid.vertices @ turn.T, solid.faces))
            self.mesh(flat, paint)

    def tray(
        self, low: Point3, high: Point3, wall: float, paint: Paint, floor: float | None = None
    ) -> None:
        """Hollow box, open on top."""
        (x0, y0, z0), (x1, y1, z1) = low, high
        wall = min(wall, 0.3 * (x1 - x0), 0.3 * (z1 - z0))
        base = y0 + min(wall if floor is None else floor, 0.5 * (y1 - y0))
        self.box(low, (x1, base, z1), paint)
        self.box((x0, base, z0), (x0 + wall, y1, z1), paint)
        self.box((x1 - wall, base, z0), (x1, y1, z1), paint)
        self.box((x0 + wall, base, z0), (x1 - wall, y1, z0 + wall), paint)
        self.box((x0 + wall, base, z1 - wall), (x1 - wall, y1, z1), paint)

    def niche(self, low: Point3, high: Point3, wall: float, paint: Paint) -> None:
        """Hollow box, open towards +z."""
        (x0, y0, z0), (x1, y1, z1) = low, high
        wall = min(wall, 0.2 * (x1 - x0), 0.2 * (y1 - y0), 0.3 * (z1 - z0))
        self.box(low, (x1, y1, z0 + wall), paint)
        self.box((x0, y0, z0 + wall), (x0 + wall, y1, z1), paint)
        self.box((x1 - wall, y0, z0 + wall), (x1, y1, z1), paint)
        self.box((x0 + wall, y0, z0 + wall), (x1 - wall, y0 + wall, z1), paint)
        self.box((x0 + wall, y1 - wall, z0 + wall), (x1 - wall, y1, z1), paint)

    def add(
        self,
        other: Model,
        scale: Point3 = (1.0, 1.0, 1.0),
        turn: FloatArray | None = None,
        at: Point3 = (0.0, 0.0, 0.0),
    ) -> None:
        """Another model, scaled (all factors positive), then turned, then moved."""
        linear = np.diag(scale) if turn is None else turn @ np.diag(scale)
        for paint, solids in other._groups.items():
            for solid in solids:
                kind = solid.kind if turn is None else "mesh"
                vertices = solid.vertices @ linear.T + np.array(at)
                self._groups.setdefault(paint, []).append(_Solid(vertices, solid.faces, kind))

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lowest and highest coordinates (3,) of all vertices."""
        solids = [s for group in self._groups.values() for s in group]
        lows = np.array([s.vertices.min(axis=0) for s in solids])
        highs = np.array([s.vertices.max(axis=0) for s in solids])
        return lows.min(axis=0), highs.max(axis=0)

    def fit(self, size: Vector, center: Vector = (0.0, 0.0, 0.0)) -> Model:
        """The model stretched along each axis so that it fills a box exactly."""
        low, high = self.bounds()
        scale = np.array(size) / np.maximum(high - low, 1e-12)
        return self._mapped(scale, np.array(center) - scale * (low + high) / 2)

    def within(self, size: Vector) -> Model:
        """The model, squeezed along each axis by which it leaves a box of that size."""
        low, high = self.bounds()
        half = np.array(size) / 2
        low, high = np.minimum(low, -half), np.maximum(high, half)
        scale = 2 * half / (high - low)
        if np.all(scale > 1.0 - 1e-9):
            return self
        return self._mapped(scale, -scale * (low + high) / 2)

    def _mapped(self, scale: FloatArray, offset: FloatArray) -> Model:
        result = Model()
        for paint, solids in self._groups.items():
            result._groups[paint] = [
                _Solid(s.vertices * scale + offset, s.faces, s.kind) for s in solids
            ]
        return result

    def painted(self, change: dict[Paint, Paint]) -> Model:
        """The model with some paints replaced."""
        result = Model()
        for paint, solids in self._groups.items():
            result._groups.setdefault(change.get(paint, paint), []).extend(solids)
        return result

    def paints(self) -> tuple[Paint, ...]:
        """Its paints, in the order in which they came."""
        return tuple(self._groups)

    def parts(self) -> tuple[Part, ...]:
        """One part a paint: what shares a paint is one mesh, a lone box or ellipsoid stays one."""
        return tuple(_part(paint, solids) for paint, solids in self._groups.items())


def _part(paint: Paint, solids: list[_Solid]) -> Part:
    vertices = np.concatenate([s.vertices for s in solids])
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    center = (low + high) / 2
    x, y, z = center.tolist()
    half_x, half_y, half_z = ((high - low) / 2).tolist()
    part = Part(
        kind="mesh",
        center=(x, y, z),
        half_size=(half_x, half_y, half_z),
        color=(paint.red, paint.green, paint.blue, paint.alpha),
        shininess=paint.shininess,
        specular=paint.specular,
        emission=paint.emission,
    )
    if len(solids) == 1 and solids[0].kind == "box":
        return replace(part, kind="box")
    if len(solids) == 1 and solids[0].kind == "ellipsoid":
        return replace(part, kind="ellipsoid")
    starts = np.cumsum([0] + [len(s.vertices) for s in solids[:-1]])
    faces = np.concatenate([s.faces + n for s, n in zip(solids, starts, strict=True)])
    vertices = vertices - center
    faces = faces.astype(np.int32)
    vertices.setflags(write=False)
    faces.setflags(write=False)
    return replace(part, vertices=vertices, faces=faces)
