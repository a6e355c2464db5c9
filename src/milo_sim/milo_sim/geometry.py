"""Vectors, rotations, boxes and rays in the Unity frame."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Vector = tuple[float, float, float]
FloatArray = npt.NDArray[np.float64]
