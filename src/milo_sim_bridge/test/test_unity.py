"""The way to Unity: what goes wrong on it is said in one sentence with the cure.

No Unity is needed: what comes before its start is AI2-THOR's own client, and a scripted player
takes the part of the build.
"""

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bridge_scripted_player as scripted
import pytest

from milo_core.error_codes import EngineError
from milo_sim_bridge import unity, unity_checks
from milo_sim_bridge.engine import Engine, EngineConfig, StepResult
from milo_sim_bridge.errors import EngineFailure
from milo_sim_bridge.unity import UnityError

Start = Callable[..., StepResult]
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Resets an engine of the player unity; with a script, a scripted player is its build."""
    engines: list[Engine] = []
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("DISPLAY", raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, NOWHERE)

    def begin(script: dict[str, str] | None = None, seed: int = 7, **options: Any) -> StepResult:
        if script is not None:
            monkeypatch.setenv("SCRIPTED_PLAYER", json.dumps(script))
            options.setdefault("executable", str(scripted.executable(tmp_path)))
        engine = Engine(EngineConfig(player="unity", start_timeout=20.0, **options))
        engines.append(engine)
        return engine.submit(lambda: engine.reset("FloorPlan1", seed)).result(60)

    yield begin
    for engine in engines:
        engine.close()
    assert list(temporary.iterdir()) == [], "files are left behind"


def failure(call: Callable[[], object]) -> str:
    with pytest.raises(EngineFailure) as caught:
        call()
    assert caught.value.code is EngineError.ENGINE_START_FAILED
    text = str(caught.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize(
    "options", [{"headless": True}, {"platform": "CloudRendering"}], ids=["headless", "cloud"]
)
def test_a_local_build_is_driven_as_milo_sim_is(start: Start, options: dict[str, Any]) -> None:
    result = start({}, **options)
    assert result.success
    assert result.snapshot.scene == "FloorPlan1"


def test_without_network_the_build_cannot_be_loaded(start: Start) -> None:
    text = failure(lambda: start(headless=True))
    assert "connect this machine to the network once" in text
    assert "local_executable_path" in text


def test_without_a_display_unity_is_not_even_started(start: Start) -> None:
    text = failure(lambda: start({"start": "hang"}, x_display=":987"))
    assert "Invalid display: :987" in text
    assert "platform:=CloudRendering" in text
    text = failure(lambda: start({"start": "hang"}, x_display="987", platform="Linux64"))
    assert "Invalid display: :987" in text


def test_a_build_that_ends_at_once(start: Start) -> None:
    text = failure(lambda: start({"start": "die"}, headless=True))
    assert "exit code 7" in text


def test_a_build_that_cannot_be_executed(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "build"
    path.write_text("no program")
    text = failure(lambda: start(executable=str(path), headless=True))
    assert "Permission denied" in text
    assert "chmod +x" in text
    text = failure(lambda: start(executable=str(tmp_path / "none"), headless=True))
    assert "No such file" in text


def test_a_build_that_refuses_the_seed(start: Start) -> None:
    with pytest.raises(EngineFailure) as caught:
        start({}, seed=scripted.UNLUCKY_SEED, headless=True)
    assert caught.value.code is EngineError.ENGINE_REFUSED_RESET
    assert "bad luck" in str(caught.value)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Confirm that Vulkan is properly configured", "libvulkan1"),
        ("found, but had missing dependencies.", "x_display"),
        ("Display :0.0 does not have the GLX extension loaded.", "GLX"),
        ("HTTPSConnectionPool(host='s3'): Max retries exceeded with url", "network"),
        ("Invalid commit_id: f0 - no build exists for arch=Linux", "x86_64"),
        ("OSError: [Errno 28] No space left on device", "3 GB"),
        ("Invalid sha256 for build", "damaged"),
        ("BadZipFile: File is not a zip file", "damaged"),
        ("something new", ""),
    ],
)
def test_what_the_messages_mean(message: str, words: str) -> None:
    cure = unity.cure_of(message)
    assert words in cure
    assert bool(cure) == bool(words)


def test_platforms() -> None:
    assert unity.platform_class("") is None
    assert {p for p in unity.PLATFORMS if p} == {"Linux64", "CloudRendering"}
    assert unity.platform_class("CloudRendering").__name__ == "CloudRendering"  # type: ignore[union-attr]
    with pytest.raises(UnityError, match="use Linux64, CloudRendering, or none"):
        unity.platform_class("Amiga")


# -- what the doctor looks at ----------------------------------------------------------------


def test_vulkan_is_looked_for_from_loader_to_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(**arguments: Any) -> str:
        with pytest.raises(UnityError) as caught:
            unity_checks.check_vulkan(**arguments)
        return str(caught.value)

    assert "libvulkan1" in fault(library="libno_such_library.so")
    folders, library = [tmp_path / "icd.d"], "libc.so.6"  # any library that is there
    assert "no Vulkan driver" in fault(folders=folders, library=library)
    folders[0].mkdir()
    (folders[0] / "lavapipe.json").touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "lavapipe" in unity_checks.check_vulkan(folders, library)
    tool = tmp_path / "vulkaninfo"
    tool.write_text("#!/bin/sh\necho '  deviceName = llvmpipe'\n")
    tool.chmod(0o755)
    assert unity_checks.check_vulkan(folders, library) == "llvmpipe"
    tool.write_text("#!/bin/sh\nexit 1\n")
    assert "finds no device" in fault(folders=folders, library=library)
    tool.write_text("no program")
    assert "does not work" in fault(folders=folders, library=library)


def test_builds_room_and_display(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnityError, match="downloads 700 MB"):
        unity_checks.check_build(tmp_path)
    (tmp_path / ".ai2thor/releases/thor-CloudRendering-f0825767").mkdir(parents=True)
    assert unity_checks.check_build(tmp_path) == "thor-CloudRendering-f0825767"
    monkeypatch.setattr(unity_checks, "BUILD_GIGABYTES", 0)
    assert "GB free" in unity_checks.check_room(tmp_path)
    monkeypatch.setattr(unity_checks, "BUILD_GIGABYTES", 10**9)
    with pytest.raises(UnityError, match="make room there"):
        unity_checks.check_room(tmp_path)
    monkeypatch.setenv("DISPLAY", ":987")
    with pytest.raises(UnityError, match="Invalid display: :987"):
        unity_checks.check_display()
