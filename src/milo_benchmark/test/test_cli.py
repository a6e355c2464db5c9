import json
import os
import subprocess
import sys
import time

import pytest

from milo_benchmark import cli
from milo_benchmark.graph import ARGUMENTS, RunArguments
from milo_benchmark.results import ResultsWriter
from milo_core.tasks import load_tasks


@pytest.fixture
def milo(monkeypatch, capsys, tmp_path):
    """Runs the command line with a graph that only takes down its arguments."""
    started = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("milo_benchmark.supervisor.find_executable", lambda spec: ["true"])

    class Graph:
        def __init__(self, specs, logs, environment):
            started.append((specs, logs, environment))

        def run(self):
            return 7

    monkeypatch.setattr("milo_benchmark.supervisor.Supervisor", Graph)

    def call(*arguments):
        code = cli.main(list(arguments))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    call.started = started
    return call


def refused(milo, *arguments):
    code, out, err = milo(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("milo: ")
    assert err.count("\n") == 1
    assert err.rstrip().endswith((".", "?"))
    assert milo.started == []
    return err


def test_run_starts_the_graph_and_returns_its_code(milo, tmp_path):
    out = tmp_path / "here"
    code, _, err = milo("run", "--tier", "3", "--tier", "4", "--seed", "5", "--out", str(out))
    assert (code, err) == (7, "")
    specs, logs, environment = milo.started[0]
    given = dict(specs[-1].parameters)
    given.pop("autostart")
    assert RunArguments.parse(given) == RunArguments.parse(
        {"tier": "3,4", "seed": "5", "out": str(out)}
    )
    assert logs == out / "logs"
    assert 1 <= int(environment["ROS_DOMAIN_ID"]) <= 100
    assert environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
    assert environment["ROS_PYTHON_CHECK_FIELDS"] == "1"


def test_default_folder_is_below_runs(milo, tmp_path):
    milo("run")
    assert milo.started[0][1].parent.parent == tmp_path / "runs"


def test_every_argument_of_a_run_is_an_option(milo):
    _, out, _ = milo("run", "--help")
    for argument in ARGUMENTS:
        assert f"--{argument.name.replace('_', '-')} " in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--task", "fp9-t9z"], ["fp9-t9z", "tasks list"]),
        (["--task", "t1a"], ["t1a", "several"]),
        (["--scene", "FloorPlan999"], ["FloorPlan999"]),
        (["--scene", "FloorPlan2"], ["FloorPlan2", "FloorPlan301"]),
        (["--planner", "psychic"], ["psychic", "rule_based"]),
        (["--profile", "kind"], ["kind", "milo"]),
        (["--version", "3"], ["3", "1.1"]),
        (["--tier", "6"], ["6"]),
        (["--tier", "5"], ["all conditions"]),
        (["--split", "exam"], ["exam", "train"]),
        (["--split", "test"], ["all conditions"]),
        (["--tier", "1", "--task", "fp301-t3a"], ["all conditions"]),
        (["--repeat", "0"], ["--repeat"]),
        (["--seed", "x"], ["--seed"]),
        (["--player", "doom"], ["doom"]),
        (["--bad"], ["--bad", "milo run --help"]),
        (["stray"], ["stray"]),
        (["--out"], ["--out"]),
        (["--tasks-file", "missing.json"], ["missing.json"]),
        (["--out", "file/below"], ["file/below", "--out"]),
    ],
)
def test_bad_input_is_one_sentence_before_anything_starts(milo, tmp_path, arguments, words):
    (tmp_path / "file").write_text("")
    err = refused(milo, "run", *arguments)
    assert all(word in err for word in words)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("arguments", [[], ["fly"], ["tasks"], ["results"], ["tasks", "validate"]])
def test_bad_verbs_are_one_sentence(milo, arguments):
    refused(milo, *arguments)


def rows():
    return [task.model_dump() for task in load_tasks("1.1").tasks[:3]]


def damaged(change):
    content = rows()
    change(content)
    return json.dumps(content)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (damaged(lambda r: r[0].update(scene=5)), ["row 1", "'scene'"]),
        (damaged(lambda r: r[1].update(goal="eat")), ["row 2", "'goal'", "eat"]),
        (damaged(lambda r: r[2].update(task_id=r[0]["task_id"])), ["row 3", "'task_id'", "row 1"]),
        (json.dumps(rows())[:-20], ["JSON", "truncated"]),
        ("", ["JSON"]),
        ("{}", ["array"]),
    ],
)
def test_a_malformed_task_file_is_refused_everywhere(milo, tmp_path, text, words):
    path = tmp_path / "mine.json"
    path.write_text(text)
    for arguments in (
        ["run", "--tasks-file"],
        ["tasks", "list", "--tasks-file"],
        ["tasks", "validate"],
    ):
        err = refused(milo, *arguments, str(path))
        assert all(word in err for word in [*words, "mine.json"])
    assert path.read_text() == text


