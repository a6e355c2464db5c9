import re

from milo_benchmark.manifest import collect_versions, describe_host, digest_of, utc_now
from milo_core.tasks import VERSION_DIGESTS


def test_what_was_run_and_with_what(make):
    manifest = make.manifest(tier="4", repeat="3", seed="7")
    assert (manifest.planner, manifest.profile, manifest.player) == (
        "rule_based",
        "milo",
        "milo_sim",
    )
    assert manifest.dataset.digest == VERSION_DIGESTS["1.1"]
    assert len(manifest.dataset.task_ids) == 9
    assert manifest.episode_count == 27
    assert manifest.seeds == [7, 8, 9]
    assert manifest.arguments["tier"] == "4"
    session = manifest.sessions[0]
    assert session.versions_digest == digest_of(session.versions)


def test_ids_differ_and_versions_do_not(make):
    first, second = make.manifest(), make.manifest()
    assert first.run_id != second.run_id
    assert first.sessions[0].session_id != second.sessions[0].session_id
    assert first.sessions[0].versions_digest == second.sessions[0].versions_digest


def test_versions_name_packages_python_and_distribution(monkeypatch):
    monkeypatch.setenv("ROS_DISTRO", "jazzy")
    versions = collect_versions()
    assert versions["ros_distro"] == "jazzy"
    assert re.fullmatch(r"3\.\d+\.\d+.*", versions["python"])
    assert versions["milo_core"] == "0.1.0"
    assert versions["milo_benchmark"] == "0.1.0"
    assert "ai2thor" in versions


def test_any_other_version_is_another_digest():
    assert digest_of({"a": "1"}) != digest_of({"a": "2"})
    assert digest_of({"a": "1", "b": "2"}) == digest_of({"b": "2", "a": "1"})


def test_host_is_described():
    host = describe_host()
    assert host.cores >= 1
    assert host.memory_gib > 0.1
    assert host.cpu


def test_times_are_utc():
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", utc_now())
