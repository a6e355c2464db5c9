"""Build and installation, for colcon (ament_python) and for pip."""

from setuptools import find_packages, setup

NAME = "milo_core"

setup(
    name=NAME,
    version="0.1.0",
    description="MILO without ROS: object types, tasks, world model, actions, goals, statistics.",
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
    install_requires=["setuptools", "pydantic>=2", "scipy>=1.11"],
    extras_require={"test": ["pytest"]},
    zip_safe=False,
)
