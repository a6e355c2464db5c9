"""Scenes of one's own: JSON files of a documented format, checked strictly.

The format is that of the packaged scenes; docs/scene.schema.json is made from the models here by
``python -m milo_sim.scene_file``. What a hand-written file leaves out is completed by
:mod:`milo_sim.scene_defaults`. All lengths are metres and all angles degrees, in Unity's frame.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from milo_core.object_types import OBJECT_TYPES, UnknownObjectTypeError, to_object_type
from milo_sim.errors import SceneFileError
from milo_sim.scene import Scene, parse_scene

Flag = Literal[
    "breakable",
    "canBeUsedUp",
    "canFillWithLiquid",
    "cookable",
    "dirtyable",
    "isColdSource",
    "isHeatSource",
    "moveable",
    "openable",
    "pickupable",
    "receptacle",
    "sliceable",
    "toggleable",
]
"""Properties that an object can have, by their names in AI2-THOR's metadata."""
Material = Literal[
    "Ceramic",
    "Fabric",
    "Food",
    "Glass",
    "Leather",
    "Metal",
    "Organic",
    "Paper",
    "Plastic",
    "Rubber",
    "Soap",
    "Sponge",
    "Stone",
    "Wax",
    "Wood",
]
"""Materials that AI2-THOR knows."""
LARGEST = 100.0
"""No coordinate and no side is longer than this [m]."""


def _known_type(name: str) -> str:
    if name in OBJECT_TYPES:
        return name
    try:
        meant = to_object_type(name)
    except UnknownObjectTypeError:
        raise ValueError(f"{name!r} is no AI2-THOR object type") from None
    raise ValueError(f"{name!r} is no AI2-THOR object type; write {meant}")


Coordinate = Annotated[float, Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False)]
Side = Annotated[float, Field(ge=0.0, le=LARGEST, allow_inf_nan=False)]
Length = Annotated[float, Field(gt=0.0, le=LARGEST, allow_inf_nan=False)]
Angle = Annotated[float, Field(ge=-360.0, le=360.0, allow_inf_nan=False)]
Mass = Annotated[float, Field(gt=0.0, le=10_000.0, allow_inf_nan=False)]
Point = tuple[Coordinate, Coordinate, Coordinate]
Cell = Annotated[float, Field(ge=-LARGEST, le=LARGEST, multiple_of=0.25, allow_inf_nan=False)]
ObjectId = Annotated[str, Field(min_length=3, max_length=200, pattern=r"^[^|\s]+\|.+$")]
TypeName = Annotated[
    str,
    AfterValidator(_known_type),
    WithJsonSchema({"type": "string", "enum": sorted(OBJECT_TYPES)}),
]
LatticeAxis = tuple[Coordinate, Length, Annotated[int, Field(ge=1, le=9)]]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class AgentModel(_Strict):
    """Where the agent starts."""

    position: Point = Field(
        description="Centre of the agent, 0.9 m above the floor. It has to be a free place."
    )
    yaw: Angle = Field(0.0, description="Direction it looks in, clockwise from +z seen from above.")
    yaw_assumed: bool = Field(False, description="Only in packaged scenes: the yaw is a guess.")


class BoundsModel(_Strict):
    """Box around the scene."""

    center: Point
    size: tuple[Side, Side, Side]
    assumed: bool = Field(
        False, description="Only in packaged scenes: the union of the objects' boxes."
    )


class StateModel(_Strict):
    """State of an object at the start, by the names of AI2-THOR's metadata."""

    isOpen: bool | None = None
    openness: Annotated[float, Field(ge=0.0, le=1.0)] | None = None
    isToggled: bool = False
    isDirty: bool = False
    isFilledWithLiquid: bool = False


_NEEDED_FLAGS = {
    "isOpen": "openable",
    "openness": "openable",
    "isToggled": "toggleable",
    "isDirty": "dirtyable",
    "isFilledWithLiquid": "canFillWithLiquid",
}


