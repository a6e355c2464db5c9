"""How long set-up, start and a whole run take, and how much memory the nodes need.

Usage: python bench/run.py [--cold] [--runs 3]

Prints a Markdown table for docs/performance.md. `--cold` also clones the repository into a
temporary folder with a HOME and package caches of its own and times `./milo setup` there.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[1]
SAMPLE_PERIOD = 0.2


def machine() -> str:
    """Describe this machine in one line."""
    names = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    memory = psutil.virtual_memory().total / 2**30
    cores = len(os.sched_getaffinity(0))
    name = names[0] if names else platform.machine()
    return f"{name}, {cores} cores, {memory:.0f} GiB, Python {platform.python_version()}"


def timed(command: list[str], **kwargs: object) -> float:
    """Run a command that must succeed; returns its wall seconds."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **kwargs)  # type: ignore[call-overload]
    return time.perf_counter() - start


def cold_setup() -> float:
    """Time `./milo setup` in a fresh clone with empty caches."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "-q", str(ROOT), f"{folder}/milo"], check=True)
        home = Path(folder, "home")
        home.mkdir()
        environment = {"HOME": str(home), "PATH": os.environ["PATH"], "PIP_NO_CACHE_DIR": "1"}
        for name in ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "LANG"):
            if name in os.environ:
                environment[name] = os.environ[name]
        return timed(["./milo", "setup"], cwd=f"{folder}/milo", env=environment)


def process_name(process: psutil.Process) -> str:
    """Name a process of the run by its executable or module."""
    words = process.cmdline()
    if "-m" in words:
        return words[words.index("-m") + 1].partition(".")[0]
    return Path(words[1]).name if len(words) > 1 else process.name()


def full_run(out: Path) -> tuple[float, dict[str, int]]:
    """Play v1.1; returns wall seconds and the peak resident bytes of each process."""
    command = [str(ROOT / "milo"), "run", "--version", "1.1", "--out", str(out)]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peaks: dict[str, int] = {}
    watched = psutil.Process(process.pid)
    while process.poll() is None:
        for child in [watched, *watched.children(recursive=True)]:
            try:
                name, size = process_name(child), child.memory_info().rss
                if name == "milo":
                    continue  # the shell script, before it becomes the command line
            except (psutil.NoSuchProcess, psutil.ZombieProcess):
                continue
            peaks[name] = max(peaks.get(name, 0), size)
        time.sleep(SAMPLE_PERIOD)
    if process.returncode:
        sys.exit(f"the run ended with exit code {process.returncode}")
    return time.perf_counter() - start, peaks


def episode_times(out: Path) -> list[float]:
    """Return planning plus execution of each episode in milliseconds."""
    lines = (out / "results.jsonl").read_text().splitlines()
    return [json.loads(line)["time"]["wall_clock_ms"] for line in lines]


def spread(values: list[float], unit: str, digits: int = 1) -> str:
    """Write median and range."""
    low, high = min(values), max(values)
    middle = statistics.median(values)
    return f"{middle:.{digits}f} {unit} ({low:.{digits}f} to {high:.{digits}f})"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    rows: list[tuple[str, str]] = []
    if options.cold:
        rows.append(("cold `./milo setup`, empty caches", f"{cold_setup():.0f} s"))
    subprocess.run([str(ROOT / "milo"), "setup"], check=True, stdout=subprocess.DEVNULL)
    starts = [timed([str(ROOT / "milo"), "version"]) for _ in range(options.runs)]
    rows.append(("`./milo version`, nothing changed", spread(starts, "s", 2)))
    walls: list[float] = []
    episodes: list[float] = []
    peaks: dict[str, int] = {}
    for _ in range(options.runs):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "out")
            wall, memory = full_run(out)
            walls.append(wall)
            episodes += episode_times(out)
            peaks = {name: max(size, peaks.get(name, 0)) for name, size in memory.items()}
    rows.append(("`./milo run --version 1.1`, 54 tasks through ROS 2", spread(walls, "s")))
    rows.append(("planning and execution of a task", spread(episodes, "ms", 0)))
    for name, size in sorted(peaks.items()):
        rows.append((f"peak resident memory of {name}", f"{size / 2**20:.0f} MiB"))
    print(f"{datetime.now(UTC):%Y-%m-%d}, {machine()}, load {os.getloadavg()[0]:.1f}\n")
    print("| what | measured |\n|---|---|")
    for what, value in rows:
        print(f"| {what} | {value} |")


if __name__ == "__main__":
    main()
