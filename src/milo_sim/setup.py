"""Build and installation, for colcon (ament_python) and for pip."""

from setuptools import find_packages, setup

NAME = "milo_sim"

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
    install_requires=["setuptools", "milo_core", "msgpack>=1", "mujoco>=3.3.7", "numpy>=1.26"],
    extras_require={"test": ["ai2thor==5.0.0", "jsonschema", "pytest"]},
    zip_safe=False,
    entry_points={"console_scripts": ["milo-sim-player = milo_sim.player:main"]},
)
