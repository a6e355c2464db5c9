"""Build and installation, for colcon (ament_python) and for pip."""

from setuptools import find_packages, setup

NAME = "milo_sim_bridge"

setup(
    name=NAME,
    version="0.1.0",
    description="The thor_bridge node: AI2-THOR or milo_sim behind the skill actions.",
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
    install_requires=["setuptools", "ai2thor==5.0.0", "milo_core", "milo_ros", "milo_sim"],
    extras_require={"test": ["pytest"]},
    zip_safe=False,
    entry_points={
        "console_scripts": [
            "thor_bridge = milo_sim_bridge.main:main",
        ],
    },
)
