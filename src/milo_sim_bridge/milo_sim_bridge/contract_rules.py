"""Judges what was observed of a driver by the robot contract. ROS-free.

Each rule gives one finding: an interface, what was checked, the verdict, and a sentence that says
what is wrong and how to put it right.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from milo_core.error_codes import CODES_OF_ACTION
from milo_core.object_types import OBJECT_TYPES
from milo_core.world_model import Provenance
from milo_sim_bridge.contract import Contract, Interface, Qos, Rate
from milo_sim_bridge.contract_findings import (
    Check,
    Edge,
    Endpoint,
    Finding,
    GoalEnd,
    ImageFacts,
    ObjectFacts,
    Observed,
    Row,
    Sample,
    Status,
)
from milo_sim_bridge.contract_geometry import judge_camera, judge_tree

_MAX_DEPTH = 100.0
"""Metres; a room whose typical depth is larger was measured in millimetres."""
_UNIT_TOLERANCE = 0.01
STATUS_ABORTED = 6
"""action_msgs/msg/GoalStatus.STATUS_ABORTED."""


def judge(
    contract: Contract, observed: Mapping[str, Observed], read_only: bool = False
) -> list[Finding]:
    """Return the findings on a driver.

    Args:
        contract: what it must offer.
        observed: what was seen, by the interface's name in the contract.
        read_only: leave out what listening alone can't judge.
    """
    interfaces = contract.checked(read_only)
    findings: list[Finding] = []
    for interface in interfaces:
        findings += _judge_interface(interface, observed.get(interface.name, Observed()))
    findings += _judge_groups(contract, interfaces, observed)
    images = {i.name: observed.get(i.name, Observed()) for i in interfaces}
    for interface in interfaces:
        seen = observed.get(interface.name, Observed())
        if interface.image and seen.samples:
            findings.append(judge_camera(interface.name, seen.samples, images[interface.image]))
    findings += _judge_tree(contract, interfaces, observed)
    return findings


def failed(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that say no."""
    return [finding for finding in findings if finding.status is Status.FAILED]


def _judge_interface(interface: Interface, seen: Observed) -> list[Finding]:
    row = Row(interface.name)
    if not seen.endpoints:
        return [_absent(interface, row)]
    findings = [row.passed(Check.PRESENT, ", ".join(sorted({e.node for e in seen.endpoints})))]
    findings.append(judge_type(interface, seen.endpoints))
    if findings[-1].status is Status.FAILED:
        return findings
    if interface.qos is not None:
        findings.append(judge_qos(interface.name, interface.qos, seen.endpoints))
    if interface.kind == "topic":
        findings += _judge_samples(interface, seen)
    if interface.refuses is not None and seen.end is not None:
        findings.append(judge_refusal(interface, seen.end))
    return findings


def _absent(interface: Interface, row: Row) -> Finding:
    if not interface.required:
        return row.skipped(Check.PRESENT, "optional, not there")
    doing = {
        "topic": "publishes the topic",
        "subscription": "listens to the topic",
        "service": "serves",
        "action": "serves the action",
    }[interface.kind]
    return row.failed(
        Check.PRESENT,
        f"Nothing {doing} {interface.name} ({interface.type}); offer it, or remap yours to it.",
    )


def _judge_groups(
    contract: Contract, interfaces: Sequence[Interface], observed: Mapping[str, Observed]
) -> list[Finding]:
    findings = []
    for members in contract.groups(interfaces).values():
        if not any(observed.get(m.name, Observed()).endpoints for m in members):
            names = " or ".join(f"{m.name} ({m.type})" for m in members)
            text = f"None of the topics of which one is needed is published; offer {names}."
            findings.append(Row(members[-1].name).failed(Check.PRESENT, text))
    return findings


def judge_type(interface: Interface, endpoints: Sequence[Endpoint]) -> Finding:
    """Every end must have the contract's type."""
    row = Row(interface.name)
    others = sorted({e.type for e in endpoints if e.type != interface.type})
    if not others:
        return row.passed(Check.TYPE, interface.type)
    text = f"{interface.name} has the type {', '.join(others)}; it must be {interface.type}."
    return row.failed(Check.TYPE, text)