def test_a_valid_task_file_is_said_to_be_valid(milo, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(rows()))
    code, out, _ = milo("tasks", "validate", str(path))
    assert code == 0
    assert "3 tasks" in out
    code, out, _ = milo("tasks", "list", "--tasks-file", str(path))
    assert len(out.splitlines()) == 3


def test_tasks_are_listed_as_selected(milo):
    code, out, _ = milo("tasks", "list", "--tier", "4", "--scene", "FloorPlan1,FloorPlan5")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == [
        "milo-v1.1-fp1-t4a",
        "milo-v1.1-fp5-t4a",
    ]


@pytest.fixture
def finished(make, tmp_path):
    folder = tmp_path / "done"
    writer = ResultsWriter(folder, make.manifest(task="fp1-t1a,fp1-t1b"))
    writer.append(make.record("milo-v1-fp1-t1a"))
    writer.append(make.record("milo-v1-fp1-t1b", goal_success=False, failure_cause="Broken."))
    writer.close()
    return folder


def test_results_show_reads_the_lines_alone(milo, finished):
    code, out, _ = milo("results", "show", str(finished))
    assert code == 0
    assert "1/2" in out
    assert "fp1-t1b" in out
    assert "Broken." in out


def test_results_show_explains_failures(milo, make, tmp_path):
    folder = tmp_path / "done"
    writer = ResultsWriter(folder, make.manifest(task="fp1-t1a"))
    record = make.record(
        goal_success=False,
        failure_class="precondition",
        failure_detail="wrong_order",
        unmet_preconditions=["hand_empty"],
        blame="plan",
    )
    writer.append(record)
    writer.close()
    _, out, _ = milo("results", "show", str(folder))
    assert "precondition (wrong_order, hand_empty) by plan" in out


def test_results_show_compares_several_runs(milo, make, finished, tmp_path):
    other = tmp_path / "other"
    manifest = make.manifest(task="fp1-t1a,fp1-t1b").model_copy(update={"profile": "strict"})
    writer = ResultsWriter(other, manifest)
    writer.append(make.record("milo-v1-fp1-t1a", profile="strict", failure_class="geometry"))
    writer.close()
    code, out, _ = milo("results", "show", str(finished), str(other))
    assert code == 0
    rows = [line.split()[:3] for line in out.splitlines() if line.startswith("rule_based")]
    assert rows[:2] == [["rule_based", "milo", "2"], ["rule_based", "strict", "1"]]
    assert "geometry 1" in out
    assert "1 of 2 episodes" in out
    refused(milo, "results", "show", str(finished), str(tmp_path))


def test_results_show_tolerates_a_crash_and_changes_nothing(milo, finished):
    path = finished / "results.jsonl"
    path.write_bytes(path.read_bytes()[:-5])
    before = path.read_bytes()
    code, out, _ = milo("results", "show", str(finished))
    assert code == 0
    assert "1 of 2 episodes" in out
    assert "incomplete" in out
    assert path.read_bytes() == before


def test_results_show_needs_a_run(milo, tmp_path):
    refused(milo, "results", "show", str(tmp_path))


def test_another_runs_folder_is_refused(milo, finished):
    before = (finished / "results.jsonl").read_bytes()
    err = refused(milo, "run", "--out", str(finished))
    assert "other parameters" in err
    assert (finished / "results.jsonl").read_bytes() == before


def test_the_same_parameters_go_on(milo, finished):
    code, _, _ = milo("run", "--out", str(finished), "--task", "fp1-t1a", "--task", "fp1-t1b")
    assert code == 7


def test_version_names_the_packages(milo):
    code, out, _ = milo("version")
    assert code == 0
    assert "milo_core" in out


def test_bad_input_is_answered_without_heavy_imports():
    code = (
        "import sys; from milo_benchmark import cli; code = cli.main(['run', '--planner', 'x'])\n"
        "heavy = {'rclpy', 'numpy', 'scipy', 'rich', 'ai2thor', 'milo_core.tasks'}\n"
        "print(code, sorted(heavy & set(sys.modules)))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=30
    )
    assert done.stdout == "2 []\n", done.stderr
    assert time.monotonic() - begun < 10.0
