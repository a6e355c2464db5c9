"""The home of the mock robot, read from a YAML file. ROS-free."""

from pathlib import Path
from typing import Annotated, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from milo_core.errors import MiloError
from milo_core.object_types import OBJECT_TYPES, ObjectType

PACKAGE = "milo_sim_bridge"
FILE_NAME = "mock_home.yaml"


class HomeError(MiloError):
    """A home file that can't be used."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


_Length = Annotated[float, Field(gt=0, le=100)]
_Coordinate = Annotated[float, Field(ge=-1000, le=1000)]
Size = tuple[_Length, _Length, _Length]


class Floor(_Model):
    """The corners of the rectangular floor, metres."""

    min: tuple[_Coordinate, _Coordinate]
    max: tuple[_Coordinate, _Coordinate]


class Start(_Model):
    """Where the robot begins; metres and radians."""

    x: _Coordinate
    y: _Coordinate
    yaw: float = 0.0


class _Object(_Model):
    id: Annotated[str, Field(min_length=1)]
    type: str
    size: Size

    @property
    def kind(self) -> ObjectType:
        """The facts of its type."""
        return OBJECT_TYPES[self.type]

    @model_validator(mode="after")
    def _check_type(self) -> Self:
        if self.type not in OBJECT_TYPES:
            raise ValueError(f"there is no object type '{self.type}'")
        return self


class Furniture(_Object):
    """Something that stays where it is."""

    center: tuple[_Coordinate, _Coordinate, _Coordinate]
    front: Literal["+x", "-x", "+y", "-y"]
    """The side with the door, where there is one."""


class Thing(_Object):
    """Something that can be picked up."""

    place: str
    """The furniture it begins in or on."""
    at: tuple[_Coordinate, _Coordinate] = (0.0, 0.0)


class Home(_Model):
    """Everything in it."""

    name: str
    floor: Floor
    robot: Start
    furniture: tuple[Furniture, ...]
    things: tuple[Thing, ...]

    @model_validator(mode="after")
    def _check(self) -> Self:
        ids = [o.id for o in (*self.furniture, *self.things)]
        for name in ids:
            if ids.count(name) > 1:
                raise ValueError(f"the id '{name}' is used twice")
        places = {f.id: f for f in self.furniture}
        for thing in self.things:
            if thing.place not in places:
                raise ValueError(f"{thing.id} lies in or on the unknown furniture '{thing.place}'")
            if not thing.kind.pickupable:
                raise ValueError(f"{thing.id} can't be picked up; list it as furniture")
            if places[thing.place].kind.receptacle_kind not in ("in", "on"):
                raise ValueError(f"nothing can lie in or on {thing.place}, as {thing.id} does")
        return self


def default_path() -> Path:
    """Return the home that is installed with this package, or lies beside its sources."""
    beside = Path(__file__).resolve().parents[2] / "config" / FILE_NAME
    if beside.exists():
        return beside
    from ament_index_python.packages import get_package_share_directory

    return Path(get_package_share_directory(PACKAGE), "config", FILE_NAME)


def load(path: Path | None = None) -> Home:
    """Read a home file; None: the default one.

    Raises:
        HomeError: the file is missing or wrong; names the place in it.
    """
    path = path or default_path()
    try:
        return Home.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except OSError as error:
        raise HomeError(f"The home {path} can't be read: {error.strerror}.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise HomeError(f"The home {path} is no YAML: {' '.join(str(error).split())}.") from error
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(map(str, fault["loc"])) or "the file"
        text = fault["msg"].removeprefix("Value error, ")
        raise HomeError(f"The home {path} is wrong at {place}: {text}.") from error
