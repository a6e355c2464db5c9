import pytest

from milo_benchmark.episode import EpisodeRunner
from milo_benchmark.graph import RunArguments
from milo_benchmark.mailbox import EpisodeStopped
from milo_benchmark.manifest import select_tasks
from milo_benchmark.results import ResultsWriter, read_results
from milo_benchmark.run_loop import plan_run, play


class Reporter:
    def __init__(self):
        self.begun = []
        self.ended = []

    def begin(self, request):
        self.begun.append(request.key)

    def end(self, record):
        self.ended.append(record.key)


@pytest.fixture
def run(make, tmp_path):
    manifest = make.manifest(task="fp1-t1a,fp1-t1b", repeat="2", seed="5")
    arguments = RunArguments.parse({"task": "fp1-t1a,fp1-t1b"})
    return manifest, plan_run(manifest, select_tasks(arguments)[1]), tmp_path


def start(run, ports):
    manifest, requests, folder = run
    writer, reporter = ResultsWriter(folder, manifest), Reporter()
    try:
        return play(requests, EpisodeRunner(ports), writer, reporter), reporter
    finally:
        writer.close()


def test_each_repeat_goes_through_all_tasks_with_its_own_seed(run):
    keys = [(r.task.task_id[-4:], r.repeat, r.seed) for r in run[1]]
    assert keys == [("-t1a", 0, 5), ("-t1b", 0, 5), ("-t1a", 1, 6), ("-t1b", 1, 6)]


def test_a_run_leaves_one_line_an_episode_in_order(run, make):
    records, reporter = start(run, make.ports())
    assert [r.key for r in records] == [r.key for r in run[1]] == reporter.begun == reporter.ended
    assert read_results(run[2]).records == tuple(records)


def test_the_line_is_written_before_it_is_shown(run, make, monkeypatch):
    seen = []
    monkeypatch.setattr(
        Reporter,
        "end",
        lambda self, record: seen.append(read_results(run[2]).records[-1] == record),
    )
    start(run, make.ports())
    assert seen == [True] * 4


class StopAt:
    """Ports that stop the n-th episode in its score."""

    def __init__(self, make, number):
        self.ports = make.ports()
        self.left = number

    def __getattr__(self, name):
        return getattr(self.ports, name)

    def wait_for_step(self, step, timeout):
        self.left -= 1
        if self.left == 0:
            raise EpisodeStopped


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_stopped_run_goes_on_where_it_was(run, make, number):
    with pytest.raises(EpisodeStopped):
        start(run, StopAt(make, number))
    assert len(read_results(run[2]).records) == number - 1
    records, reporter = start(run, make.ports())
    assert len(reporter.begun) == 4 - (number - 1)
    keys = [record.key for record in read_results(run[2]).records]
    assert keys == [request.key for request in run[1]]
    assert [record.key for record in records] == keys


def test_a_finished_run_plays_nothing(run, make):
    start(run, make.ports())
    before = (run[2] / "results.jsonl").read_bytes()
    ports = make.ports()
    records, _ = start(run, ports)
    assert len(records) == 4
    assert ports.calls == []
    assert (run[2] / "results.jsonl").read_bytes() == before
