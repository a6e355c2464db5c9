"""Build and installation, for colcon (ament_python) and for pip."""

from pathlib import Path

from setuptools import find_packages, setup

NAME = "milo_sim"
CORE = Path(__file__).resolve().parent.parent / "milo_core"


def core_requirement() -> str:
    """milo_core is in no package index: pip finds it in the folder beside this one."""
    return f"milo_core @ {CORE.as_uri()}" if (CORE / "setup.py").is_file() else "milo_core"


setup(
    name=NAME,
    version="0.1.0",
    description="An AI2-THOR player without Unity.",
    maintainer="MILO maintainers",
    maintainer_email="milo@example.org",
    license="Apache-2.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed", "data/**/*"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    python_requires=">=3.11",
    install_requires=[
        "setuptools",
        core_requirement(),
        "msgpack>=1",
        "mujoco>=3.3.7",
        "numpy>=1.26",
        "pydantic>=2.6",
    ],
    extras_require={
        "gym": ["gymnasium>=1.0"],
        "test": ["ai2thor==5.0.0", "gymnasium>=1.0", "jsonschema", "pytest"],
    },
    zip_safe=False,
    entry_points={"console_scripts": ["milo-sim-player = milo_sim.player:main"]},
)