def judge_qos(name: str, asked: Qos, endpoints: Sequence[Endpoint]) -> Finding:
    """DDS connects a reader only with a writer that offers at least what it asks for."""
    row = Row(name)
    for end in endpoints:
        if asked.reliability == "reliable" and end.reliability == "best_effort":
            text = f"{end.node} publishes {name} best effort, its consumers ask for reliable and "
            return row.failed(Check.QOS, text + "get nothing; publish it reliable.")
        if asked.durability == "transient_local" and end.durability == "volatile":
            text = f"{end.node} publishes {name} volatile, its consumers ask for transient local "
            return row.failed(Check.QOS, text + "and get nothing; publish it transient local.")
    return row.passed(Check.QOS, f"{asked.reliability}, {asked.durability}")


def _judge_samples(interface: Interface, seen: Observed) -> list[Finding]:
    row = Row(interface.name)
    if not seen.samples:
        text = f"{interface.name} has a publisher, but no message came within "
        text += f"{seen.duration:.1f} s; does the driver need a first command (a simulator: "
        return [row.failed(Check.RATE, text + "reset_scene, option --scene)?")]
    findings = []
    if interface.rate is not None:
        findings.append(judge_rate(interface.name, interface.rate, seen))
    else:
        findings.append(row.passed(Check.RATE, f"{len(seen.samples)} messages"))
    if interface.frame is not None:
        findings.append(judge_frame(interface, seen.samples))
    if interface.max_age is not None and any(s.stamp is not None for s in seen.samples):
        findings.append(judge_stamps(interface, seen.samples))
    if interface.content not in (None, "camera_info"):
        findings.append(judge_content(interface, seen.samples))
    return findings


def judge_rate(name: str, rate: Rate, seen: Observed) -> Finding:
    """Messages a second over the time of listening."""
    row = Row(name)
    times = [sample.received for sample in seen.samples]
    # From first to last message, unless they stopped coming.
    span = max(times[-1] - times[0], seen.duration - 2.0 / rate.min) if len(times) > 1 else 0.0
    measured = (len(times) - 1) / span if span > 0 else len(times) / max(seen.duration, 1e-9)
    if measured >= rate.min:
        return row.passed(Check.RATE, f"{measured:.1f} Hz")
    text = f"{name} comes with {measured:.1f} Hz; at least {rate.min:g} Hz are needed."
    return row.failed(Check.RATE, text)


def judge_frame(interface: Interface, samples: Sequence[Sample]) -> Finding:
    """header.frame_id, and of an odometry child_frame_id, are those of the contract."""
    row = Row(interface.name)
    for field_name, wanted in (
        ("frame", interface.frame),
        ("child_frame", interface.child_frame),
    ):
        found = {getattr(sample, field_name) for sample in samples} - {wanted}
        if wanted is not None and found:
            shown = ", ".join(sorted(f"'{frame}'" for frame in found))
            text = f"{interface.name} is in the {field_name} {shown}; it must be '{wanted}'."
            return row.failed(Check.FRAME, text)
    return row.passed(
        Check.FRAME, " > ".join(filter(None, (interface.frame, interface.child_frame)))
    )


def judge_stamps(interface: Interface, samples: Sequence[Sample]) -> Finding:
    """Stamps are set, never go back, and are those of the present."""
    row, name = Row(interface.name), interface.name
    stamped = [(s, s.stamp) for s in samples if s.stamp is not None]
    if all(stamp == 0.0 and sample.now > 1.0 for sample, stamp in stamped):
        text = f"The stamps of {name} are 0; set header.stamp to the time of acquisition."
        return row.failed(Check.STAMPS, text)
    for (_, earlier), (_, later) in pairwise(stamped):
        if later < earlier:
            text = f"The stamps of {name} go back by {earlier - later:.3f} s; they must never."
            return row.failed(Check.STAMPS, text)
    ages = [sample.now - stamp for sample, stamp in stamped if math.isfinite(sample.now)]
    worst = max(ages, key=abs, default=0.0)
    if interface.max_age is not None and abs(worst) > interface.max_age:
        where = "old" if worst > 0 else "in the future"
        text = f"A stamp of {name} is {abs(worst):.2f} s {where} when its message comes, "
        text += f"{interface.max_age:g} s are allowed; stamp with the acquisition's time in the "
        return row.failed(Check.STAMPS, text + "clock of the graph (use_sim_time, NTP).")
    return row.passed(Check.STAMPS, f"age {worst:.2f} s at most")


def judge_content(interface: Interface, samples: Sequence[Sample]) -> Finding:
    """The rules of the kind of content."""
    row = Row(interface.name)
    for sample in samples:
        fault = _fault(interface, sample)
        if fault:
            return row.failed(Check.CONTENT, fault)
    return row.passed(Check.CONTENT)