class ObjectModel(_Strict):
    """One simulator object.

    Its box is given by ``size``, or by ``aabb`` and, for what can be moved, ``oobb``; without any
    of them it has the usual size of its type.
    """

    type: TypeName = Field(description="AI2-THOR object type.")
    id: ObjectId | None = Field(
        None, description="Unique; left out it is made like the engine's: Mug|+00.25|+00.90|-01.00."
    )
    name: str | None = Field(None, min_length=1, max_length=200, description="Unique.")
    asset: str = Field("", description="Objects of the same asset look the same.")
    position: Point = Field(
        description="The pivot; with `size` it is the middle of the box's bottom."
    )
    rotation: tuple[Angle, Angle, Angle] = Field(
        (0.0, 0.0, 0.0), description="Unity's Euler angles (turn about z, then x, then y)."
    )
    size: tuple[Length, Length, Length] | None = Field(
        None, description="Sides of its box along its own x, y and z, standing on `position`."
    )
    aabb: tuple[Coordinate, Coordinate, Coordinate, Side, Side, Side] | None = Field(
        None, description="Centre and size of the box along the world's axes."
    )
    oobb: Annotated[list[Coordinate], Field(min_length=24, max_length=24)] | None = Field(
        None,
        description="Corners x, y, z of the box along its own axes: +x+z, -x+z, -x-z, +x-z at the"
        " bottom, the same at the top.",
    )
    flags: list[Flag] | None = Field(
        None, description="What can be done with it; left out: all that its type can have."
    )
    state: StateModel = StateModel()
    temperature: Literal["Cold", "Hot", "RoomTemp"] = "RoomTemp"
    mass: Mass | None = Field(None, description="Kilograms; left out: the usual of its type.")
    materials: list[Material] | None = Field(None, description="Left out: those of its type.")
    parents: list[ObjectId] | None = Field(
        None,
        description="Receptacles it lies in or on. Left out: those without `contents` that its box"
        " reaches into; what is in a closed container has to name it.",
    )
    contents: list[ObjectId] | None = Field(
        None, description="All that a receptacle holds; left out: what names it in `parents`."
    )
    controls: list[ObjectId] | None = Field(
        None, description="What it switches on and off, as a stove knob its burner."
    )
    moving: bool = Field(False, description="Only in packaged scenes: recorded before it rested.")
    lattice: tuple[LatticeAxis | None, LatticeAxis | None] | None = Field(
        None,
        description="Placement grid of a receptacle along its x and z: first coordinate from the"
        " middle, spacing, number of points seen. Left out: the whole box.",
    )
    content_height: tuple[Coordinate, Coordinate] | None = Field(
        None, description="Lowest and highest pivot of what a receptacle holds."
    )

    def own_flags(self) -> list[Flag]:
        """The flags given, else all that the type can have."""
        if self.flags is not None:
            return list(self.flags)
        row = OBJECT_TYPES[self.type]
        can = {
            "canBeUsedUp": row.can_be_used_up,
            "canFillWithLiquid": row.fillable,
            "isColdSource": row.cold_source,
            "isHeatSource": row.heat_source,
        }
        can |= {name: getattr(row, name) for name in get_args(Flag) if name not in can}
        return [name for name in get_args(Flag) if can[name]]

    @property
    def is_loose(self) -> bool:
        """Whether it can be moved; the engine reports an oriented box for these only."""
        return bool({"pickupable", "moveable"} & set(self.own_flags()))

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.size is not None and (self.aabb is not None or self.oobb is not None):
            raise ValueError("size, or aabb and oobb, but not both")
        if self.oobb is not None and self.aabb is None:
            raise ValueError("aabb is missing beside oobb")
        if self.aabb is not None and self.oobb is None and self.is_loose:
            raise ValueError("oobb is missing beside aabb: the object can be moved; or give size")
        if self.aabb is None and self.size is None and OBJECT_TYPES[self.type].box_size is None:
            raise ValueError(f"size is missing: {self.type} has no usual size")
        flags = self.own_flags()
        for name in self.state.model_fields_set:
            if getattr(self.state, name) and _NEEDED_FLAGS[name] not in flags:
                raise ValueError(f"state.{name} needs the flag {_NEEDED_FLAGS[name]}")
        if self.contents and "receptacle" not in flags:
            raise ValueError("contents needs the flag receptacle")
        return self


