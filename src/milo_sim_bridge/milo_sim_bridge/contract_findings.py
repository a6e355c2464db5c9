"""What is observed of a driver, and the findings on it. ROS-free."""

import math
from dataclasses import dataclass, field
from enum import StrEnum


class Check(StrEnum):
    """What is looked at of an interface, in the order of the table's columns."""

    PRESENT = "present"
    TYPE = "type"
    QOS = "qos"
    RATE = "rate"
    FRAME = "frame"
    STAMPS = "stamps"
    CONTENT = "content"
    REFUSAL = "refusal"


class Status(StrEnum):
    """A verdict."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Finding:
    """The verdict of one check of one interface."""

    interface: str
    check: Check
    status: Status
    detail: str = ""
    """A sentence with the cure; empty when there is nothing to say."""


@dataclass(frozen=True)
class Endpoint:
    """One end of a topic, on the driver's side."""

    node: str
    type: str
    reliability: str
    durability: str


@dataclass(frozen=True)
class ImageFacts:
    """What is looked at of an image; sizes in pixels and bytes."""

    width: int
    height: int
    encoding: str
    step: int
    size: int
    typical_depth: float = math.nan
    """Median of the valid depths in the unit of the encoding; NaN: none, or no depth image."""


@dataclass(frozen=True)
class CameraFacts:
    """What is looked at of a camera_info; k, r and p row by row."""

    width: int
    height: int
    k: tuple[float, ...]
    r: tuple[float, ...]
    p: tuple[float, ...]


@dataclass(frozen=True)
class Edge:
    """A transform between two frames; quaternion x, y, z, w."""

    parent: str
    child: str
    rotation: tuple[float, float, float, float]


@dataclass(frozen=True)
class ObjectFacts:
    """What is looked at of an object's state."""

    object_id: str
    object_type: str
    provenance: int


Payload = ImageFacts | CameraFacts | tuple[Edge, ...] | tuple[ObjectFacts, ...] | None


@dataclass(frozen=True)
class Sample:
    """One message: when it came, when it says it was made, and what of it is judged."""

    received: float
    """Seconds, a steady clock."""
    now: float
    """Seconds, the graph's time (simulated where there is a /clock) at that moment; NaN: the clock
    had not ticked yet."""
    stamp: float | None = None
    """Seconds, the graph's time; None: the type has no stamp."""
    frame: str | None = None
    child_frame: str | None = None
    payload: Payload = None


@dataclass(frozen=True)
class GoalEnd:
    """How a goal ended that no driver can fulfil."""

    accepted: bool
    status: int = 0
    error_code: int = 0
    error_msg: str = ""
    answered: bool = True
    """False: it had not ended after `waited` seconds."""
    waited: float = 0.0


@dataclass
class Observed:
    """All that was seen of one interface."""

    endpoints: list[Endpoint] = field(default_factory=list)
    """Publishers, subscribers or servers."""
    samples: list[Sample] = field(default_factory=list)
    duration: float = 0.0
    """Seconds for which it was listened to."""
    end: GoalEnd | None = None
    """None: no goal was sent."""


class Row:
    """Makes the findings of one interface."""

    def __init__(self, name: str) -> None:
        self._name = name

    def passed(self, check: Check, detail: str = "") -> Finding:
        """It is as the contract says."""
        return Finding(self._name, check, Status.PASSED, detail)

    def failed(self, check: Check, detail: str) -> Finding:
        """It is not; the detail says what to do."""
        return Finding(self._name, check, Status.FAILED, detail)

    def skipped(self, check: Check, detail: str = "") -> Finding:
        """It need not be there, or could not be judged."""
        return Finding(self._name, check, Status.SKIPPED, detail)
