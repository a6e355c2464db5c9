"""Procedural looks of all AI2-THOR object types: few triangles, own colours, any box size.

``build_parts`` gives the solids of one object in the frame of its oriented box. The shapes are this
project's own; sizes, flags and materials come from the packaged scenes.
"""

from milo_sim.appearance.build import build_parts
from milo_sim.appearance.parts import Part
from milo_sim.appearance.triangles import triangles, vertex_normals

__all__ = ["Part", "build_parts", "triangles", "vertex_normals"]
