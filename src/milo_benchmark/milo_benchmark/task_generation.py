"""`milo tasks generate`: new tasks of the dataset's schema, every one played before it is kept.

The state of all scenes right after the reset says what there is to do (milo_core.task_candidates);
then candidates are played in their order until one passes: the oracle solves it by the strict rule
and by the published one, leaves nothing else changed, and doing nothing does not solve it. The same
arguments give the same bytes, whatever the number of processes.
"""

import json
import multiprocessing
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from milo_benchmark.offline import OfflineEpisode, play_offline
from milo_core.errors import MiloError
from milo_core.goals import all_satisfied, evaluate_all
from milo_core.profiles import get_profile
from milo_core.scenes import SCENES, room_type, select_scenes
from milo_core.side_effects import side_effects
from milo_core.task_candidates import Candidate, SceneOffer, plan_slots, scene_offer
from milo_core.task_grammar import draw, instruction_for
from milo_core.tasks import TIER_NUMBERS, TIERS, Task, parse_tasks
from milo_planner.registry import make_planner
from milo_sim_bridge.engine import Engine, EngineConfig

LETTERS = "abcdefghijklmnopqrstuvwxyz"
ORACLE_STEPS = 60
"""Steps in which the oracle has to be done: a task that needs more is a struggle, not a chore."""
_FIRST_TRIES = 24
_MORE_TRIES = 8
"""Candidates of a scene and tier for the first task, and for each further one."""


class GenerationError(MiloError):
    """Tasks that can't be generated, or not be written."""


@dataclass(frozen=True)
class Order:
    """What to generate."""

    scenes: tuple[str, ...]
    tiers: tuple[int, ...]
    count: int
    seed: int
    prefix: str
    """What every task id begins with."""


@dataclass(frozen=True)
class SceneOrder:
    """The share of one scene."""

    offer: SceneOffer
    quota: tuple[int, ...]
    """A tier for every task."""
    tries: Mapping[int, tuple[Candidate, ...]]
    """Tier -> candidates, best first."""
    order: Order


@dataclass
class SceneReport:
    """What became of one scene."""

    scene: str
    tasks: list[Task] = field(default_factory=list)
    missing: int = 0
    """Tasks for which no candidate of any tier passed."""
    refused: list[tuple[Candidate, str]] = field(default_factory=list)
    """Candidates that did not pass, and why."""


def parse_order(
    scenes: Sequence[str], tiers: Sequence[str], texts: Mapping[str, str]
) -> tuple[Order, int]:
    """Read what to generate, and in how many processes.

    Args:
        scenes: words of milo_core.scenes.select_scenes, comma-separated or several; none: all.
        tiers: numbers, comma-separated or several; none: all.
        texts: `n` (empty: one task a scene and tier), `seed`, `name` and `jobs`.

    Raises:
        UnknownSceneError: a word names no scenes.
        GenerationError: another value that can't be used.
    """
    chosen = select_scenes(_items(scenes) or ["all"])
    numbers: set[int] = set()
    for word in _items(tiers):
        if word not in map(str, TIER_NUMBERS):
            raise GenerationError(f"There is no tier '{word}'; use 1, 2, 3, 4 or 5 (--tiers).")
        numbers.add(int(word))
    wanted = tuple(sorted(numbers)) or TIER_NUMBERS
    name = texts["name"]
    if not re.fullmatch(r"[a-z0-9][a-z0-9.\-]*", name):
        raise GenerationError(
            f"'{name}' can't begin task ids; use lower-case letters, digits, '.' and '-' (--name)."
        )
    count = _integer("n", texts["n"], 1) if texts["n"] else len(chosen) * len(wanted)
    order = Order(chosen, wanted, count, _integer("seed", texts["seed"]), name)
    return order, _integer("jobs", texts["jobs"], 1)


def _items(texts: Sequence[str]) -> list[str]:
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]


def _integer(name: str, text: str, minimum: int | None = None) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        raise GenerationError(f"--{name} needs a whole number, not '{text}'.")
    if minimum is not None and int(text) < minimum:
        raise GenerationError(f"--{name} must be at least {minimum}, not {text}.")
    return int(text)


def quotas(order: Order) -> dict[str, list[int]]:
    """Return the tiers of the tasks of each scene: even over scenes first, then over tiers."""
    found: dict[str, list[int]] = {scene: [] for scene in order.scenes}
    for number in range(order.count):
        turn, place = divmod(number, len(order.scenes))
        found[order.scenes[place]].append(order.tiers[(turn + place) % len(order.tiers)])
    return found


