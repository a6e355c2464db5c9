"""The robot contract: which interfaces a driver offers, as data that is read from a YAML file.

ROS-free. `milo_sim_bridge.contract_rules` judges what was observed of a driver by it.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from milo_core.error_codes import CODES_OF_ACTION
from milo_core.errors import MiloError

PACKAGE = "milo_sim_bridge"
FILE_NAME = "contract.yaml"


class ContractError(MiloError):
    """A contract file that can't be used."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


_Name = Annotated[str, Field(pattern=r"^/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*$")]
_Frame = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
_Type = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*/(msg|srv|action)/[A-Z][A-Za-z0-9]*$")]


class Qos(_Model):
    """What the consumers of a topic ask for; a publisher must offer at least that."""

    reliability: Literal["reliable", "best_effort"]
    durability: Literal["transient_local", "volatile"] = "volatile"


class Rate(_Model):
    """Messages a second, wall clock."""

    min: Annotated[float, Field(gt=0)]


class Refusal(_Model):
    """A goal that no driver can fulfil, and how it must end."""

    goal: dict[str, Any]
    """Fields of the goal that are set."""
    code: str
    """Name of the error code in milo_core.error_codes, e.g. OBJECT_NOT_FOUND."""


Content = Literal[
    "color_image",
    "depth_image",
    "label_image",
    "camera_info",
    "odometry",
    "transforms",
    "object_states",
]
_SECTION = {"topic": "msg", "subscription": "msg", "service": "srv", "action": "action"}


class Interface(_Model):
    """One name that a driver offers."""

    name: _Name
    """Relative to the driver's namespace unless it begins with a slash."""
    kind: Literal["topic", "subscription", "service", "action"]
    """A `topic` is published by the driver, a `subscription` is a topic that it listens to."""
    type: _Type
    description: str
    global_name: bool = False
    """ROS fixes its absolute name, e.g. `/tf`. It is looked for in the driver's namespace, where
    launch files remap it to, and else in the root, if a node of the namespace publishes it."""
    required: bool = False
    one_of: str = ""
    """At least one interface of those with the same word here must be there."""
    read_only: bool = False
    """Can be checked by listening alone, so also on a bag that is played."""
    qos: Qos | None = None
    rate: Rate | None = None
    """None: published when something changes."""
    frame: _Frame | None = None
    """What header.frame_id must be."""
    child_frame: _Frame | None = None
    max_age: Annotated[float, Field(gt=0)] | None = None
    """Seconds that a stamp may lie from the time at which the message arrives; None: stamps have
    no meaning here."""
    content: Content | None = None
    """Which further rules the messages must obey."""
    encodings: tuple[str, ...] = ()
    image: str = ""
    """Name of the image that a camera_info describes."""
    refuses: Refusal | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if f"/{_SECTION[self.kind]}/" not in self.type:
            raise ValueError(
                f"the type of a {self.kind} has the form package/"
                f"{_SECTION[self.kind]}/Name, unlike '{self.type}'"
            )
        only_topics = (
            self.qos,
            self.rate,
            self.frame,
            self.child_frame,
            self.max_age,
            self.content,
        )
        if self.kind != "topic" and any(value is not None for value in only_topics):
            raise ValueError(
                "qos, rate, frame, child_frame, max_age and content are for topics, "
                f"not a {self.kind}"
            )
        if self.kind == "topic" and self.qos is None:
            raise ValueError("a topic needs its qos")
        if self.global_name and (self.kind != "topic" or self.name.startswith("/")):
            raise ValueError("global_name is for topics; write their name without its slash")
        if self.encodings and self.content not in ("color_image", "depth_image", "label_image"):
            raise ValueError("encodings are for images")
        if (self.content == "camera_info") != bool(self.image):
            raise ValueError("a camera_info, and nothing else, names its image")
        if self.required and self.one_of:
            raise ValueError("an interface is either required or one_of several")
        if self.read_only and self.kind != "topic":
            raise ValueError("only topics can be checked by listening alone")
        self._check_refusal()
        return self

    def _check_refusal(self) -> None:
        if self.refuses is None:
            return
        if self.kind != "action":
            raise ValueError("only an action refuses goals")
        codes = CODES_OF_ACTION.get(self.type.rpartition("/")[2])
        if codes is None or self.refuses.code not in codes.__members__:
            raise ValueError(f"'{self.refuses.code}' is no error code of {self.type}")


