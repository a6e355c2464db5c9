import json
import os
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from milo_benchmark.results import (
    MANIFEST_NAME,
    RESULTS_NAME,
    ResultsError,
    ResultsWriter,
    folder_lock,
    make_folder,
    parse_results,
    read_manifest,
    read_results,
)


def lines_of(records):
    return b"".join(record.model_dump_json().encode() + b"\n" for record in records)


def write(folder, manifest, records):
    writer = ResultsWriter(folder, manifest)
    for record in records:
        writer.append(record)
    writer.close()
    return writer


def test_lines_come_back(make, tmp_path):
    records = [make.record("a"), make.record("b", failure_cause='ä "quoted"\nline\u2028')]
    write(tmp_path, make.manifest(), records)
    found = read_results(tmp_path)
    assert found.records == tuple(records)
    assert not found.truncated
    assert len((tmp_path / RESULTS_NAME).read_bytes().split(b"\n")) == 3


def test_every_line_is_plain_json_with_its_times_under_one_key(make, tmp_path):
    write(tmp_path, make.manifest(), [make.record()])
    line = json.loads((tmp_path / RESULTS_NAME).read_text())
    assert line["task_id"] == "a-fp1-t1a"
    assert set(line["time"]) == {
        "started_at",
        "wall_clock_ms",
        "stages_ms",
        "planning_ms",
        "steps_ms",
    }


def test_a_crash_at_any_byte_costs_at_most_the_last_episode(make):
    records = [make.record(name) for name in "abc"]
    data = lines_of(records)
    ends = [i + 1 for i, byte in enumerate(data) if byte == 10]
    for cut in range(len(data) + 1):
        found = parse_results(data[:cut], "file")
        complete = sum(end <= cut for end in ends)
        assert found.records == tuple(records[:complete])
        assert found.truncated == (cut not in {0, *ends})
        assert found.intact_size == max([0, *(end for end in ends if end <= cut)])


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_after_a_crash_the_run_goes_on_and_holds_each_episode_once(make, tmp_path, data):
    records = [make.record(name) for name in "abc"]
    whole = lines_of(records)
    path = tmp_path / RESULTS_NAME
    path.unlink(missing_ok=True)
    manifest = make.manifest()
    write(tmp_path, manifest, [])
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    writer = ResultsWriter(tmp_path, manifest)
    for record in records:
        if record.key not in writer.found.keys:
            writer.append(record)
    writer.close()
    assert path.read_bytes() == whole


@given(garbage=st.binary(max_size=60).filter(lambda b: b"\n" not in b))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_unfinished_last_line_is_dropped(make, garbage):
    data = lines_of([make.record("a")])
    found = parse_results(data + garbage, "file")
    assert len(found.records) == 1
    assert found.truncated == bool(garbage)


@pytest.mark.parametrize(
    "damage", [b"{}", b"nonsense", b"", b'{"format":2}', b'{"format":3}', b"[1]", b"\x00\x00"]
)
def test_damage_before_the_end_is_named(make, damage):
    good = lines_of([make.record("a")])
    with pytest.raises(ResultsError, match=r"file, line 2 ") as error:
        parse_results(good + damage + b"\n" + lines_of([make.record("b")]), "file")
    assert "\n" not in str(error.value)


def test_an_older_format_is_one_sentence_with_the_cure(make):
    old = json.loads(lines_of([make.record("a")])) | {"format": 1}
    with pytest.raises(ResultsError, match=r"file has episodes of format 1.* reads 2; .*again"):
        parse_results(json.dumps(old).encode() + b"\n", "file")


def test_an_episode_that_is_there_twice_is_named(make):
    data = lines_of([make.record("a"), make.record("b"), make.record("a")])
    with pytest.raises(ResultsError, match=r"line 3 repeats the episode of line 1 \(a\)"):
        parse_results(data, "file")


def test_same_task_with_another_repeat_or_seed_is_another_episode(make):
    records = [make.record("a"), make.record("a", repeat=1, seed=1), make.record("a", seed=5)]
    assert parse_results(lines_of(records), "file").records == tuple(records)