def _fault(interface: Interface, sample: Sample) -> str:
    payload = sample.payload
    if isinstance(payload, ImageFacts):
        return _image_fault(interface, payload)
    if interface.content == "object_states" and isinstance(payload, tuple):
        return _objects_fault(interface.name, [p for p in payload if isinstance(p, ObjectFacts)])
    if isinstance(payload, tuple):
        return _edges_fault(interface.name, [p for p in payload if isinstance(p, Edge)])
    return ""


_BYTES = {"rgb8": 3, "bgr8": 3, "rgba8": 4, "bgra8": 4, "mono8": 1, "32FC1": 4, "16UC1": 2}


def _image_fault(interface: Interface, image: ImageFacts) -> str:
    name = interface.name
    if image.encoding not in interface.encodings:
        wanted = " or ".join(interface.encodings)
        return f"{name} has the encoding '{image.encoding}'; it must be {wanted}."
    row_bytes = image.width * _BYTES.get(image.encoding, 0)
    if image.step < row_bytes or image.size != image.step * image.height or not image.size:
        return (
            f"{name} says {image.width}x{image.height} {image.encoding}, step {image.step}, but "
            f"holds {image.size} bytes; step must be at least {row_bytes} and data step x height."
        )
    if image.encoding == "32FC1" and image.typical_depth > _MAX_DEPTH:
        return (
            f"Half of the depths of {name} are over {image.typical_depth:.0f} m; 32FC1 is in "
            "metres (REP 118), millimetres are 16UC1."
        )
    return ""


def _objects_fault(name: str, objects: Sequence[ObjectFacts]) -> str:
    ids = [obj.object_id for obj in objects]
    for obj in objects:
        if not obj.object_id or ids.count(obj.object_id) > 1:
            return f"{name} has the object id '{obj.object_id}' twice or empty; ids are unique."
        if obj.object_type not in OBJECT_TYPES:
            return (
                f"{name} has the object type '{obj.object_type}', which no planner knows; use the "
                "names of milo_core.object_types."
            )
        if obj.provenance == Provenance.SIMULATED:
            return (
                f"{name} says that {obj.object_id} is simulator truth; a driver's own facts are "
                "sensed or assumed."
            )
    return ""


def _edges_fault(name: str, edges: Sequence[Edge]) -> str:
    for edge in edges:
        if abs(math.hypot(*edge.rotation) - 1.0) > _UNIT_TOLERANCE:
            return (
                f"The rotation from {edge.parent} to {edge.child} in {name} is no unit quaternion."
            )
    return ""


def judge_refusal(interface: Interface, end: GoalEnd) -> Finding:
    """An impossible goal ends as aborted, with the code that the contract names and a sentence."""
    row, name = Row(interface.name), interface.name
    assert interface.refuses is not None
    codes = CODES_OF_ACTION[interface.type.rpartition("/")[2]]
    wanted = codes[interface.refuses.code]
    expected = f"abort it with error_code {int(wanted)} ({wanted.name}) and a sentence in error_msg"
    if not end.accepted:
        text = f"{name} rejects an impossible goal without a code; accept it and {expected}."
    elif not end.answered:
        text = f"{name} has not ended an impossible goal after {end.waited:.1f} s; {expected}."
    elif end.error_code == 0:
        text = f"{name} reports success for an impossible goal; {expected}."
    elif end.error_code != wanted:
        text = f"{name} ends an impossible goal with error_code {end.error_code} "
        text += f"('{end.error_msg}'); {expected}."
    elif end.status != STATUS_ABORTED:
        text = f"{name} gives an error code, but the goal's status is {end.status}; {expected}."
    elif not end.error_msg.strip():
        text = f"{name} refuses an impossible goal without a reason; {expected}."
    else:
        return row.passed(Check.REFUSAL, f"{int(wanted)} {wanted.name}")
    return row.failed(Check.REFUSAL, text)


def _judge_tree(
    contract: Contract, interfaces: Sequence[Interface], observed: Mapping[str, Observed]
) -> list[Finding]:
    names = [i.name for i in interfaces if i.content == "transforms"]
    if not names:
        return []
    edges: dict[tuple[str, str], Edge] = {}
    for name in names:
        for sample in observed.get(name, Observed()).samples:
            payload = sample.payload if isinstance(sample.payload, tuple) else ()
            edges |= {(e.parent, e.child): e for e in payload if isinstance(e, Edge)}
    return [judge_tree(names[0], contract.frames, list(edges.values()))]
