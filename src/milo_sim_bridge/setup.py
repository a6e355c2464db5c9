"""Build and installation, for colcon (ament_python) and for pip."""

from pathlib import Path

from setuptools import find_packages, setup

NAME = "milo_sim_bridge"
# colcon --symlink-install runs a link to this file in a folder where removed files live on.
HERE = Path(__file__).resolve().parent
CONFIG = sorted(f"config/{path.name}" for path in HERE.joinpath("config").glob("*.yaml"))

setup(
    name=NAME,
    version="0.1.0",
    description="Drivers: thor_bridge (AI2-THOR or milo_sim), mock_robot; the robot contract.",
    maintainer="MILO maintainers",
    maintainer_email="milo@example.org",
    license="Apache-2.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        (f"share/{NAME}/config", CONFIG),
    ],
    python_requires=">=3.11",
    install_requires=[
        "setuptools",
        "ai2thor==5.0.0",
        "milo_core",
        "milo_ros",
        "milo_sim",
        "networkx>=3",
        "numpy>=1.26",
        "pydantic>=2",
        "pyyaml>=6",
        "rich>=13",
    ],
    extras_require={"test": ["pytest"], "images": ["pillow"]},
    zip_safe=False,
    entry_points={
        "console_scripts": [
            "check_driver = milo_sim_bridge.check_driver:main",
            "standard_interfaces = milo_sim_bridge.adapters.main:main",
            "mock_robot = milo_sim_bridge.mock_robot.main:main",
            "thor_bridge = milo_sim_bridge.main:main",
        ],
    },
)
