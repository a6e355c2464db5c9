"""Build and installation, for colcon (ament_python) and for pip."""

from pathlib import Path

from setuptools import find_packages, setup

NAME = "milo_benchmark"
# colcon --symlink-install runs a link to this file in a folder where removed files live on.
HERE = Path(__file__).resolve().parent


def share(folder: str, pattern: str) -> tuple[str, list[str]]:
    """Files of one folder of this package, for the same folder of its share directory."""
    names = sorted(path.name for path in HERE.joinpath(folder).glob(pattern))
    return f"share/{NAME}/{folder}", [f"{folder}/{name}" for name in names]


setup(
    name=NAME,
    version="0.1.0",
    description="The orchestrator node, the launch files and the milo command line.",
    maintainer="MILO maintainers",
    maintainer_email="milo@example.org",
    license="Apache-2.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        share("launch", "*.launch.py"),
        share("config", "*"),
    ],
    python_requires=">=3.11",
    install_requires=[
        "setuptools",
        "milo_core",
        "milo_planner",
        "milo_ros",
        "milo_sim",
        "milo_sim_bridge",
        "pydantic>=2",
        "rich>=13",
        "typer>=0.12",
    ],
    extras_require={"test": ["pytest"]},
    zip_safe=False,
    entry_points={
        "console_scripts": [
            "milo = milo_benchmark.cli:main",
            "orchestrator = milo_benchmark.orchestrator:main",
        ],
    },
)
