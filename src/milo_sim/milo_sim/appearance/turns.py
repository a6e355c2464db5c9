"""Rotation matrices (3, 3) that models are built with."""

from __future__ import annotations

import math

import numpy as np

from milo_sim.appearance.parts import FloatArray

Y_TO_X: FloatArray = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
"""Lays what points along y along x; the others likewise."""
Y_TO_Z: FloatArray = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
Z_TO_X: FloatArray = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
Z_TO_Y: FloatArray = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])


def about_x(degrees: float) -> FloatArray:
    """Leans what points up (y) towards -z."""
    cos, sin = _cos_sin(degrees)
    return np.array([[1.0, 0.0, 0.0], [0.0, cos, sin], [0.0, -sin, cos]])


def about_y(degrees: float) -> FloatArray:
    """Turns z towards x."""
    cos, sin = _cos_sin(degrees)
    return np.array([[cos, 0.0, sin], [0.0, 1.0, 0.0], [-sin, 0.0, cos]])


def about_z(degrees: float) -> FloatArray:
    """Turns x towards y."""
    cos, sin = _cos_sin(degrees)
    return np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])


def _cos_sin(degrees: float) -> tuple[float, float]:
    return math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
