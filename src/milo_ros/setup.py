"""Build and installation, for colcon (ament_python) and for pip."""

from setuptools import find_packages, setup

NAME = "milo_ros"

setup(
    name=NAME,
    version="0.1.0",
    description="What all MILO nodes share: message conversions, QoS profiles, a robust main.",
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
    install_requires=["setuptools", "milo_core"],
    extras_require={"test": ["pytest"]},
    zip_safe=False,
)