class SceneModel(_Strict):
    """A scene as it starts: the agent, the free places and the objects.

    Lengths are metres, angles degrees, in Unity's left-handed frame: x right, y up, z forward.
    """

    json_schema: str | None = Field(
        None, alias="$schema", description="Address of this schema, for editors."
    )
    scene: str | None = Field(
        None, min_length=1, max_length=100, description="Name; left out: that of the file."
    )
    room_type: Literal["Kitchen", "LivingRoom", "Bedroom", "Bathroom"] = Field(
        description="Look of walls and floor."
    )
    agent: AgentModel
    bounds: BoundsModel | None = Field(
        None, description="Left out: the union of the objects' boxes."
    )
    floor_y: Coordinate = Field(0.0, description="Height of the floor.")
    reachable: Annotated[list[tuple[Cell, Cell]], Field(min_length=1)] | None = Field(
        None,
        description="Free places (x, z) of the agent on the 0.25 m grid. Left out: all places"
        " inside the bounds that it can walk to without touching an object's box.",
    )
    inferred: list[tuple[Cell, Cell]] = Field(
        [], description="More free places; only in packaged scenes: not on record."
    )
    objects: Annotated[list[ObjectModel], Field(min_length=1, max_length=2000)]

    @model_validator(mode="after")
    def _check(self) -> Self:
        ids = [obj.id for obj in self.objects if obj.id is not None]
        _refuse_twice("object id", ids)
        _refuse_twice("object name", (obj.name for obj in self.objects if obj.name is not None))
        _refuse_twice("reachable place", [*(self.reachable or ()), *self.inferred])
        return self


def _refuse_twice(what: str, values: Iterable[Any]) -> None:
    twice = [value for value, count in Counter(values).items() if count > 1]
    if twice:
        raise ValueError(f"{what} {twice[0]} is there twice")


def load_scene_file(path: str | Path) -> Scene:
    """Load a scene of one's own from a JSON file.

    ``Scene.source`` is the path as given, by which Reset takes it.

    Raises:
        SceneFileError: The file cannot be read or breaks the format; the message names the file,
            the object and the field.
    """
    file = Path(path).expanduser()
    try:
        if file.exists() and not file.is_file():
            raise SceneFileError(f"Scene file {path} is not a regular file.")
        text = file.read_text("utf-8")
    except UnicodeDecodeError:
        raise SceneFileError(f"Scene file {path} is not UTF-8 text.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SceneFileError(f"Scene file {path} cannot be read: {reason}.") from None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SceneFileError(f"Scene file {path} is not valid JSON: {error}.") from None
    return scene_of(data, f"Scene file {path}", file.stem, str(path))


def scene_of(data: object, origin: str, name: str, source: str) -> Scene:
    """Check a scene given as parsed JSON and complete it.

    Args:
        data: What the file holds.
        origin: What to call it in error messages.
        name: Name of the scene if the data give none.
        source: Name by which Reset takes the scene.

    Raises:
        SceneFileError: The data break the format.
    """
    from milo_sim.scene_defaults import complete

    try:
        model = SceneModel.model_validate_json(json.dumps(data))
        return parse_scene(complete(model, name), source)
    except ValidationError as error:
        raise SceneFileError(f"{origin}: {_sentence(error, data)}") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise SceneFileError(f"{origin}: {error}.") from None


def _sentence(error: ValidationError, data: object) -> str:
    """The first problem, with the object and the field; the others are counted."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    first, *others = problems
    text = first["msg"].removeprefix("Value error, ")
    place = ", ".join(_place(first["loc"], data))
    more = f" ({len(others)} more)" if others else ""
    return f"{place}: {text}{more}." if place else f"{text}{more}."


def _place(location: tuple[int | str, ...], data: object) -> Iterator[str]:
    if len(location) > 1 and location[0] == "objects" and isinstance(location[1], int):
        yield _object_label(data, location[1])
        location = location[2:]
    if location:
        yield "field " + ".".join(map(str, location))


def _object_label(data: object, index: int) -> str:
    """An object's id, or its number and type, as the file gives them."""
    entry = data["objects"][index] if isinstance(data, Mapping) else None
    given = entry if isinstance(entry, Mapping) else {}
    if isinstance(given.get("id"), str):
        return f"object {given['id']}"
    kind = given.get("type")
    return f"object {index + 1}" + (f" ({kind})" if isinstance(kind, str) else "")


def schema() -> dict[str, Any]:
    """JSON Schema of the format (draft 2020-12)."""
    made = SceneModel.model_json_schema()
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "milo_sim scene"}
    return {**head, **{key: value for key, value in made.items() if key != "title"}}


def schema_text() -> str:
    """The schema as docs/scene.schema.json has it."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    print(schema_text(), end="")
