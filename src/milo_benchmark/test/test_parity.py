"""milo parity: two instances of milo_sim are alike, and an altered one differs where it was."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ai2thor", reason="needs the client of AI2-THOR")

from milo_benchmark import cli
from milo_benchmark.parity_compare import Kind, compare_tasks, grouped
from milo_benchmark.parity_play import ActionRecord, TaskRecord

STORE = "fp301-t3a"
"""A task whose placement is refused."""
PICK = "fp1-t2a"


def altered(folder: Path, what: str) -> str:
    path = folder / f"altered-{what}"
    script = Path(__file__).with_name("parity_altered_player.py")
    folders = os.pathsep.join(filter(None, sys.path))
    path.write_text(
        f'#!/bin/sh\nPYTHONPATH="{folders}" exec "{sys.executable}" "{script}" {what} "$@"\n'
    )
    path.chmod(0o755)
    return str(path)


def run(tmp_path: Path, b: str, *options: str) -> tuple[int, list[dict[str, Any]]]:
    out = tmp_path / "differences.jsonl"
    code = cli.main(["parity", "--a", "milo_sim", "--b", b, "--out", str(out), *options])
    return code, [json.loads(line) for line in out.read_text().splitlines()]


def test_milo_sim_is_like_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = run(tmp_path, "milo_sim", "--task", f"{STORE},{PICK}")
    assert (code, found) == (0, [])
    assert "2 of 2 tasks end alike on milo_sim (a) and milo_sim (b)." in capsys.readouterr().out


def test_fields_that_only_one_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = run(tmp_path, altered(tmp_path, "fields"), "--task", PICK)
    assert code == 1
    assert {d["kind"] for d in found} == {Kind.FIELD}
    assert {d["path"].rpartition(".")[2] for d in found} == {"mass", "glow", "isToggled"}
    text = capsys.readouterr().out
    assert "1 of 1 tasks end alike" in text
    assert "objects[].glow" in text.replace("\n", "")


def test_poses_that_are_off(tmp_path: Path) -> None:
    code, found = run(tmp_path, altered(tmp_path, "poses"), "--task", PICK)
    assert code == 1
    assert {d["kind"] for d in found} == {Kind.POSE}
    assert all("[Mug|" in d["path"] and d["path"].endswith("position.y") for d in found)
    assert {round(d["size"], 3) for d in found} == {0.05}


def test_other_words_for_a_refusal(tmp_path: Path) -> None:
    code, found = run(tmp_path, altered(tmp_path, "errors"), "--task", STORE)
    assert code == 1
    (error,) = [d for d in found if d["kind"] == Kind.ERROR]
    assert error["path"] == "PutObject"
    assert "No valid positions" in error["a"]
    assert "No room" in error["b"]


def test_another_outcome(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = run(tmp_path, altered(tmp_path, "grasp"), "--task", PICK)
    assert code == 1
    outcomes = {d["path"]: (d["a"], d["b"]) for d in found if d["kind"] == Kind.OUTCOME}
    assert outcomes["executed"] == ("True", "False")
    assert outcomes["verdicts"] == ("(True,)", "(False,)")
    assert "0 of 1 tasks end alike" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--a", "gazebo"], "no player 'gazebo'; use milo_sim, unity or an executable"),
        (["--a", "milo_sim", "--task", "fp9-t9z"], "fp9-t9z"),
        (["--a", "milo_sim", "--task", PICK, "--out", "/nowhere/x"], "/nowhere/x can't be written"),
        ([], "--a"),
    ],
)
def test_bad_arguments_are_one_sentence(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["parity", *options]) == 2
    assert words in capsys.readouterr().err


def test_a_player_that_does_not_start_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "player"
    path.write_text("#!/bin/sh\nexit 3\n")
    path.chmod(0o755)
    assert cli.main(["parity", "--a", str(path), "--task", PICK]) == 2
    assert "exit code 3" in capsys.readouterr().err


# -- comparing -------------------------------------------------------------------------------


def record(metadata: dict[str, Any], **fields: Any) -> TaskRecord:
    action = ActionRecord("Pass", {}, True, "", None, metadata)
    return TaskRecord("t", [ActionRecord(**{**vars(action), **fields})])


@pytest.mark.parametrize(
    ("a", "b", "kinds"),
    [
        ({"x": 1}, {"x": 1.0}, []),
        ({"x": 1.0}, {"x": 1.005}, []),
        ({"x": 1.0}, {"x": 1.1}, [Kind.VALUE]),
        ({"rotation": {"y": 359.9}}, {"rotation": {"y": 0.1}}, []),
        ({"rotation": {"y": 90.0}}, {"rotation": {"y": 92.0}}, [Kind.POSE]),
        ({"x": True}, {"x": 1}, [Kind.FIELD]),
        ({"x": None}, {"x": []}, [Kind.VALUE]),
        ({"x": [1, 2]}, {"x": [1]}, [Kind.VALUE]),
        ({"x": [1, 2]}, {"x": [2, 1]}, [Kind.VALUE] * 2),
        ({"x": float("nan")}, {"x": float("nan")}, []),
        ({"x": float("nan")}, {"x": 1.0}, [Kind.VALUE]),
        ({"currentTime": 1}, {"currentTime": 2}, []),
        (
            {"objects": [{"objectId": "a", "v": 1}, {"objectId": "b", "v": 2}]},
            {"objects": [{"objectId": "b", "v": 2}, {"objectId": "a", "v": 1}]},
            [],
        ),
        ({"objects": [{"objectId": "a"}]}, {"objects": []}, [Kind.FIELD]),
    ],
)
def test_metadata_is_compared_by_meaning(a: Any, b: Any, kinds: list[Kind]) -> None:
    assert [d.kind for d in compare_tasks(record(a), record(b))] == kinds


def test_errors_without_unitys_stack_trace_and_other_requests() -> None:
    thrown = record({}, success=False, error_message="Boom. trace: at Somewhere")
    assert compare_tasks(thrown, record({}, success=False, error_message="Boom.")) == []
    (found,) = compare_tasks(record({}), record({}, action="Teleport"))
    assert found.kind is Kind.SEQUENCE
    longer = record({})
    longer.actions *= 2
    assert [d.kind for d in compare_tasks(record({}), longer)] == [Kind.SEQUENCE]


def test_grouping_joins_objects_and_keeps_the_largest() -> None:
    objects = [{"objectId": name, "position": {"y": 0.0}} for name in "ab"]
    moved = [{"objectId": n, "position": {"y": y}} for n, y in (("a", 0.5), ("b", 0.2))]
    (group,) = grouped(compare_tasks(record({"objects": objects}), record({"objects": moved})))
    assert (group.place, group.count, group.largest) == ("objects[].position.y", 2, 0.5)
