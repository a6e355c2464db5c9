"""Argument types of the engine's actions and their conversion from JSON.

The rules are those of Newtonsoft.Json as AI2-THOR's dispatcher uses it: numbers, text and truth
values convert into each other where they can, structures do not; absent vector components are 0.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

Vector = tuple[float, float, float]


class ConversionError(ValueError):
    """A JSON value that does not convert to the wanted type."""


def _to_float(value: Any) -> float:
    if not isinstance(value, bool | int | float | str):
        raise ConversionError
    try:
        number = float(value)
    except (ValueError, OverflowError) as error:
        raise ConversionError from error
    if not math.isfinite(number):
        raise ConversionError
    return number


def _to_int(value: Any) -> int:
    number = round(_to_float(value))
    if not -(2**31) <= number < 2**31:
        raise ConversionError
    return number


def _to_bool(value: Any) -> bool:
    if isinstance(value, bool | int | float):
        return bool(value)
    if isinstance(value, str) and value.strip().lower() in {"true", "false"}:
        return value.strip().lower() == "true"
    raise ConversionError


def _to_text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool | int | float | str):
        return text_of(value)
    raise ConversionError


def _to_vector(value: Any) -> Vector:
    if not isinstance(value, Mapping) or set(value) - {"x", "y", "z"}:
        raise ConversionError
    x, y, z = (_to_float(value.get(axis, 0.0)) for axis in "xyz")
    return (x, y, z)


def _to_structure(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ConversionError
    return value


def _to_partial_vector(value: Any) -> tuple[float | None, float | None, float | None]:
    if not isinstance(value, Mapping) or set(value) - {"x", "y", "z"}:
        raise ConversionError
    given = (value.get(axis) for axis in "xyz")
    x, y, z = (None if part is None else _to_float(part) for part in given)
    return (x, y, z)


def _list_of(convert: Callable[[Any], Any]) -> Callable[[Any], list[Any] | None]:
    def convert_list(value: Any) -> list[Any] | None:
        if value is None:
            return None
        if not isinstance(value, list):
            raise ConversionError
        return [convert(item) for item in value]

    return convert_list


def _to_pose(value: Any) -> dict[str, Any]:
    """An ``ObjectPose``: name, position and rotation of an object."""
    if not isinstance(value, Mapping) or set(value) - {"objectName", "position", "rotation"}:
        raise ConversionError
    return {
        "objectName": _to_text(value.get("objectName")) or "",
        "position": _to_vector(value.get("position", {})),
        "rotation": _to_vector(value.get("rotation", {})),
    }


def _to_count(value: Any) -> dict[str, Any]:
    """An ``ObjectTypeCount``: how many objects of a type there shall be."""
    if not isinstance(value, Mapping) or set(value) - {"objectType", "count"}:
        raise ConversionError
    return {
        "objectType": _to_text(value.get("objectType")) or "",
        "count": _to_int(value.get("count", 0)),
    }


@dataclass(frozen=True)
class _TypeFacts:
    """Name the engine prints for a parameter, name in a conversion error, and the conversion."""

    signature_name: str
    error_name: str
    convert: Callable[[Any], Any]
    accepts_null: bool = False


class ArgumentType(Enum):
    """Types of action parameters; a member name ending in ``_OR_NULL`` is a C# ``Nullable``."""

    FLOAT = _TypeFacts("Single", "float", _to_float)
    FLOAT_OR_NULL = _TypeFacts("Nullable`1", "float", _to_float, True)
    INT = _TypeFacts("Int32", "int", _to_int)
    INT_OR_NULL = _TypeFacts("Nullable`1", "int", _to_int, True)
    BOOL = _TypeFacts("Boolean", "Boolean", _to_bool)
    BOOL_OR_NULL = _TypeFacts("Nullable`1", "Boolean", _to_bool, True)
    TEXT = _TypeFacts("String", "String", _to_text, True)
    VECTOR = _TypeFacts("Vector3", "Vector3", _to_vector)
    VECTOR_OR_NULL = _TypeFacts("Nullable`1", "Vector3", _to_vector, True)
    PARTIAL_VECTOR_OR_NULL = _TypeFacts(
        "OptionalVector3", "OptionalVector3", _to_partial_vector, True
    )
    STRUCTURE = _TypeFacts("ProceduralHouse", "ProceduralHouse", _to_structure)
    FLOATS = _TypeFacts("Single[]", "Single[]", _list_of(_to_float), True)
    BOOLS = _TypeFacts("Boolean[]", "Boolean[]", _list_of(_to_bool), True)
    TEXTS = _TypeFacts("String[]", "String[]", _list_of(_to_text), True)
    OBJECT_POSES = _TypeFacts("ObjectPose[]", "ObjectPose[]", _list_of(_to_pose), True)
    TYPE_COUNTS = _TypeFacts("ObjectTypeCount[]", "ObjectTypeCount[]", _list_of(_to_count), True)
    VECTORS = _TypeFacts("Vector3[]", "Vector3[]", _list_of(_to_vector), True)

    @property
    def signature_name(self) -> str:
        """The .NET name that the engine prints in a list of signatures."""
        return self.value.signature_name

    @property
    def error_name(self) -> str:
        """The name that the engine prints when a value does not convert."""
        return self.value.error_name

    def convert(self, value: Any) -> Any:
        """Convert a JSON value.

        Raises:
            ConversionError: The value does not convert.
        """
        if value is None and self.value.accepts_null:
            return None
        return self.value.convert(value)


class Required(Enum):
    """Marks a parameter without default."""

    REQUIRED = "required"


REQUIRED: Final = Required.REQUIRED


class Support(Enum):
    """What milo_sim does with a parameter of the engine.

    ``IGNORED`` are parameters the engine itself does not read; with ``DEFAULT_ONLY`` another value
    than the default is refused, because its effect is not simulated.
    """

    USED = "used"
    IGNORED = "ignored"
    DEFAULT_ONLY = "default only"


@dataclass(frozen=True)
class Parameter:
    """One named parameter of an action."""

    name: str
    type: ArgumentType
    default: Any = REQUIRED
    support: Support = Support.USED

    @property
    def is_required(self) -> bool:
        """Whether a call must give this argument."""
        return self.default is REQUIRED

    def __str__(self) -> str:
        declaration = f"{self.type.signature_name} {self.name}"
        return declaration if self.is_required else f"{declaration} = {text_of(self.default)}"


def text_of(value: Any) -> str:
    """A value as .NET prints it: ``True``, ``1`` for 1.0, nothing for null, structures as JSON."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.7g}"
    if isinstance(value, bool | int | str):
        return str(value)
    return json.dumps(value, indent=2)
