"""The one table of AI2-THOR object types, and the one way from a word to a type.

The facts come from AI2-THOR 5.0.0 (documentation table, `SimObjType.cs` and the 120 iTHOR scenes);
`tools/build_object_types.py` writes the data file, NOTICE names sources and licences.
"""

import difflib
import functools
import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType
from typing import Any, Literal

from milo_core.errors import MiloError

ReceptacleKind = Literal["in", "on", "in_bottom_corners"]


class UnknownObjectTypeError(MiloError):
    """A name that stands for no AI2-THOR object type."""


@dataclass(frozen=True)
class ObjectType:
    """Facts of one AI2-THOR object type.

    A flag is true when instances of the type can have the property; the metadata of an instance
    says whether it does.
    """

    name: str
    spoken: str
    """Lower-case words, as a detector prompt wants them: `remote control`."""
    pickupable: bool
    moveable: bool
    receptacle: bool
    openable: bool
    toggleable: bool
    breakable: bool
    dirtyable: bool
    cookable: bool
    sliceable: bool
    fillable: bool
    can_be_used_up: bool
    heat_source: bool
    cold_source: bool
    placement_restrictions: frozenset[str] | None
    """Receptacle types an unforced PutObject accepts for it; None: no restriction."""
    receptacle_kind: ReceptacleKind | None
    """Which corner rule PutObject applies to this receptacle: "in" wants all 8 box corners inside
    the trigger box, "on" and "in_bottom_corners" at least 4, None no corner."""
    must_be_open: bool
    """PutObject refuses it as a receptacle while it is closed."""
    all_points: bool
    """PutObject also tries points of this receptacle that are out of view."""
    always_upright: bool
    """PutObject turns it about the vertical axis only."""
    parent_id_prefix: bool
    """Its object id is `<parent id>|<type>`."""
    must_be_closed_to_turn_on: bool
    open_receptacle: bool
    """InitialRandomSpawn uses it also when all objects have to be in sight."""
    slices: tuple[str, int] | None
    """Type and number of the pieces that slicing makes; None: it cannot be sliced."""
    object_specific: frozenset[str] | None
    """Types its attach point takes; None: it has no attach point."""
    box_size: tuple[float, float, float] | None
    """Median local box (x, y, z) in metres, y up; None: no instance is known."""
    mass: float | None
    """Median mass in kilograms; None: static or unknown."""
    materials: tuple[str, ...]


_FLAGS = (
    "pickupable",
    "moveable",
    "receptacle",
    "openable",
    "toggleable",
    "breakable",
    "dirtyable",
    "cookable",
    "sliceable",
    "fillable",
    "can_be_used_up",
    "heat_source",
    "cold_source",
)


def _object_type(name: str, row: Mapping[str, Any]) -> ObjectType:
    flags = set(row["flags"])
    restrictions = row.get("placement_restrictions")
    specific = row.get("object_specific")
    size = row.get("box_size")
    slices = row.get("slices")
    return ObjectType(
        name=name,
        spoken=row["spoken"],
        **{flag: flag in flags for flag in _FLAGS},
        placement_restrictions=frozenset(restrictions) if restrictions else None,
        receptacle_kind=row.get("receptacle_kind"),
        must_be_open=row.get("must_be_open", False),
        all_points=row.get("all_points", False),
        always_upright=row.get("always_upright", False),
        parent_id_prefix=row.get("parent_id_prefix", False),
        must_be_closed_to_turn_on=row.get("must_be_closed_to_turn_on", False),
        open_receptacle=row.get("open_receptacle", False),
        slices=(slices[0], slices[1]) if slices else None,
        object_specific=frozenset(specific) if specific else None,
        box_size=(size[0], size[1], size[2]) if size else None,
        mass=row.get("mass"),
        materials=tuple(row.get("materials", ())),
    )


def _load() -> dict[str, Any]:
    text = resources.files("milo_core").joinpath("data/object_types.json").read_text("utf-8")
    rows: dict[str, Any] = json.loads(text)
    return rows


_ROWS = _load()
OBJECT_TYPES: Mapping[str, ObjectType] = MappingProxyType(
    {name: _object_type(name, row) for name, row in _ROWS.items()}
)
"""All 131 AI2-THOR object types by name."""


def _key(name: str) -> str:
    return re.sub(r"[\s\-_]+", "", unicodedata.normalize("NFKC", name).strip().casefold())


@functools.cache
def _index() -> Mapping[str, str]:
    """Key -> type; a type's own name wins over a spoken form, that over aliases and plurals."""
    index: dict[str, str] = {}
    for form in ("name", "spoken", "plural", "aliases", "plural aliases"):
        for name, row in _ROWS.items():
            aliases = row.get("aliases", [])
            words = {
                "name": [name],
                "spoken": [row["spoken"]],
                "plural": [row["plural"]],
                "aliases": aliases,
                "plural aliases": [alias + "s" for alias in aliases],
            }[form]
            for word in words:
                index.setdefault(_key(word), name)
    return index


def to_object_type(name: str) -> str:
    """Return the AI2-THOR object type that a word stands for.

    Case, spaces, hyphens and underscores don't matter; synonyms and plurals are known. Nothing is
    guessed: a near miss is an error that names the nearest type.

    >>> to_object_type("remote control"), to_object_type("refrigerator"), to_object_type("mugs")
    ('RemoteControl', 'Fridge', 'Mug')

    Raises:
        UnknownObjectTypeError: no type has this name.
    """
    found = _index().get(_key(name))
    if found is not None:
        return found
    near = difflib.get_close_matches(_key(name), list(_index()), n=1)
    hint = f"did you mean '{OBJECT_TYPES[_index()[near[0]]].spoken}'?" if near else ""
    raise UnknownObjectTypeError(
        f"'{name}' is no AI2-THOR object type; {hint or 'see milo_core.object_types.OBJECT_TYPES.'}"
    )


def spoken_name(object_type: str) -> str:
    """Return the everyday words for a type: `RemoteControl` -> `remote control`."""
    return OBJECT_TYPES[to_object_type(object_type)].spoken


def plural_name(object_type: str) -> str:
    """Return the everyday words for several of a type: `Knife` -> `knives`."""
    plural: str = _ROWS[to_object_type(object_type)]["plural"]
    return plural
