# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Gymnasium environments: what Gymnasium checks, seeds, autoreset, checkpoints, and that each task can
be done."""

import os
import pathlib
import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

import isobar  # noqa: E402
import isobar.gym as learn  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402

TASKS = ["Push", "TurnCube", "PegInHole", "JacoGrasp"]
ASSETS = pathlib.Path(os.environ.get("ISOBAR_ASSETS", "/nowhere"))
SEED = 81


def need(task):
    if task == "JacoGrasp" and not (ASSETS / "jaco_description").is_dir():
        pytest.skip("ISOBAR_ASSETS names no folder with the Jaco arm")


def many(task, count, **options):
    need(task)
    return gymnasium.make_vec(f"isobar/{task}-v0", num_envs=count,
                              vectorization_mode="vector_entry_point", **options)


@pytest.mark.parametrize("task", TASKS)
def test_gymnasium_finds_nothing_wrong(task):
    need(task)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*Box observation space m(in|ax)imum value is")
        env = gymnasium.make(f"isobar/{task}-v0").unwrapped
        check_env(env, skip_render_check=True)
    assert not env.observation_space.contains(np.full(3, np.nan, dtype=np.float32))
    env.close()


@pytest.mark.parametrize("task", TASKS[:3])
def test_a_world_does_not_know_how_many_others_there_are(task):
    """Seeds, resets and threads: the same bits alone and in company."""
    rng = np.random.default_rng(SEED)
    company = many(task, 4, thread_count=3, variant_count=3)
    alone = [many(task, 1, variant_count=3) for _ in range(4)]
    seen, _ = company.reset(seed=SEED)
    for i, env in enumerate(alone):
        np.testing.assert_array_equal(env.reset(seed=SEED + i)[0][0], seen[i])
    for _ in range(6):
        actions = rng.uniform(-1, 1, company.action_space.shape).astype(np.float32)
        seen, reward, *_ = company.step(actions)
        for i, env in enumerate(alone):
            one, r, *_ = env.step(actions[i:i + 1])
            np.testing.assert_array_equal(one[0], seen[i])
            assert r[0] == reward[i]


@pytest.mark.parametrize("task", TASKS[:3])
def test_one_environment_draws_what_a_row_of_many_does(task):
    """Of the same seed, episode by episode, also when the seed is 0."""
    rng = np.random.default_rng(SEED)
    for seed in (0, int(rng.integers(2**40))):
        company = many(task, 3, variant_count=3)
        alone = gymnasium.make(f"isobar/{task}-v0", variant_count=3)
        rows = [company.reset(seed=seed)[0]] + [company.reset()[0] for _ in range(3)]
        for i in range(3):
            for episode, row in enumerate(rows):
                seen, _ = alone.reset(seed=seed + i) if episode == 0 else alone.reset()
                np.testing.assert_array_equal(seen, row[i])
                alone.step(rng.uniform(-1, 1, alone.action_space.shape))
        company.close()
        alone.close()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_episodes_begin_anew_as_the_mode_says(mode):
    env = many("Push", 3, autoreset_mode=mode)
    env._run.task.episode_steps = 4
    first, _ = env.reset(seed=SEED)
    actions = np.zeros(env.action_space.shape, dtype=np.float32)
    for step in range(1, 12):
        seen, reward, terminated, truncated, info = env.step(actions)
        assert not terminated.any()
        period = {"NextStep": 5, "SameStep": 4, "Disabled": 4}[mode]
        is_end = step % period == 4 % period
        assert (truncated == is_end).all(), (mode, step)
        times = env.worlds.times
        if mode == "NextStep":
            assert (times == 0).all() == (step % 5 == 0)
            assert (reward == 0).all() == (step % 5 == 0)
        elif mode == "SameStep":
            assert (times == 0).all() == is_end and ("final_obs" in info) == is_end
            if is_end:
                assert (info["final_obs"] != seen).any(axis=1).all()
        else:
            assert (times > 0).all()
            if is_end:
                with pytest.raises(ValueError, match=r"the episodes of worlds \[0, 1, 2\] have ended"):
                    env.step(actions)
                env.reset(options={"reset_mask": np.ones(3, dtype=np.bool_)})
    if mode == "Disabled":
        mask = np.array([True, False, True])
        env.reset(options={"reset_mask": mask})
        assert ((env.worlds.times == 0) == mask).all()
    again, _ = env.reset(seed=SEED)
    np.testing.assert_array_equal(again, first)
    following, _ = env.reset()
    assert (following != first).any(axis=1).all()


def check_same(mine, theirs, where):
    """Of infos: the same keys, masks, and values where the mask is set."""
    assert mine.keys() == theirs.keys(), where
    for name, value in theirs.items():
        mask = theirs.get(f"_{name}")
        if isinstance(value, dict):
            check_same(mine[name], value, (*where, name))
        elif mask is None:
            np.testing.assert_array_equal(mine[name], value, err_msg=str(where))
        else:
            np.testing.assert_array_equal(np.asarray(mine[name])[mask], np.stack(value[mask]), err_msg=str((*where, name)))


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("task", TASKS[:3])
def test_many_worlds_are_what_gymnasium_makes_of_single_ones(task, mode):
    """Its SyncVectorEnv of as many Env is the truth, infos and their masks included; ends are drawn."""
    rng, count = np.random.default_rng(SEED), 3
    mine = many(task, count, autoreset_mode=mode, variant_count=2)
    theirs = gymnasium.vector.SyncVectorEnv([lambda: gymnasium.make(f"isobar/{task}-v0", variant_count=2)] * count,
                                            autoreset_mode=mode)
    lengths = rng.integers(2, 5, count)  # of the episodes of each world
    mine._run.task.episode_steps = lengths
    for env, length in zip(theirs.envs, lengths):
        env.unwrapped._run.task.episode_steps = length
    np.testing.assert_array_equal(mine.reset(seed=SEED)[0], theirs.reset(seed=SEED)[0])
    for step in range(10):
        actions = rng.uniform(-1, 1, mine.action_space.shape).astype(np.float32)
        *one, info = mine.step(actions)
        *other, expected = theirs.step(actions)
        for a, b in zip(one, other):
            np.testing.assert_array_equal(a, b)
        check_same(info, expected, (step,))
        ended = one[2] | one[3]
        if mode == "Disabled" and ended.any():
            np.testing.assert_array_equal(*(env.reset(options={"reset_mask": ended.copy()})[0] for env in (mine, theirs)))
    mine.close()
    theirs.close()


@pytest.mark.parametrize("task", TASKS[:3])
def test_a_checkpoint_goes_on_with_the_same_bits(task):
    rng = np.random.default_rng(SEED)
    env = many(task, 3)
    env._run.task.episode_steps = 8
    env.reset(seed=SEED)
    actions = rng.uniform(-1, 1, (12, *env.action_space.shape)).astype(np.float32)
    for a in actions[:5]:
        env.step(a)
    saved = env.save()
    expected = [env.step(a) for a in actions[5:]]
    other = many(task, 3)
    other._run.task.episode_steps = 8
    other.reset(seed=1)
    other.restore(saved)
    for a, (seen, reward, terminated, truncated, _) in zip(actions[5:], expected):
        now = other.step(a)
        np.testing.assert_array_equal(now[0], seen)
        np.testing.assert_array_equal(now[1], reward)
        np.testing.assert_array_equal(now[3], truncated)


def test_worlds_differ_within_the_ranges_and_not_without():
    ranges = learn.Ranges(friction=(0.5, 2.0), mass=(0.5, 2.0))
    env = learn.VectorEnv(learn.Push(ranges), 2, variant_count=12)
    variants = [env.worlds.variant_world(i) for i in range(12)]
    factors = np.array([world.body_mass("block") / 0.4 for world in variants])
    assert (factors >= 0.5).all() and (factors <= 2).all() and np.log(factors).std() > 0.2
    assert len({world.model_hash for world in variants}) == 12
    fixed = learn.VectorEnv(learn.Push(learn.Ranges.none()), 2, variant_count=3)
    assert len({fixed.worlds.variant_world(i).model_hash for i in range(3)}) == 1
    drawn = np.concatenate([(env.reset(seed=s), env.worlds.variants)[1] for s in range(40)])
    assert len(set(drawn)) == 12


def test_draws_are_uniform_and_those_of_a_world_alone():
    seeds = np.arange(400, dtype=np.uint64)
    episodes = np.arange(400) % 7
    numbers = learn.Draws(seeds, episodes).uniform(-2, 3, 50)
    # Mean and variance of 20,000 numbers, to 5 standard errors.
    assert abs(numbers.mean() - 0.5) < 5 * 5 / np.sqrt(12 * numbers.size)
    assert abs(numbers.var() - 25 / 12) < 5 * 25 / np.sqrt(180 * numbers.size)
    assert abs(np.corrcoef(numbers[:-1].ravel(), numbers[1:].ravel())[0, 1]) < 5 / np.sqrt(numbers.size)
    some = learn.Draws(seeds[5::9], episodes[5::9])
    np.testing.assert_array_equal(some.uniform(-2, 3, 50), numbers[5::9])
    kinds = learn.Draws(seeds, episodes).index(5)
    assert kinds.min() == 0 and kinds.max() == 4


def play(env, policy, seed=SEED, steps=200):
    """Share of the worlds in which a policy succeeds once."""
    seen, _ = env.reset(seed=seed)
    done = np.zeros(env.num_envs, dtype=bool)
    for _ in range(steps):
        seen, _, terminated, _, info = env.step(policy(seen).astype(np.float32))
        done |= info["success"]
        if done.all():
            break
    return done.mean(), info


def test_the_block_can_be_pushed_to_its_goal():
    """Go behind the block, as its goal sees it, then push through its middle."""
    def policy(o):
        pusher, block, goal = o[:, 0:2], o[:, 4:6], o[:, 11:13]
        way = (goal - block) / np.linalg.norm(goal - block, axis=1)[:, None]
        side = np.stack([-way[:, 1], way[:, 0]], axis=1)
        along, across = ((pusher - block) * way).sum(1), ((pusher - block) * side).sum(1)
        is_behind = (along < -0.03) & (np.abs(across) < 0.02)
        back = block - 0.1 * way - pusher
        is_beside = (along > -0.06) & ~is_behind
        around = np.where(is_beside[:, None], -way + 1.2 * side * np.sign(across)[:, None], 12 * back)
        return np.clip(np.where(is_behind[:, None], 0.6 * way - 8 * across[:, None] * side, around), -1, 1)

    share, _ = play(many("Push", 16), policy)
    assert share >= 0.75
    assert play(many("Push", 8), lambda o: np.zeros((len(o), 2)), steps=40)[0] == 0


def test_the_peg_goes_in_where_the_hole_is_known_and_jams_where_it_is_not():
    def policy(o):
        off = o[:, :2]
        lower = np.where(np.abs(off).max(1) < 0.02, -0.8, 0.0)
        return np.clip(np.column_stack([-3 * off, lower]), -1, 1)

    task = learn.PegInHole(learn.Ranges(pose=1.0))
    env = learn.VectorEnv(task, 8)
    begin = task.begin

    def known(*arguments):
        rows = begin(*arguments)
        task.errors[:] = 0
        return rows

    task.begin = known
    assert play(env, policy, steps=60)[0] == 1.0
    task.begin = begin
    share, info = play(env, policy, steps=60)
    assert share < 0.5  # off by up to 2 mm with 0.4 mm of play: feeling is needed
    assert (info["depth"] < 0.004).any()


def test_the_cube_can_be_turned_and_its_pads_feel_it():
    felt = []

    def policy(o):
        """Grip, then turn both fingers about the cube together as far as they go."""
        policy.step += 1
        sign = np.sign(np.arctan2(o[:, 13], o[:, 12]))
        turn = np.clip((policy.step - 12) / 40, 0, 1) * sign
        x, y = np.full(len(o), 0.9), np.sin(0.8 * turn)
        felt.append(o[:, 19:51].sum(axis=1))
        return np.column_stack([x, -y, turn, x, -y, turn])

    policy.step = 0
    env = learn.VectorEnv(learn.TurnCube(learn.Ranges.none()), 6)
    seen, _ = env.reset(seed=SEED)
    start = np.abs(env._run.task.left_over)
    least, ended = start.copy(), np.zeros(6, dtype=bool)
    for _ in range(60):
        seen, _, terminated, _, info = env.step(policy(seen).astype(np.float32))
        least = np.where(ended, least, np.minimum(least, np.abs(info["angle_left"])))
        ended |= terminated
    assert ((start - least) > 0.3).all(), start - least
    assert (np.array(felt[8:14]) > 0.01).all() and (felt[0] == 0).all()


def test_the_pepper_can_be_taken_off_the_table():
    """Go there by inverse kinematics, close, lift."""
    need("JacoGrasp")
    task = learn.JacoGrasp(learn.Ranges.none())
    env = learn.VectorEnv(task, 1)
    env.reset(seed=SEED)
    world = env.worlds.variant_world(0)
    columns = [world.coordinates(world.joint_body(f"j2s7s300_joint_{i}")).q_index for i in range(1, 8)]

    def reach(height, guess):
        there = isobar.Pose([[0, 1, 0], [-1, 0, 0], [0, 0, 1]], [-0.35, -0.25, height])
        goal = isobar.IkTarget(body="gripper::gripper", x_bt=(0, 0, -0.182), x_wt=there,
                               orientation_weight=0.3)
        clone = world.clone()
        clone.set_state(guess)
        return np.asarray(clone.inverse_kinematics([goal])[0])

    low = reach(0.066, np.asarray(world.get_state()[0]))
    high = reach(0.2, low)
    has_succeeded = False
    for step in range(140):
        goal, grip = (low if step < 85 else high), (-0.125 if step < 60 else 1.0)
        speed = (goal[columns] - task.targets) / (0.5 * task.substeps * task.time_step)
        action = np.column_stack([np.clip(speed, -1, 1) * (0.5 if step >= 85 else 1.0), [grip]])
        _, reward, _, _, info = env.step(action.astype(np.float32))
        has_succeeded |= bool(info["success"][0])
        if has_succeeded:
            break
    assert has_succeeded and info["height"][0] > 0.1 and reward[0] > 5


def test_without_its_files_the_arm_says_what_is_missing(monkeypatch):
    monkeypatch.delenv("ISOBAR_ASSETS", raising=False)
    with pytest.raises(isobar.FileError, match="ISOBAR_ASSETS"):
        learn.JacoGrasp()


def test_what_is_wrong_is_named():
    with pytest.raises(ValueError, match="there is no task 'Pushh', expected one of Push, "):
        isobar.gym.make("Pushh")
    for bad in ((-1.0, 2.0), (np.nan, 1.0), (2.0, 1.0), (1.0, np.inf)):
        with pytest.raises(ValueError, match="the range of mass is .* expected factors > 0 that rise"):
            isobar.gym.make("Push", task_options={"ranges": isobar.gym.Ranges(mass=bad)})
    env = isobar.gym.make_vector("Push", 2, variant_count=1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"reset_mask has shape \(1,\), expected \(2,\)"):
        env.reset(options={"reset_mask": [True]})
    with pytest.raises(ValueError, match="no option 'reset_maks' of reset.* expected reset_mask"):
        env.reset(options={"reset_maks": [True, False]})
    with pytest.raises(ValueError, match="no option 'speed' of reset.* expected none"):
        isobar.gym.make("Push").reset(options={"speed": 1})
    for seed in ("a", 1.5, b"ab"):
        with pytest.raises(TypeError, match="seed is .* expected a whole number"):
            env.reset(seed=seed)
    for saved in (None, b"abc", {}, env.worlds.save()):
        with pytest.raises(TypeError, match="expected what save.. gave"):
            env.restore(saved)
    with pytest.raises(ValueError, match="render_mode is 'human', expected None"):
        gymnasium.make("isobar/Push-v0", render_mode="human")
    with pytest.raises(ValueError, match=r"range of mass has the shape \(3,\), expected low and high"):
        isobar.gym.make("Push", task_options={"ranges": isobar.gym.Ranges(mass=(1, 2, 3))})
    np.testing.assert_array_equal(env.reset(seed=np.int64(3))[0], env.reset(seed=3)[0])
    env.close()


def test_actions_that_do_not_fit_are_refused():
    env = many("Push", 2)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"\(2, 2\)"):
        env.step(np.zeros((2, 3), dtype=np.float32))
    for bad in (np.nan, np.inf, -np.inf):
        with pytest.raises(ValueError, match="finite"):
            env.step(np.array([[0, 0], [0, bad]], dtype=np.float32))
    with pytest.raises(ValueError, match="3 seeds"):
        env.reset(seed=[1, 2, 3])