def test_resuming_keeps_the_manifest_and_adds_a_session(make, tmp_path):
    first, second = make.manifest(), make.manifest()
    write(tmp_path, first, [make.record("a")])
    writer = write(tmp_path, second, [make.record("b")])
    assert [record.task_id for record in writer.found.records] == ["a"]
    manifest = read_manifest(tmp_path)
    assert manifest is not None
    assert (manifest.run_id, manifest.created_at) == (first.run_id, first.created_at)
    assert [s.session_id for s in manifest.sessions] == [
        first.sessions[0].session_id,
        second.sessions[0].session_id,
    ]
    assert len(read_results(tmp_path).records) == 2


@pytest.mark.parametrize(
    ("texts", "word"),
    [
        ({"player": "unity"}, "player was milo_sim, now unity"),
        ({"repeat": "2"}, "repeat was 1, now 2"),
        ({"seed": "3"}, "seed was 0, now 3"),
        ({"version": "1.0"}, "tasks were those of 1.1, now 1.0"),
        ({"tier": "1"}, "selection was 54 tasks, now 18"),
    ],
)
def test_other_parameters_are_refused_and_nothing_is_written(make, tmp_path, texts, word):
    write(tmp_path, make.manifest(), [make.record("a")])
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ResultsError, match="other parameters") as error:
        ResultsWriter(tmp_path, make.manifest(**texts))
    assert word in str(error.value)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_same_selection_in_other_words_goes_on(make, tmp_path):
    write(tmp_path, make.manifest(task="milo-v1-fp301-t3a"), [])
    write(tmp_path, make.manifest(task="fp301-t3a"), [])
    manifest = read_manifest(tmp_path)
    assert manifest is not None
    assert len(manifest.sessions) == 2


def test_results_without_a_manifest_are_not_touched(make, tmp_path):
    path = tmp_path / RESULTS_NAME
    path.write_text("someone's own\n")
    with pytest.raises(ResultsError, match=r"no manifest\.json"):
        ResultsWriter(tmp_path, make.manifest())
    assert path.read_text() == "someone's own\n"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}'])
def test_a_damaged_manifest_is_named(make, tmp_path, text):
    (tmp_path / MANIFEST_NAME).write_text(text)
    with pytest.raises(ResultsError, match=r"manifest\.json is no manifest"):
        ResultsWriter(tmp_path, make.manifest())
    assert (tmp_path / MANIFEST_NAME).read_text() == text


def test_unwritable_folder_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsError, match=r"Can't write to .*file/sub: .*give another --out\.$"):
        make_folder(tmp_path / "file" / "sub")


def test_a_full_disk_is_one_sentence(make, tmp_path, monkeypatch):
    writer = ResultsWriter(tmp_path, make.manifest())

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(ResultsError, match=r"No space left on device.*are safe"):
            writer.append(make.record("a"))
    writer.close()


def test_short_writes_are_completed(make, tmp_path, monkeypatch):
    writer = ResultsWriter(tmp_path, make.manifest())
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, data[:7]))
    writer.append(make.record("a"))
    writer.close()
    assert read_results(tmp_path).records == (make.record("a"),)


def test_two_runs_never_share_a_folder(tmp_path):
    with folder_lock(tmp_path), pytest.raises(ResultsError, match="Another run"):  # noqa: SIM117
        with folder_lock(tmp_path, patience=0.0):
            pass
    with folder_lock(tmp_path, patience=0.0):
        pass


def test_a_killed_process_frees_the_folder(tmp_path):
    code = (
        "import sys; from pathlib import Path; from milo_benchmark.results import folder_lock\n"
        "with folder_lock(Path(sys.argv[1])):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        with pytest.raises(ResultsError), folder_lock(tmp_path, patience=0.0):
            pass
    finally:
        child.kill()
        child.communicate()
    with folder_lock(tmp_path, patience=2.0):
        pass
