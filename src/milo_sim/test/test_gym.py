"""The Gymnasium environment."""

import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from milo_core.tasks import SubGoal  # noqa: E402
from milo_sim.gym import ACTIONS, TYPES, ThorEnv  # noqa: E402
from milo_sim.rendering.gl import RenderingUnavailable  # noqa: E402
from milo_sim.rendering.renderer import Renderer  # noqa: E402
from milo_sim.scene import load_scene  # noqa: E402
from milo_sim.world import World  # noqa: E402

RANDOM = {"random_start": True, "random_objects": True}


@pytest.fixture(scope="module")
def can_draw():
    try:
        Renderer(World(load_scene("FloorPlan1"))).close()
    except RenderingUnavailable as error:
        pytest.skip(str(error))


def make(**options):
    return gymnasium.make("milo_sim.gym:milo_sim/Thor-v0", **options)


def act(env, *names):
    """Results of several actions."""
    return [env.step(ACTIONS.index(name)) for name in names]


def rollout(env, seed, steps=40):
    first, _ = env.reset(seed=seed)
    env.action_space.seed(seed)
    results = [env.step(env.action_space.sample()) for _ in range(steps)]
    return [first, *(result[0] for result in results)], [result[4] for result in results]


def same(a, b):
    return all(np.array_equal(a[key], b[key]) for key in a.keys() | b.keys())


@pytest.mark.parametrize("options", [{}, {"scenes": ("FloorPlan28", "FloorPlan301"), **RANDOM}])
def test_gymnasiums_own_check(options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(**options).unwrapped)


def test_gymnasiums_own_check_with_images(can_draw):
    env = make(images=True, width=64, height=48, render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


def test_same_seed_same_episode_other_seed_another():
    options = {"scenes": ("FloorPlan28", "FloorPlan301"), **RANDOM}
    first, second = make(**options), make(**options)
    seen, told = rollout(first, seed=7)
    seen_again, told_again = rollout(second, seed=7)
    assert told == told_again
    assert all(same(a, b) for a, b in zip(seen, seen_again, strict=True))
    starts = {tuple(first.reset(seed=seed)[0]["agent"].tolist()) for seed in range(4)}
    assert len(starts) > 1


def test_observation_is_what_the_world_holds():
    env = ThorEnv("FloorPlan28")
    observation, info = env.reset(seed=0)
    metadata = env.thor_metadata()
    agent = metadata["agent"]
    pose = [*agent["position"].values(), agent["rotation"]["y"], agent["cameraHorizon"]]
    assert observation["agent"] == pytest.approx(pose)
    assert observation["standing"] == 1
    assert observation["held"] == 0
    seen = {obj["objectType"] for obj in metadata["objects"] if obj["visible"]}
    assert {TYPES[i] for i in np.flatnonzero(observation["visible"])} == seen
    assert info["scene"] == "FloorPlan28_physics"
    (_, _, _, _, told), (after, *_) = act(env, "Crouch", "LookDown")
    assert told == {
        "action": "Crouch",
        "object_id": None,
        "success": True,
        "error": "",
        "scene": "FloorPlan28_physics",
    }
    assert after["standing"] == 0
    assert after["agent"][4] == 30.0


def test_manipulation_takes_what_is_in_the_middle_of_the_view():
    env = ThorEnv("FloorPlan28")
    env.reset(seed=0)
    assert act(env, "CloseObject")[0][4]["error"] == "Nothing that CloseObject suits is in reach."
    found = None
    for _ in range(40):
        result = act(env, "OpenObject")[0]
        if result[4]["success"]:
            found = result[4]["object_id"]
            break
        act(env, "RotateRight", "MoveAhead")
    assert found is not None
    assert env.thor_metadata()["lastAction"] == "OpenObject"
    opened = next(o for o in env.thor_metadata()["objects"] if o["objectId"] == found)
    assert opened["isOpen"]
    assert act(env, "CloseObject")[0][4]["object_id"] == found


def test_goals_give_the_reward_and_end_the_episode():
    env = ThorEnv("FloorPlan1", goals=[SubGoal("pick_up", "Mug"), SubGoal("open", "Fridge")])
    env.reset(seed=0)
    _, reward, terminated, truncated, _ = act(env, "MoveAhead")[0]
    assert (reward, terminated, truncated) == (0.0, False, False)
    for goal_object, action in (("Mug", "PickupObject"), ("Fridge", "OpenObject")):
        world = env.session.world
        target = next(o.object_id for o in world.scene.objects if o.object_type == goal_object)
        pose = world.interactable_poses(target, max_poses=1)[0]
        world.teleport((pose.x, pose.y, pose.z), pose.rotation, pose.horizon, pose.standing)
        world_action = {"action": action, "objectId": target, "forceAction": True}
        assert env.session.step(world_action).success
    observation, reward, terminated, _, _ = act(env, "LookUp")[0]
    assert (reward, terminated) == (1.0, True)
    assert TYPES[observation["held"] - 1] == "Mug"


def test_pictures_are_those_of_the_observation(can_draw):
    env = ThorEnv("FloorPlan28", images=True, width=80, height=60, render_mode="rgb_array")
    observation, _ = env.reset(seed=0)
    assert observation["rgb"].shape == (60, 80, 3)
    assert np.array_equal(env.render(), observation["rgb"])
    kept = observation["rgb"].copy()
    turned = act(env, "RotateRight")[0][0]["rgb"]
    assert not np.array_equal(turned, kept)
    assert np.array_equal(observation["rgb"], kept)
    act(env, "RotateLeft")
    assert np.array_equal(env.render(), kept)
    env.close()


def test_wrong_uses_are_refused():
    with pytest.raises(ValueError, match="at least one scene"):
        ThorEnv(())
    with pytest.raises(ValueError, match="render_mode"):
        ThorEnv(render_mode="human")
    with pytest.raises(ValueError, match="not among those"):
        ThorEnv("FloorPlan1").reset(options={"scene": "FloorPlan2"})
    with pytest.raises(RuntimeError, match="FloorPlan31"):
        ThorEnv("FloorPlan31").reset()
    with pytest.raises(RuntimeError, match="grid size"):
        ThorEnv(gridSize=-1).reset()
    assert ThorEnv(("FloorPlan1", "FloorPlan2")).reset(options={"scene": "FloorPlan2"})[1][
        "scene"
    ] == ("FloorPlan2_physics")


def test_time_limit_truncates():
    env = make(scenes="FloorPlan28", max_episode_steps=3)
    env.reset(seed=0)
    assert [result[3] for result in act(env, "Stand", "Stand", "Stand")] == [False, False, True]
