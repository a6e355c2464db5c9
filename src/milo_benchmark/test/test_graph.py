from datetime import UTC, datetime
from pathlib import Path

import pytest

from milo_benchmark.graph import ARGUMENTS, ArgumentError, RunArguments, run_graph
from milo_core.profiles import PROFILES
from milo_core.tasks import VERSION_DIGESTS

NOW = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)


def test_defaults(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    arguments = RunArguments.parse({}, NOW)
    assert (arguments.planner, arguments.profile, arguments.version) == (
        "rule_based",
        "milo",
        "1.1",
    )
    assert (arguments.repeat, arguments.seed, arguments.tier) == (1, 0, ())
    assert arguments.out == tmp_path / "runs/20260504T030201Z-rule_based-milo-v1.1"


def test_default_folder_of_a_task_file_is_named_after_it():
    arguments = RunArguments.parse({"tasks_file": "sub/mine.json"}, NOW)
    assert arguments.out.name == "20260504T030201Z-rule_based-milo-mine"
    assert arguments.tasks_file == Path("sub/mine.json").absolute()


def test_lists_are_commas_or_repetition_without_doubles():
    from_text = RunArguments.parse({"tier": "3, 1,3", "task": "a,b"})
    from_texts = RunArguments.parse({"tier": ["1", "3"], "task": ["a", "b"]})
    assert from_text.tier == from_texts.tier == (1, 3)
    assert from_text.task == from_texts.task == ("a", "b")


def test_texts_are_read_back_the_same():
    texts = {
        "planner": "rule_based",
        "version": "1.0",
        "tier": "1,4",
        "scene": "FloorPlan1,FloorPlan5",
        "task": "fp1-t1a",
        "split": "test",
        "repeat": "3",
        "seed": "-7",
        "out": "/some where/ä",
        "player": "unity",
        "tasks_file": "/t.json",
    }
    arguments = RunArguments.parse(texts)
    assert RunArguments.parse(arguments.texts()) == arguments
    assert arguments.texts() | texts == arguments.texts()


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({"planner": "psychic"}, ["psychic", "rule_based"]),
        ({"profile": "kind"}, ["kind", "milo"]),
        ({"version": "2.0"}, ["2.0", "1.0, 1.1"]),
        ({"player": "doom"}, ["doom", "milo_sim"]),
        ({"tier": "6"}, ["6", "1, 2, 3, 4 or 5"]),
        ({"split": "exam"}, ["exam", "use train, val, test."]),
        ({"tier": "one"}, ["one"]),
        ({"repeat": "0"}, ["--repeat", "at least 1"]),
        ({"repeat": "many"}, ["--repeat", "whole number", "many"]),
        ({"seed": "1.5"}, ["--seed", "whole number"]),
        ({"seed": "9" * 30}, ["--seed"]),
        ({"seed": "٣"}, ["--seed"]),
        ({"planner": ["rule_based", "rule_based"]}, ["--planner", "once"]),
        ({"colour": "red"}, ["colour", "planner"]),
    ],
)
def test_bad_arguments_are_one_sentence(texts, words):
    with pytest.raises(ArgumentError) as error:
        RunArguments.parse(texts)
    text = str(error.value)
    assert "\n" not in text
    assert text.endswith(".")
    assert all(word in text for word in words)


def test_choices_are_what_the_other_packages_offer():
    choices = {argument.name: argument.choices for argument in ARGUMENTS}
    registry = pytest.importorskip("milo_planner.registry")
    assert set(choices["planner"]) == set(registry.PLANNERS)
    assert set(choices["profile"]) == set(PROFILES)
    assert set(choices["version"]) == set(VERSION_DIGESTS)
    assert all(a.default in a.choices for a in ARGUMENTS if a.choices)


def test_graph_hands_the_arguments_on():
    arguments = RunArguments.parse({"out": "/o", "tier": "2", "player": "unity"})
    specs = {spec.name: spec for spec in run_graph(arguments)}
    assert list(specs) == ["thor_bridge", "world_model", "planner", "orchestrator"]
    assert specs["thor_bridge"].parameters == {"player": "unity"}
    assert specs["planner"].parameters == {"planner": "rule_based"}
    parameters = dict(specs["orchestrator"].parameters)
    assert parameters.pop("autostart") is True
    assert RunArguments.parse(parameters) == arguments


def test_only_the_orchestrator_ends_the_run_and_has_the_terminal():
    specs = run_graph(RunArguments.parse({}))
    assert [s.name for s in specs if s.required] == ["orchestrator"]
    assert [s.name for s in specs if s.output == "terminal"] == ["orchestrator"]


def test_names_are_relative():
    for spec in run_graph(RunArguments.parse({})):
        names = [spec.name, spec.namespace, *(n for pair in spec.remappings for n in pair)]
        assert not any(name.startswith("/") for name in names)
