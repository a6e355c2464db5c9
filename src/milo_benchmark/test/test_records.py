from pathlib import Path

import pytest

from milo_benchmark.records import EpisodeRecord, is_strict
from milo_core.failures import Blame, FailureClass, FailureDetail
from milo_core.profiles import PROFILES

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.fixture(scope="module")
def page():
    return (DOCS / "results.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", EpisodeRecord.model_fields)
def test_every_field_of_a_line_is_explained(page, name):
    cells = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    assert any(f"`{name}`" in cell for cell in cells)


@pytest.mark.parametrize("word", [*FailureClass, *FailureDetail, *Blame])
def test_every_word_for_a_failure_is_explained(page, word):
    assert f"| `{word}` |" in page


def test_every_profile_is_described():
    text = (DOCS / "profiles.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in PROFILES)


@pytest.mark.parametrize(
    ("profile", "expected"), [("milo", False), ("strict", True), ("of another version", False)]
)
def test_profiles_have_their_rule(make, profile, expected):
    assert is_strict(profile) is expected
    record = make.record(profile=profile, goal_success=False, goal_success_strict=True)
    assert record.success is expected