def generate(
    order: Order,
    jobs: int = 1,
    on_scene: Callable[[SceneReport], None] = lambda _: None,
) -> list[Task]:
    """Return new tasks, by scene, tier and letter.

    Args:
        order: what to generate.
        jobs: processes, each with a player of its own.
        on_scene: called for every scene that is done, in order.

    Raises:
        GenerationError: not enough candidates passed, or more than 26 tasks of a scene and tier.
        EngineFailure: the player died or hung.
    """
    wanted = quotas(order)
    most = max(max(Counter(tiers).values(), default=0) for tiers in wanted.values())
    if most > len(LETTERS):
        room = len(LETTERS) * len(order.scenes) * len(order.tiers)
        raise GenerationError(
            f"{order.count} tasks are more than 26 of a scene and tier; use at most {room}, or "
            "more scenes or tiers."
        )
    orders = _scene_orders(order, wanted, _FIRST_TRIES + _MORE_TRIES * (most - 1))
    reports: list[SceneReport] = []
    for report in _work(orders, min(jobs, len(orders))):
        on_scene(report)
        reports.append(report)
    missing = sum(report.missing for report in reports)
    if missing:
        raise GenerationError(
            f"Only {order.count - missing} of {order.count} tasks passed; use a smaller --n, more "
            "scenes or more tiers."
        )
    return [task for report in reports for task in report.tasks]


def _scene_orders(order: Order, wanted: Mapping[str, list[int]], depth: int) -> list[SceneOrder]:
    engine = Engine(EngineConfig(headless=True))
    try:
        offers = [
            scene_offer(engine.submit(lambda s=scene: engine.reset(s)).result().snapshot)  # type: ignore[misc]
            for scene in SCENES
        ]
    finally:
        engine.close()
    slots = plan_slots(offers, order.tiers, order.seed, depth)
    return [
        SceneOrder(
            offer,
            tuple(wanted[offer.scene]),
            {tier: slots[offer.scene, tier] for tier in order.tiers},
            order,
        )
        for offer in offers
        if wanted.get(offer.scene)
    ]


def _work(orders: Sequence[SceneOrder], jobs: int) -> Iterator[SceneReport]:
    if jobs < 2:
        engine = Engine(EngineConfig(headless=True))
        try:
            for order in orders:
                yield fill_scene(engine, order)
        finally:
            engine.close()
        return
    # A forked process would share the threads and pipes of the player.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _start_engine) as pool:
        yield from pool.map(_fill_in_process, orders)


_engine_of_process: list[Engine] = []


def _start_engine() -> None:
    _engine_of_process.append(Engine(EngineConfig(headless=True)))


def _fill_in_process(order: SceneOrder) -> SceneReport:
    return fill_scene(_engine_of_process[0], order)


class _Slots:
    """Hands out the candidates of one scene, each once."""

    def __init__(self, order: SceneOrder) -> None:
        self._left = {tier: list(tries) for tier, tries in order.tries.items()}
        self._kept: list[Candidate] = []

    def keep(self, candidate: Candidate) -> None:
        """Note that a candidate became a task."""
        self._kept.append(candidate)

    def candidates(self, tier: int) -> Iterator[Candidate]:
        """Yield what is left of a tier; things of other tasks of the scene come last."""
        for allow_same_object in (False, True):
            for candidate in list(self._left[tier]):
                goals = {goal for kept in self._kept for goal in kept.goals}
                objects = {name for kept in self._kept for name in kept.objects}
                if goals.intersection(candidate.goals):
                    continue
                if not allow_same_object and objects.intersection(candidate.objects):
                    continue
                self._left[tier].remove(candidate)
                yield candidate


