"""Which tasks a scene offers, from its state right after the reset and the types' facts alone.

A candidate makes sense (things go where AI2-THOR's placement table has them), none of its sub-goals
is true at the reset, and the names in it mean one type each. Whether anybody can do it is for a
simulator to say.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from milo_core.object_types import OBJECT_TYPES
from milo_core.snapshot import Snapshot, SnapshotObject
from milo_core.strict_goals import Allowed, holds, instances_of
from milo_core.task_grammar import draw
from milo_core.tasks import STATE_GOALS, SubGoal

_UNNAMEABLE = frozenset({"RoomDecor", "TableTopDecor", "ToiletPaperRoll", "TargetCircle"})
"""Types whose name tells nobody which thing is meant."""
_FIXTURES = frozenset(
    {
        "Bathtub",
        "BathtubBasin",
        "Blinds",
        "Cabinet",
        "CounterTop",
        "Curtains",
        "Drawer",
        "Faucet",
        "Floor",
        "LightSwitch",
        "Mirror",
        "Shelf",
        "ShowerDoor",
        "ShowerGlass",
        "ShowerHead",
        "Sink",
        "SinkBasin",
        "StoveBurner",
        "StoveKnob",
        "Window",
    }
)
"""Parts of a room that nobody has to look for."""
_NO_TARGETS = frozenset({"Floor", "Bathtub", "Sink", "Toaster"})
"""Receptacles with a better name for the same place, or that nothing is put away in."""
_NOT_SWITCHED = frozenset({"StoveBurner"})
"""Types that report to be switchable, while the engine switches them by another object only."""
_WASTE = frozenset(
    {
        "AluminumFoil",
        "Apple",
        "Bottle",
        "Bread",
        "Cloth",
        "DishSponge",
        "Egg",
        "Lettuce",
        "Newspaper",
        "PaperTowelRoll",
        "Pen",
        "Pencil",
        "Potato",
        "SoapBar",
        "SoapBottle",
        "SprayBottle",
        "TissueBox",
        "ToiletPaper",
        "Tomato",
        "WineBottle",
    }
)
"""What may end in a garbage can."""
_SPREAD = 3
"""What a try costs a type among the further tries of the same slot."""
_SAME_SCENE = 6
"""What another task of the same scene costs a type."""


@dataclass(frozen=True)
class Candidate:
    """A task to be: a tier and its sub-goals, names written as in the MILO Benchmark."""

    tier: int
    goals: tuple[SubGoal, ...]

    @property
    def objects(self) -> tuple[str, ...]:
        """Names of what the sub-goals are about."""
        return tuple(goal.object for goal in self.goals if goal.object)

    @property
    def targets(self) -> tuple[str, ...]:
        """Names of where things are to go."""
        return tuple(goal.target for goal in self.goals if goal.target)

    def __str__(self) -> str:
        return f"{self.tier} {'; '.join(map(str, self.goals))}"


@dataclass(frozen=True)
class SceneOffer:
    """All that a scene offers."""

    scene: str
    counts: Mapping[str, int]
    """Object type -> instances."""
    flat: Mapping[int, tuple[Candidate, ...]]
    """Tiers 1, 2, 3 and 5; two candidates of tier 3 make one of tier 4."""


def scene_offer(snapshot: Snapshot) -> SceneOffer:
    """Return what a scene offers, given its state right after the reset."""
    by_type: dict[str, list[SnapshotObject]] = {}
    for obj in snapshot.objects.values():
        by_type.setdefault(obj.object_type, []).append(obj)
    found: dict[int, tuple[Candidate, ...]] = {}
    for tier, make in ((1, _finds), (2, _picks), (3, _stores), (5, _states)):
        goals = sorted(make(by_type), key=str)
        found[tier] = tuple(Candidate(tier, (goal,)) for goal in goals if _is_open(goal, snapshot))
    counts = {name: len(objects) for name, objects in sorted(by_type.items())}
    return SceneOffer(snapshot.scene, counts, found)


def _is_open(goal: SubGoal, snapshot: Snapshot) -> bool:
    """Return whether a goal is not true at the reset; what is in sight then counts as found."""
    seen = [o.object_id for o in snapshot.objects.values() if o.visible]
    # Every instance counts here. The strict rule would leave out those that make it true already.
    every = Allowed(instances_of(goal.object, snapshot), instances_of(goal.target, snapshot))
    return not holds(goal, snapshot, every, seen)


_ByType = Mapping[str, Sequence[SnapshotObject]]


def _goal(verb: str, object_type: str, target: str | None = None) -> SubGoal:
    return SubGoal(verb, object_type.lower(), target.lower() if target else None)


def _finds(by_type: _ByType) -> Iterator[SubGoal]:
    for name in by_type:
        if name in OBJECT_TYPES and name not in _FIXTURES | _UNNAMEABLE:
            yield _goal("find", name)


def _portable(by_type: _ByType) -> Iterator[str]:
    for name, objects in by_type.items():
        known = name in OBJECT_TYPES and name not in _UNNAMEABLE
        if known and any(o.pickupable for o in objects):
            yield name


def _picks(by_type: _ByType) -> Iterator[SubGoal]:
    for name in _portable(by_type):
        yield _goal("pick_up", name)


def _stores(by_type: _ByType) -> Iterator[SubGoal]:
    for name in _portable(by_type):
        places = OBJECT_TYPES[name].placement_restrictions
        for target, objects in by_type.items():
            if target == name or target in _NO_TARGETS | _UNNAMEABLE or target not in OBJECT_TYPES:
                continue
            if places is None or target not in places:
                continue
            if target == "GarbageCan" and name not in _WASTE:
                continue
            if any(_may_hold(o, thing) for o in objects for thing in by_type[name]):
                yield _goal("store", name, target)


def _may_hold(receptacle: SnapshotObject, thing: SnapshotObject) -> bool:
    """Return whether a thing is not plainly larger than what shall hold it."""
    if not receptacle.receptacle:
        return False
    if OBJECT_TYPES[receptacle.object_type].receptacle_kind != "in":
        return True
    inner, outer = sorted(thing.box_size), sorted(receptacle.box_size)
    return all(small <= large for small, large in zip(inner, outer, strict=True))


def _states(by_type: _ByType) -> Iterator[SubGoal]:
    for name, objects in by_type.items():
        facts = OBJECT_TYPES.get(name)
        if facts is None or name in _UNNAMEABLE:
            continue
        for verb in STATE_GOALS:
            if verb in ("open", "close"):
                possible = facts.openable and any(o.openable for o in objects)
            else:
                possible = facts.toggleable and any(o.toggleable for o in objects)
                possible = possible and name not in _NOT_SWITCHED
                if verb == "turn_on" and facts.must_be_closed_to_turn_on:
                    possible = possible and not any(o.is_open for o in objects)
            if possible:
                yield _goal(verb, name)


@dataclass
class Usage:
    """How often each type and verb occurs in the tasks that were planned so far."""

    objects: Counter[str] = field(default_factory=Counter)
    """Over all tiers, and once more by tier: `3 mug`."""
    targets: Counter[str] = field(default_factory=Counter)
    verbs: Counter[str] = field(default_factory=Counter)

    def add(self, candidate: Candidate, weight: int = 1) -> None:
        """Count a candidate."""
        for goal in candidate.goals:
            self.verbs[goal.goal] += weight
        for name in candidate.objects:
            self.objects[name] += weight
            self.objects[f"{candidate.tier} {name}"] += weight
        for name in candidate.targets:
            self.targets[name] += weight

    def cost(self, candidate: Candidate) -> int:
        """Return how well represented a candidate's types are already; low is better."""
        goal = candidate.goals[0]
        cost = self.targets[goal.target] if goal.target else 0
        if candidate.tier == 5:
            cost += self.verbs[goal.goal] // 2
        if goal.object:
            cost += self.objects[goal.object] + self.objects[f"{candidate.tier} {goal.object}"]
        return cost

    def copy(self) -> "Usage":
        """Return an independent copy."""
        return Usage(Counter(self.objects), Counter(self.targets), Counter(self.verbs))