class Frames(_Model):
    """The transforms that must be there."""

    chain: Annotated[tuple[_Frame, ...], Field(min_length=2)]
    """From the fixed frame outwards; each must be connected with the next."""
    camera: _Frame
    """The camera body: x forward, y left, z up (REP 103)."""
    optical: _Frame
    """The same camera's optical frame: z forward, x right, y down (REP 103)."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        for frame in (self.camera, self.optical):
            if frame not in self.chain:
                raise ValueError(f"the frame '{frame}' is not in the chain")
        return self


class Contract(_Model):
    """All that a driver offers."""

    name: str
    version: int
    description: str
    frames: Frames
    interfaces: Annotated[tuple[Interface, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _check(self) -> Self:
        names = [interface.name for interface in self.interfaces]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"the interface '{name}' is listed twice")
        for interface in self.interfaces:
            if interface.image and interface.image not in names:
                raise ValueError(f"'{interface.name}' describes the unknown '{interface.image}'")
        return self

    def checked(self, read_only: bool) -> tuple[Interface, ...]:
        """Return the interfaces to check; with `read_only` those that listening can judge."""
        return tuple(i for i in self.interfaces if i.read_only or not read_only)

    def groups(self, interfaces: Iterable[Interface]) -> dict[str, list[Interface]]:
        """Return the interfaces of which one must be there, by the word that joins them."""
        found: dict[str, list[Interface]] = {}
        for interface in interfaces:
            if interface.one_of:
                found.setdefault(interface.one_of, []).append(interface)
        return found


def default_path() -> Path:
    """Return the contract that is installed with this package, or lies beside its sources."""
    beside = Path(__file__).resolve().parent.parent / "config" / FILE_NAME
    if beside.exists():
        return beside
    from ament_index_python.packages import get_package_share_directory

    return Path(get_package_share_directory(PACKAGE), "config", FILE_NAME)


def load(path: Path | None = None) -> Contract:
    """Read a contract file; None: the default one.

    Raises:
        ContractError: the file is missing or not a contract; names the place in it.
    """
    path = path or default_path()
    try:
        raw = yaml.safe_load(path.read_text("utf-8"))
    except OSError as error:
        raise ContractError(f"The contract {path} can't be read: {error.strerror}.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        text = " ".join(str(error).split())
        raise ContractError(f"The contract {path} is no YAML: {text}.") from error
    try:
        # Through JSON's rules: a YAML list may become a tuple, a text never a number.
        return Contract.model_validate(_as_tuples(raw))
    except ValidationError as error:
        raise ContractError(f"The contract {path} is wrong: {_first_fault(error, raw)}.") from error


def _as_tuples(raw: Any) -> Any:
    if isinstance(raw, dict):
        return {key: _as_tuples(value) for key, value in raw.items()}
    return tuple(map(_as_tuples, raw)) if isinstance(raw, list) else raw


def _first_fault(error: ValidationError, raw: Any) -> str:
    """Return where the first fault is and what it is; an interface is called by its name."""
    fault = error.errors()[0]
    place = [str(part) for part in fault["loc"]]
    if place[:1] == ["interfaces"] and len(place) > 1:
        entry = raw["interfaces"][int(place[1])]
        name = entry.get("name") if isinstance(entry, dict) else None
        place[1] = f"{place[1]} ({name})" if name else place[1]
    text = fault["msg"].removeprefix("Value error, ")
    return f"{'.'.join(place) or 'the file'}: {text[0].lower()}{text[1:]}"