def fill_scene(engine: Engine, order: SceneOrder) -> SceneReport:
    """Play candidates of one scene until every task of its quota has one that passes.

    A tier without a candidate that passes is made up for by the tier with the fewest tasks.
    """
    report = SceneReport(order.offer.scene)
    slots = _Slots(order)
    kept: list[Candidate] = []

    def take(tier: int) -> bool:
        for candidate in slots.candidates(tier):
            reason = refusal(engine, order.offer.scene, candidate)
            if not reason:
                slots.keep(candidate)
                kept.append(candidate)
                return True
            report.refused.append((candidate, reason))
        return False

    empty: set[int] = set()
    short = 0
    for tier in sorted(order.quota):
        if tier in empty or not take(tier):
            empty.add(tier)
            short += 1
    while short:
        counts = Counter(candidate.tier for candidate in kept)
        open_tiers = [t for t in order.order.tiers if t not in empty and counts[t] < len(LETTERS)]
        if not open_tiers:
            break
        key = f"{order.order.seed}|{order.offer.scene}|fill{short}"
        tier = min(open_tiers, key=lambda t: (counts[t], draw(f"{key}|{t}", range(2**32))))
        if take(tier):
            short -= 1
        else:
            empty.add(tier)
    report.missing = short
    report.tasks = list(_tasks(order, kept))
    return report


def refusal(engine: Engine, scene: str, candidate: Candidate) -> str:
    """Return why a candidate is no task, one sentence; empty: it is one."""
    profile = get_profile("strict")

    def play(planner: str, steps: int) -> OfflineEpisode:
        return engine.submit(
            lambda: play_offline(
                engine, scene, candidate.goals, make_planner(planner), profile, max_steps=steps
            )
        ).result()

    oracle = play("oracle", ORACLE_STEPS)
    if any(oracle.judgement.held_at_reset):
        return "A sub-goal is true at the reset."
    if not oracle.judgement.satisfied:
        return oracle.outcome.message or oracle.judgement.reason
    # The published rule looks at the nearest instance only; `extended` adds switches to it.
    verdicts = evaluate_all(candidate.goals, oracle.final, "extended")
    if not all_satisfied(verdicts):
        return next(f"{v.reason}." for v in verdicts if not v.satisfied)
    changed = side_effects(candidate.goals, oracle.initial, oracle.final)
    if changed:
        return changed[0]
    if play("noop", 0).judgement.satisfied:
        return "Doing nothing solves it."
    return ""


def _tasks(order: SceneOrder, kept: Sequence[Candidate]) -> Iterator[Task]:
    numbers: Counter[int] = Counter()
    for candidate in sorted(kept, key=lambda c: c.tier):
        letter = LETTERS[numbers[candidate.tier]]
        numbers[candidate.tier] += 1
        number = order.offer.scene.removeprefix("FloorPlan")
        task_id = f"{order.order.prefix}-fp{number}-t{candidate.tier}{letter}"
        key = f"{order.order.seed}|{order.offer.scene}|{candidate}"
        yield make_task(task_id, order.offer, candidate, key)


def make_task(task_id: str, offer: SceneOffer, candidate: Candidate, key: str) -> Task:
    """Return the row of a candidate; the key chooses the words of its instruction."""
    room = room_type(offer.scene)
    goal = candidate.goals[0]
    flat = len(candidate.goals) == 1
    return Task.model_validate(
        {
            "task_id": task_id,
            "scene": offer.scene,
            "room_type": room,
            "difficulty_tier": TIERS[candidate.tier - 1],
            "instruction": instruction_for(candidate.goals, offer.counts, room, key),
            "goal": goal.goal if flat else None,
            "object": goal.object if flat else None,
            "target": goal.target if flat else None,
            "subtasks": None if flat else [asdict(goal) for goal in candidate.goals],
            "notes": "",
        }
    )


def to_bytes(tasks: Sequence[Task]) -> bytes:
    """Return the bytes of a task file, after a check by the rules of every task file."""
    rows = ",\n".join(
        "  " + json.dumps(task.model_dump(mode="json"), ensure_ascii=False) for task in tasks
    )
    data = f"[\n{rows}\n]\n".encode()
    parse_tasks(data, "The generated file")
    return data


def check_writable(path: Path) -> None:
    """Refuse a file that can't be written, before any work is done.

    Raises:
        GenerationError: the folder is missing or not writable, or the path is a folder.
    """
    try:
        existed = path.exists()
        with path.open("ab"):
            pass
        if not existed:
            path.unlink()
    except OSError as error:
        raise GenerationError(f"Can't write {path} (--out): {error.strerror}.") from error


def write(path: Path, data: bytes) -> None:
    """Write a task file.

    Raises:
        GenerationError: it can't be written.
    """
    try:
        path.write_bytes(data)
    except OSError as error:
        raise GenerationError(f"Can't write {path} (--out): {error.strerror}.") from error
