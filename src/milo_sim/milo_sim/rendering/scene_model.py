"""A MuJoCo model that is only looked at: one free-standing body with one mesh per surface.

No physics runs on it. Bodies are moved by writing their poses; spare bodies with empty meshes take
the shapes that appear later (an opened door, a slice), because compiling anew takes long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from milo_sim.geometry import FloatArray, IndexArray
from milo_sim.rendering.surfaces import FINISHES, Finish, Surface, palette

SOLID, GLASS, HIDDEN = 0, 1, 5
"""Groups of surfaces: always drawn; drawn in colour pictures only; not drawn."""

PALETTE = "palette"
"""Name of the texture that holds the colours."""
_SPECULAR = {False: (0.12, 0.25), True: (0.55, 0.6)}
"""Strength and sharpness of the highlight of matt and glossy finishes."""
_AMBIENT = 0.5
"""Strength of the light from all around."""
SPARE_FACES = (*(600,) * 16, *(2500,) * 8)
"""Capacities of the spare meshes [triangles]."""


@dataclass(frozen=True, eq=False, slots=True)
class Texture:
    """A repeated picture: name and (height, width, 3) colours."""

    name: str
    image: npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False, slots=True)
class Drawable:
    """One surface of one thing.

    Attributes:
        owner: Object id, or name of a part of the room.
        surface: Triangles in the owner's frame, y and z swapped.
        finish: How it takes light.
        texture: Picture on it, None for the palette.
        glass: Whether masks and depth look through it.
    """

    owner: str
    surface: Surface
    finish: Finish = field(default_factory=Finish)
    texture: Texture | None = None
    glass: bool = False

    @property
    def group(self) -> int:
        """Group it is drawn in."""
        return GLASS if self.glass else SOLID


class SceneModel:
    """The compiled model and what is needed to move, show and exchange its surfaces.

    Surface i belongs to body, mesh and geom i of MuJoCo.

    Attributes:
        model: The ``MjModel``.
        data: Its ``MjData``.
        drawables: What surface i is, None for an unused spare one.
        centers: (n, 3) middles of the bounding spheres in the bodies' frames, y and z swapped.
        radii: (n,) radii of the bounding spheres [m].
    """

    def __init__(
        self,
        mujoco: Any,
        drawables: Sequence[Drawable],
        lights: Sequence[Light],
        spare: bool,
    ) -> None:
        self._mujoco = mujoco
        self.drawables: list[Drawable | None] = list(drawables)
        spec = _new_spec(mujoco)
        for drawable in drawables:
            _add_surface(mujoco, spec, drawable.surface, _material_name(drawable))
        for texture in {d.texture.name: d.texture for d in drawables if d.texture}.values():
            _add_texture(mujoco, spec, texture, texture.name)
        for faces in SPARE_FACES if spare else ():
            self.drawables.append(None)
            _add_surface(mujoco, spec, _placeholder(faces), Finish().name)
        for light in lights:
            light.add_to(mujoco, spec)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        spheres = [_sphere(d.surface if d else _NOTHING) for d in self.drawables]
        self.centers: FloatArray = np.array([s[0] for s in spheres]).reshape(-1, 3)
        self.radii: FloatArray = np.array([s[1] for s in spheres])
        self._first_spare = len(drawables)
        self._vertex_capacity = self.model.mesh_vertnum.copy()
        self._face_capacity = self.model.mesh_facenum.copy()

    def free_spare(self, surface: Surface) -> int | None:
        """Smallest unused spare surface that can take the given one; None if there is none."""
        fitting = [
            i
            for i in range(self._first_spare, len(self.drawables))
            if self.drawables[i] is None
            and self._vertex_capacity[i] >= len(surface.vertices)
            and self._face_capacity[i] >= len(surface.faces)
        ]
        return min(fitting, key=lambda i: int(self._face_capacity[i]), default=None)

    def fill(self, index: int, drawable: Drawable, context: Any) -> None:
        """Give a spare surface its shape, here and in an OpenGL context (``MjrContext``)."""
        model, surface = self.model, drawable.surface
        first, count = model.mesh_vertadr[index], len(surface.vertices)
        model.mesh_vert[first : first + count] = surface.vertices
        first = model.mesh_normaladr[index]
        model.mesh_normal[first : first + count] = surface.normals
        first = model.mesh_texcoordadr[index]
        model.mesh_texcoord[first : first + count] = surface.texture
        first, count = model.mesh_faceadr[index], len(surface.faces)
        for indices in (model.mesh_face, model.mesh_facenormal, model.mesh_facetexcoord):
            indices[first : first + count] = surface.faces
        model.mesh_facenum[index] = count
        # The compiler has moved the placeholder to its centre of mass.
        model.geom_pos[index], model.geom_quat[index] = 0.0, (1.0, 0.0, 0.0, 0.0)
        model.geom_sameframe[index] = self._mujoco.mjtSameFrame.mjSAMEFRAME_BODY.value
        model.geom_matid[index] = model.material(_material_name(drawable)).id
        self._mujoco.mjr_uploadMesh(model, context, index)
        self.drawables[index] = drawable
        self.centers[index], self.radii[index] = _sphere(surface)

    def release(self, index: int) -> None:
        """Make a spare surface free again."""
        self.drawables[index] = None

    def set_ambient(self, factors: FloatArray) -> None:
        """Multiply the light from all around by factors (3,) for red, green and blue."""
        self.model.vis.headlight.ambient = _AMBIENT * factors

    def is_spare(self, index: int) -> bool:
        """Whether a surface is one of the spare ones."""
        return index >= self._first_spare


@dataclass(frozen=True, slots=True)
class Light:
    """A light without shadows, in Unity's frame.

    Attributes:
        position: Where it is [m], or None for sunlight.
        direction: Where sunlight goes.
        strength: Diffuse share, 0 to 1.
        reach: Distance at which a lamp's light has fallen to half [m].
    """

    strength: float
    position: tuple[float, float, float] | None = None
    direction: tuple[float, float, float] = (0.0, -1.0, 0.0)
    reach: float = 4.0
    warmth: float = 1.0

    def add_to(self, mujoco: Any, spec: Any) -> None:
        """Put the light into a model under construction."""
        x, y, z = self.position or (0.0, 0.0, 0.0)
        dx, dy, dz = self.direction
        light = spec.worldbody.add_light(pos=[x, z, y], dir=[dx, dz, dy], castshadow=False)
        kinds = mujoco.mjtLightType
        # A spot that shines all round: MuJoCo keeps the falling off of spots only.
        light.type = kinds.mjLIGHT_DIRECTIONAL if self.position is None else kinds.mjLIGHT_SPOT
        light.cutoff, light.exponent = 180.0, 0.0
        if self.position is not None:
            light.attenuation = [1.0, 0.0, 1.0 / self.reach**2]
        light.diffuse = [self.strength, self.strength, self.strength * self.warmth]
        light.ambient = [0.0, 0.0, 0.0]
        light.specular = [0.6 * self.strength] * 3


def _new_spec(mujoco: Any) -> Any:
    spec = mujoco.MjSpec()
    # Masses mean nothing here, so flat and thin things need no sensible ones.
    spec.compiler.balanceinertia = True
    spec.compiler.boundmass = spec.compiler.boundinertia = 1e-6
    spec.stat.extent, spec.stat.center = 1.0, [0.0, 0.0, 0.0]
    visual = spec.visual
    visual.quality.offsamples = 0
    visual.quality.shadowsize = 0
    visual.headlight.ambient = [_AMBIENT] * 3
    visual.headlight.diffuse = [0.12, 0.12, 0.12]
    visual.headlight.specular = [0.0, 0.0, 0.0]
    _add_texture(mujoco, spec, Texture(PALETTE, palette()), None)
    for finish in FINISHES:
        _add_material(mujoco, spec, finish.name, PALETTE, finish)
    return spec


def _add_texture(mujoco: Any, spec: Any, texture: Texture, material: str | None) -> None:
    height, width, _ = texture.image.shape
    added = spec.add_texture(name=texture.name, type=mujoco.mjtTexture.mjTEXTURE_2D)
    added.height, added.width, added.nchannel = height, width, 3
    added.data = np.ascontiguousarray(texture.image).tobytes()
    if material is not None:
        _add_material(mujoco, spec, material, texture.name, Finish())


def _add_material(mujoco: Any, spec: Any, name: str, texture: str, finish: Finish) -> None:
    material = spec.add_material(name=name)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = texture
    material.rgba = [1.0, 1.0, 1.0, finish.opacity / 10]
    material.specular, material.shininess = _SPECULAR[finish.glossy]
    material.emission = finish.emission / 4
    material.reflectance = 0.0


def _material_name(drawable: Drawable) -> str:
    return drawable.texture.name if drawable.texture else drawable.finish.name


def _add_surface(mujoco: Any, spec: Any, surface: Surface, material: str) -> None:
    mesh = spec.add_mesh(name=f"surface{len(spec.meshes)}")
    mesh.uservert = surface.vertices.ravel()
    mesh.usernormal = surface.normals.ravel()
    mesh.usertexcoord = surface.texture.ravel()
    mesh.userface = surface.faces.ravel()
    # Of a volume MuJoCo would want to know the mass, and refuse what is thin.
    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    body = spec.worldbody.add_body(mocap=True)
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=mesh.name,
        material=material,
        contype=0,
        conaffinity=0,
    )


_NOTHING = Surface(
    np.zeros((1, 3)), np.zeros((1, 3)), np.zeros((1, 2)), np.zeros((0, 3), dtype=np.int32)
)


def _placeholder(faces: int) -> Surface:
    """A mesh of as many triangles, each with vertices of its own, that the compiler accepts."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float64)
    sides: IndexArray = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    points = np.tile(corners[sides].reshape(-1, 3), (-(-faces // 4), 1))[: 3 * faces]
    up = np.tile([0.0, 0.0, 1.0], (3 * faces, 1))
    order = np.arange(3 * faces, dtype=np.int32).reshape(-1, 3)
    return Surface(points, up, np.zeros((3 * faces, 2)), order)


def _sphere(surface: Surface) -> tuple[FloatArray, float]:
    low, high = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
    center = (low + high) / 2
    return center, float(np.linalg.norm(surface.vertices - center, axis=1).max())
