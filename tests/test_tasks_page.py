"""docs/tasks.md says what milo-120 consists of."""

from collections import Counter
from pathlib import Path

from milo_core.scenes import ROOM_RANGES, SPLITS, split_of
from milo_core.tasks import STATE_GOALS, Task, load_tasks

PAGE = Path(__file__).resolve().parent.parent / "docs" / "tasks.md"
GOALS = ("find", "pick_up", "store", "store twice", *STATE_GOALS)


def kind(task: Task) -> str:
    goals = task.sub_goals()
    return goals[0].goal if len(goals) == 1 else f"{goals[0].goal} twice"


def table() -> str:
    tasks = load_tasks("milo-120").tasks
    rows: dict[str, list[Task]] = {
        **{room: [t for t in tasks if t.room_type == room] for room in ROOM_RANGES},
        **{split: [t for t in tasks if split_of(t.scene) == split] for split in SPLITS},
        "all": list(tasks),
    }
    lines = []
    for name, chosen in rows.items():
        kinds = Counter(map(kind, chosen))
        numbers = [len({t.scene for t in chosen}), len(chosen), *(kinds[goal] for goal in GOALS)]
        lines.append(f"| {name} | " + " | ".join(map(str, numbers)) + " |")
    return "\n".join(lines)


def test_the_table_of_milo_120_is_current() -> None:
    assert table() in PAGE.read_text(encoding="utf-8"), table()


def test_the_numbers_below_the_table_are_current() -> None:
    goals = [goal for task in load_tasks("milo-120") for goal in task.sub_goals()]
    objects, targets = {g.object for g in goals}, {g.target for g in goals if g.target}
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    words = f"Its {len(goals)} goals are about {len(objects)} object types and {len(targets)}"
    assert words in text
    assert f"{len(set(goals))} of them differ" in text