def ranked(offer: SceneOffer, tier: int, usage: Usage, key: str) -> Iterator[Candidate]:
    """Yield the candidates of a tier, those first whose types are used least.

    What was yielded makes its types more expensive, so that one object that nobody can reach
    doesn't block the tries. Equal costs are decided by the key.
    """
    local = usage.copy()
    stores = offer.flat[3]
    left = list(stores if tier == 4 else offer.flat[tier])
    noise = {c: draw(f"{key}|{c}", range(2**32)) for c in left}
    while left:
        first = _cheapest(left, local, noise)
        left.remove(first)
        chosen: Candidate | None = first
        if tier == 4:
            partners = [c for c in stores if _go_together(first.goals[0], c.goals[0])]
            chosen = None
            if partners:
                second = _cheapest(partners, local, noise)
                chosen = Candidate(4, (*first.goals, *second.goals))
        if chosen is not None:
            local.add(chosen, _SPREAD)
            yield chosen


def _cheapest(
    candidates: Iterable[Candidate], usage: Usage, noise: Mapping[Candidate, int]
) -> Candidate:
    return min(candidates, key=lambda c: (usage.cost(c), noise[c], str(c)))


def _go_together(first: SubGoal, second: SubGoal) -> bool:
    """Return whether two store goals make one task: two things, two places, none within another."""
    names = (first.object, first.target, second.object, second.target)
    return len(set(names)) == len(names)


Slot = tuple[str, int]
"""A scene and a tier."""


def plan_slots(
    offers: Sequence[SceneOffer], tiers: Sequence[int], seed: int, depth: int
) -> dict[Slot, tuple[Candidate, ...]]:
    """Return, for every scene and tier, the candidates to try in order.

    The first ones are chosen together so that types, targets and verbs are used evenly over all
    scenes. Nothing here depends on what turns out to be feasible: give all scenes, and a scene's
    tasks do not depend on which of them are generated.

    Args:
        offers: what the scenes offer.
        tiers: that are wanted.
        seed: decides between equals.
        depth: how many candidates a slot gets at most; a greater depth only appends.
    """
    usage = Usage()
    chosen: dict[str, list[Candidate]] = {}
    slots: dict[Slot, tuple[Candidate, ...]] = {}
    places = [(offer, tier) for offer in offers for tier in tiers]
    places.sort(key=lambda place: draw(f"{seed}|{place[0].scene}|{place[1]}", range(2**32)))
    for offer, tier in places:
        local = usage.copy()
        for candidate in chosen.get(offer.scene, ()):
            local.add(candidate, _SAME_SCENE)
        tries = ranked(offer, tier, local, f"{seed}|{offer.scene}|{tier}")
        best = tuple(islice(tries, depth))
        slots[offer.scene, tier] = best
        if best:
            usage.add(best[0])
            chosen.setdefault(offer.scene, []).append(best[0])
    return slots
