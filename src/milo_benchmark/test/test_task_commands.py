"""`milo tasks list`, `generate` and `check`."""

import json

import pytest

from milo_benchmark import cli


@pytest.fixture
def milo(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        code = cli.main(["tasks", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["generate"], ["--out"]),
        (["generate", "--out", "t.json", "--scenes", "attics"], ["attics", "kitchens"]),
        (["generate", "--out", "t.json", "--scenes", "FloorPlan31"], ["FloorPlan31"]),
        (["generate", "--out", "t.json", "--tiers", "6"], ["tier '6'", "1, 2, 3, 4 or 5"]),
        (["generate", "--out", "t.json", "--n", "0"], ["--n", "at least 1"]),
        (["generate", "--out", "t.json", "--n", "many"], ["--n", "whole number"]),
        (["generate", "--out", "t.json", "--jobs", "0"], ["--jobs", "at least 1"]),
        (["generate", "--out", "t.json", "--seed", "x"], ["--seed", "whole number"]),
        (["generate", "--out", "t.json", "--name", "My Set"], ["My Set", "lower-case"]),
        (["generate", "--out", "absent/t.json"], ["absent/t.json", "No such file"]),
        (["generate", "--out", "."], ["--out", "directory"]),
        (["check", "--version", "9"], ["9", "milo-120"]),
        (["check", "--scene", "FloorPlan2"], ["FloorPlan2", "FloorPlan301"]),
        (["check", "--split", "exam"], ["exam", "train"]),
        (["check", "--tasks-file", "absent.json"], ["absent.json"]),
        (["check", "--out", "absent/report.json"], ["absent/report.json"]),
        (["list", "--split", "exam"], ["exam", "val"]),
    ],
)
def test_bad_input_is_one_sentence_before_anything_is_written(milo, tmp_path, arguments, words):
    code, out, err = milo(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("milo: ")
    assert err.count("\n") == 1
    assert err.rstrip().endswith((".", "?"))
    assert all(word in err for word in words), err
    assert list(tmp_path.iterdir()) == []


def test_tasks_of_a_split_are_listed(milo):
    code, out, _ = milo("list", "--version", "milo-120", "--split", "val", "--tier", "5")
    assert code == 0
    assert len(out.splitlines()) == 20
    assert out.startswith("milo-120-fp21-t5a")


def test_generated_tasks_pass_their_check(milo, tmp_path):
    made = ["--scenes", "FloorPlan401", "--tiers", "2,5", "--n", "2", "--jobs", "1"]
    code, out, err = milo("generate", *made, "--out", "mine.json")
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "mine.json: 2 tasks."
    code, out, _ = milo("check", "--tasks-file", "mine.json", "--out", "report.json")
    assert code == 0
    assert "oracle: strict 2/2" in out
    rows = [json.loads(line) for line in (tmp_path / "report.json").read_text().splitlines()]
    assert [row["sound"] for row in rows] == [True, True]


def test_a_check_that_finds_something_ends_with_1(milo):
    code, out, _ = milo("check", "--task", "fp201-t4a")
    assert code == 1
    assert "not sound: milo-v1.1-fp201-t4a" in out
