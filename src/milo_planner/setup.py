"""Build and installation, for colcon (ament_python) and for pip."""

from setuptools import find_packages, setup

NAME = "milo_planner"

setup(
    name=NAME,
    version="0.1.0",
    description="The world_model and planner nodes and the executor of plans.",
    maintainer="MILO maintainers",
    maintainer_email="milo@example.org",
    license="Apache-2.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    python_requires=">=3.11",
    install_requires=[
        "setuptools",
        "milo_core",
        "milo_ros",
        "grpcio",
        "py_trees>=2.2",
        "unified-planning>=1.3",
        "up-aries>=0.5; sys_platform != 'linux' or platform_machine == 'x86_64'",
    ],
    extras_require={"test": ["pytest"]},
    zip_safe=False,
    entry_points={
        "console_scripts": [
            "planner = milo_planner.main:planner",
            "world_model = milo_planner.main:world_model",
        ],
    },
)
