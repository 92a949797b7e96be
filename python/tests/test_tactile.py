# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Images of the skin, cells that stick or slip, models of taxels, data sets of pokes."""

import json
import math
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

import isobar
from isobar import pokes, tactile
from isobar.tactile import NO_CONTACT, SLIPS, STICKS, Taxels, skin_image, stick_slip

RADIUS, DEPTH = 0.01, 5e-4


def pressed_ball(velocity=(0.0, 0.0, 0.0), turn=np.eye(3)):
    """A rigid ball pressed into a flat pad whose sensor's z is the third column of turn."""
    model = isobar.Model()
    model.add_geometry("world", isobar.box(0.03, 0.03, 0.008), name="pad",
                       x_bg=isobar.Pose(turn, turn @ [0, 0, -0.004]),
                       material=isobar.Material(compliance="compliant", modulus=3e5,
                                                friction_static=0.5, friction_dynamic=0.5))
    ball = model.add_body("ball", mass=0.01, inertia=np.eye(3) * 1e-7)
    model.add_geometry(ball, isobar.sphere(RADIUS),
                       material=isobar.Material(compliance="rigid", resolution_hint=5e-4,
                                                friction_static=0.5, friction_dynamic=0.5))
    model.set_free_pose(ball, turn @ [0, 0, RADIUS - DEPTH])
    model.set_free_twist(ball, np.concatenate([np.zeros(3), turn @ np.asarray(velocity)]))
    world = isobar.World(model, gravity=[0, 0, 0])
    sensors = isobar.Sensors(world, [isobar.Sensor(
        name="pad", kind="tactile", body="world", x_bs=isobar.Pose(turn, np.zeros(3)), rows=12,
        columns=10, width=0.01, height=0.012)])
    world.update_contacts()
    sensors.update()
    return world, sensors


@pytest.mark.parametrize("turn", [np.eye(3), np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])])
def test_the_skin_takes_the_shape_of_what_presses_it(turn):
    world, sensors = pressed_ball((0.01, 0.0, 0.0), turn)
    image = skin_image(world, sensors, "pad", (120, 100))
    x, y = np.meshgrid((np.arange(100) - 49.5) * 1e-4, (np.arange(120) - 59.5) * 1e-4)
    cap = DEPTH - (RADIUS - np.sqrt(RADIUS**2 - x**2 - y**2))
    is_touched = image.pressure > 0
    # Facets of edges of 0.5 mm, e^2 / 8 R = 3 um below the ball; measured 6.3 um.
    assert np.abs(image.depth - cap)[is_touched].max() < 1e-5
    assert not image.depth[~is_touched].any()
    # The pixels share out the sensor's forces; measured 0.4 % and 1.8 %.
    force = sensors["pad"][:3]
    assert image.pressure.sum() * 1e-8 == pytest.approx(-force[2], rel=0.03)
    assert image.shear[..., 0].sum() * 1e-8 == pytest.approx(force[0], rel=0.03)
    assert force[0] > 0.4 * -force[2]  # the ball drags the pad along


def test_images_are_lit_from_three_sides_and_have_markers():
    world, sensors = pressed_ball()
    image = skin_image(world, sensors, "pad", (60, 50), softness=5e-4)
    flat = image.rgb[0, 0]
    assert flat[0] == flat[1] == flat[2]  # nothing presses there: grey
    above, below = image.rgb[45, 25].astype(int), image.rgb[15, 25].astype(int)
    assert below[0] != above[0] and abs(below[0] - above[0]) > 10  # red comes along y
    # Mirrored in x, green and blue change places.
    np.testing.assert_allclose(image.rgb[:, ::-1, 1].astype(int), image.rgb[..., 2], atol=6)
    soft = image.depth[image.pressure == 0]
    assert 0.0 < soft.max() < image.depth.max()
    dotted = skin_image(world, sensors, "pad", (60, 50), markers=(3, 3)).rgb
    assert 9 * 4 <= (dotted == 16).all(axis=2).sum() <= 9 * 5
    with pytest.raises(ValueError, match=r"size is \(1, 5\), expected 2 to 4096"):
        skin_image(world, sensors, "pad", (1, 5))


@pytest.mark.parametrize("sigma", [0.4, 3.0, 40.0])
def test_the_skin_gives_way_by_a_bell_curve_however_wide(sigma):
    values = np.random.default_rng(5).uniform(size=(9, 12))
    reach = min(math.ceil(3 * sigma), 11)
    weights = {k: math.exp(-0.5 * (k / sigma) ** 2) for k in range(-reach, reach + 1)}
    expected = [[sum(w * row[i - k] for k, w in weights.items() if 0 <= i - k < 12) / sum(weights.values())
                 for i in range(12)] for row in values.tolist()]
    np.testing.assert_allclose(tactile._blur(values, sigma, 1), expected, rtol=1e-12)


@pytest.mark.parametrize("option", [{"softness": math.inf}, {"size": (64,)}, {"markers": (-1, 4)},
                                    {"shear_compliance": math.nan}])
def test_images_refuse_options_out_of_range(option):
    world, sensors = pressed_ball()
    with pytest.raises(ValueError, match=f"{next(iter(option))}.*expected"):
        skin_image(world, sensors, "pad", **option)


def test_cells_stick_or_slip():
    still, moving = (pressed_ball(v)[1].grid("pad") for v in ((0, 0, 0), (0.01, 0, 0)))
    assert set(np.unique(stick_slip(still))) == {NO_CONTACT, STICKS}
    assert set(np.unique(stick_slip(moving))) == {NO_CONTACT, SLIPS}
    assert set(np.unique(stick_slip(moving, speed=0.02))) == {NO_CONTACT, STICKS}
    assert ((stick_slip(still) == STICKS) == (still[..., 5] > 0)).all()
    with pytest.raises(ValueError, match="expected"):
        stick_slip(np.zeros((3, 5)))


def test_taxels_read_rising_and_falling_pressures_differently():
    taxels = Taxels(gain=2.0, offset=1.0, hysteresis=3.0)
    up = [taxels.read([p])[0] for p in range(0, 21)]
    down = [taxels.read([p])[0] for p in range(20, -1, -1)]
    assert up == [1.0 + 2.0 * max(p - 3.0, 0.0) for p in range(0, 21)]
    assert down == [1.0 + 2.0 * min(17.0, p + 3.0) for p in range(20, -1, -1)]
    coarse = Taxels(step=0.5, low=0.0, high=2.0)
    np.testing.assert_array_equal(coarse.read([-1.0, 0.3, 1.1, 9.0]), [0.0, 0.5, 1.0, 2.0])
    with pytest.raises(ValueError, match=r"shape \(2,\), expected \(4,\)"):
        coarse.read([1.0, 2.0])
    with pytest.raises(ValueError, match="noise is -1"):
        Taxels(noise=-1.0)


def test_taxels_refuse_what_they_would_not_forget():
    taxels = Taxels(hysteresis=10.0)
    with pytest.raises(ValueError, match="nan Pa, expected finite"):
        taxels.read([1.0, math.nan])
    assert taxels.read([20.0, 5.0]).tolist() == [10.0, 0.0]


def test_sensors_with_taxels_read_and_record_what_their_law_says(tmp_path):
    world, _ = pressed_ball((0.01, 0.0, 0.0))
    sensors = isobar.Sensors(world, [
        isobar.Sensor(name="skin", kind="tactile", body="world", rows=5, columns=4, width=0.01,
                      height=0.012, slip_speed=0.005,
                      taxels=Taxels(gain=2e-3, offset=0.5, hysteresis=200.0)),
        isobar.Sensor(name="plain", kind="tactile", body="world", rows=2, columns=2)])
    path = tmp_path / "poke.mcap"
    law = sensors.description("skin").taxels
    assert sensors.have_memory
    read = []
    with isobar.Recorder(path, world, sensors=sensors, frame_rate=0.0) as recorder:
        for _ in range(4):
            world.step()
            sensors.update()
            recorder.record()
            read.append(sensors.readings("skin"))
            np.testing.assert_array_equal(read[-1], law.read(sensors.grid("skin")[..., 0]))
            np.testing.assert_array_equal(sensors.states("skin"), stick_slip(sensors.grid("skin"), 5e-3))
    assert (sensors.states("plain") == stick_slip(sensors.grid("plain"))).all()
    with pytest.raises(ValueError, match="'plain' has no readings"):
        sensors.readings("plain")
    recording = isobar.Recording(path)
    assert len(recording) == 4
    for frame, readings in zip(recording, read):
        np.testing.assert_array_equal(frame.readings("skin"), readings)
        np.testing.assert_array_equal(frame.states("skin"), stick_slip(frame.grid("skin"), 5e-3))
        assert (frame.states("plain") == stick_slip(frame.grid("plain"))).all()
        with pytest.raises(ValueError, match="'plain' has no readings in this recording"):
            frame.readings("plain")
    assert recording.sensors[0].value_names[12:] == ["stick_slip", "reading"]


def test_noise_has_its_deviation_and_the_same_seed_the_same_bits():
    a, b = Taxels(noise=0.25, seed=3), Taxels(noise=0.25, seed=3)
    first = a.read(np.zeros((100, 100)))
    np.testing.assert_array_equal(first, b.read(np.zeros((100, 100))))
    assert first.std() == pytest.approx(0.25, rel=0.03)  # measured 0.34 %
    a.reset()
    np.testing.assert_array_equal(a.read(np.zeros((100, 100))), first)


@pytest.mark.parametrize("seed", range(6))
def test_presses_give_back_the_taxel_that_made_them(tmp_path, seed):
    draw = np.random.default_rng(seed)
    made = Taxels(gain=draw.uniform(1e-4, 1e-2), offset=draw.uniform(-1, 1),
                  hysteresis=draw.uniform(0.0, 4e3), seed=seed)
    tops = draw.uniform(1e4, 4e4, 4)
    p = np.concatenate([np.concatenate([np.linspace(0, t, 40), np.linspace(t, 0, 40)]) for t in tops])
    made.noise = 0.002 * made.gain * 4e4
    rows = "".join(f"{x:.17g},{made.read(x):.17g}\n" for x in p)
    path = tmp_path / "presses.csv"
    path.write_text("pressure,reading\n" + rows, encoding="utf-8-sig")  # as spreadsheets save it
    found = Taxels.fit(path)
    # Of 320 readings with noise of 80 Pa; measured 0.12 %, 15 Pa, 15 Pa and 8 %.
    assert found.gain == pytest.approx(made.gain, rel=5e-3)
    assert abs(found.hysteresis - made.hysteresis) < 100.0
    assert abs(found.offset - made.offset) < 60.0 * made.gain
    assert found.noise == pytest.approx(made.noise, rel=0.15)


@pytest.mark.parametrize("text, message", [
    ("pressure,volts\n1,2\n", "there is no column 'reading', which 'presses' needs"),
    ("pressure,reading\n1,2\n3,x\n", "3: "),
    ("pressure,reading\n" + "1,2\n" * 4 + "1,nan\n", ":6: "),
    ("pressure,reading\n" + "1,2\n2,3\n" * 3, "there are 6 samples, expected at least 8"),
    ("pressure,reading\n" + "".join(f"{i},{i}\n" for i in range(20)), "expected pressures that rise"),
])
def test_bad_tables_are_refused_with_their_place(tmp_path, text, message):
    path = tmp_path / "presses.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises((isobar.Error, KeyError)) as error:
        Taxels.fit(path)
    assert str(path) in str(error.value) and message in str(error.value)


def test_a_data_set_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(pokes, "PART", 4)
    whole, resumed = tmp_path / "whole.npz", tmp_path / "resumed.npz"
    assert pokes.make(whole, count=10, seed=7, cells=5, pixels=8) == 10

    def stop(done, _count):
        if done == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pokes.make(resumed, count=10, seed=7, cells=5, pixels=8, progress=stop)
    assert not resumed.exists()
    with pytest.raises(ValueError, match="expected .*'seed': 8"):
        pokes.make(resumed, count=10, seed=8, cells=5, pixels=8)
    assert pokes.make(resumed, count=10, seed=7, cells=5, pixels=8) == 2
    assert [p.name for p in sorted(tmp_path.iterdir())] == ["resumed.npz", "whole.npz"]
    a, b = np.load(whole), np.load(resumed)
    assert set(a) == set(b) and a["grid"].shape == (10, 5, 5, 6)
    for name in a:
        np.testing.assert_array_equal(a[name], b[name])


def test_pokes_press_as_deep_as_they_say():
    for index in range(12):
        made = pokes.poke(3, index, cells=8, pixels=48)
        pixel = 0.024 / 48
        top = made["image_depth"].max()
        # The deepest point is between pixels; a corner rises by a pixel's
        # diagonal at most; measured 0.41 pixels.
        assert 0.0 < top <= made["depth"] * (1 + 1e-6) + 1e-7
        assert made["depth"] - top < 1.5 * pixel
        assert made["force"][2] < 0.0
        is_moving = np.linalg.norm(made["velocity"]) > 1e-3
        assert (made["stick_slip"] == (SLIPS if is_moving else STICKS)).any()
        assert math.isclose(np.linalg.norm(made["quaternion"]), 1.0, rel_tol=1e-12)


def test_the_command_says_what_is_wrong(tmp_path, capsys):
    assert pokes.main(["-o", str(tmp_path / "p.npz"), "--count", "0"]) == 3
    assert "count is 0, expected 1 to 10000000" in capsys.readouterr().err
    assert pokes.main(["-o", str(tmp_path)]) == 3
    assert "is a folder, expected a file" in capsys.readouterr().err
    assert pokes.main(["-o", str(tmp_path / "p.npz"), "--count", "2", "--cells", "3", "--pixels", "4",
                       "--quiet"]) == 0
    assert np.load(tmp_path / "p.npz")["image_rgb"].shape == (2, 4, 4, 3)


PAGE = """
import {{ Recording }} from '{root}/viewer/src/data/recording.js';
import {{ shade, skinDepth }} from '{root}/viewer/src/data/skin.js';
import fs from 'node:fs';
const recording = new Recording(JSON.parse(fs.readFileSync(0, 'utf8')));
const image = skinDepth(recording, recording.sensors.list[0], 0, {rows}, {columns});
console.log(JSON.stringify({{ depth: [...image.depth], rgba: [...shade(image)], hasFaces: image.hasFaces }}));
"""


def page_image(world, sensors, size, folder, with_faces=True):
    """What the viewer's page makes of a recording of the present state."""
    root = pathlib.Path(__file__).parents[2]
    if not shutil.which("node") or not (root / "viewer/node_modules/fflate").exists():
        pytest.skip("no node, or no viewer/node_modules")
    with isobar.Recorder(folder / "skin.mcap", world, frame_rate=0, sensors=sensors,
                         with_faces=with_faces) as recorder:
        recorder.record()
    with isobar.Recording(folder / "skin.mcap") as recording:
        recording.write_view(folder / "skin.html", html_template=b"<script>@@ISOBAR_DATA@@</script>")
    data = (folder / "skin.html").read_text()[len("<script>"):-len("</script>")]
    script = PAGE.format(root=root.as_uri(), rows=size[0], columns=size[1])
    done = subprocess.run(["node", "--input-type=module", "-e", script], input=data, text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def drawn_press(rng, pad_name):
    """A ball or box pressed askew into a pad that lies anywhere, of a body or of the world."""
    turn, place = np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.uniform(-1, 1, 3)
    turn[:, 2] *= np.linalg.det(turn)
    model = isobar.Model()
    pad = "world" if pad_name == "world" else model.add_body(pad_name, mass=1.0, inertia=np.eye(3) * 1e-4)
    soft = isobar.Material(compliance="compliant", modulus=3e5)
    in_world = isobar.Pose(turn, place)
    x_bs = isobar.Pose(np.eye(3), [0.0, 0.0, 0.004])
    if pad == "world":
        x_bs = isobar.Pose(turn, place + turn @ x_bs.translation)
        model.add_geometry(pad, isobar.box(0.03, 0.03, 0.008), x_bg=in_world, material=soft)
    else:
        model.add_geometry(pad, isobar.box(0.03, 0.03, 0.008), material=soft)
        model.set_free_pose(pad, in_world)
    width, height = rng.uniform(0.006, 0.02, 2)
    tool = model.add_body("m_tool", mass=0.01, inertia=np.eye(3) * 1e-7)
    shape = isobar.sphere(RADIUS) if rng.random() < 0.5 else isobar.box(0.012, 0.007, 2 * RADIUS)
    model.add_geometry(tool, shape, material=isobar.Material(compliance="rigid", resolution_hint=1e-3))
    aside = [*rng.uniform(-0.003, 0.003, 2), 0.004 + RADIUS - rng.uniform(2e-4, 1e-3)]
    model.set_free_pose(tool, isobar.Pose(turn, place + turn @ aside))
    world = isobar.World(model, gravity=[0, 0, 0])
    sensors = isobar.Sensors(world, [isobar.Sensor(
        name="pad", kind="tactile", body=pad_name, x_bs=x_bs, rows=4, columns=5, width=width,
        height=height)])
    world.update_contacts()
    sensors.update()
    return world, sensors


@pytest.mark.parametrize("seed", range(6))
def test_the_page_shows_the_same_skin(seed, tmp_path):
    rng = np.random.default_rng(seed)
    world, sensors = drawn_press(rng, ("world", "a_pad", "z_pad")[seed % 3])
    size = tuple(int(n) for n in rng.integers(20, 60, 2))
    image, page = skin_image(world, sensors, "pad", size), page_image(world, sensors, size, tmp_path)
    assert page["hasFaces"] and image.depth.max() > 1e-4
    off = np.abs(np.reshape(page["depth"], size) - image.depth)
    rgb = np.reshape(page["rgba"], (*size, 4))[..., :3]
    # Pages round corners to a hundredth of an edge, about 1e-5 m; pixels at rims may fall to either side.
    wrong = np.mean(off > 2e-5), np.mean(np.abs(rgb - image.rgb.astype(int)).max(axis=2) > 25)
    print("share of pixels, depth and colour:", wrong)
    assert wrong[0] < 0.02 and wrong[1] < 0.05


def test_the_page_tells_where_faces_were_not_recorded(tmp_path):
    world, sensors = pressed_ball()
    assert not page_image(world, sensors, (8, 8), tmp_path, with_faces=False)["hasFaces"]


def test_what_a_scene_remembers_is_read_in_every_step(tmp_path):
    path = tmp_path / "skin.yaml"
    path.write_text("""
bodies:
- {name: floor, fixed: true, geometry: [{name: top, shape: half_space, compliance: rigid}]}
- {name: ball, mass: 0.1, pose: {translation: [0, 0, 0.051]},
   geometry: [{name: skin, shape: sphere, radius: 0.05, modulus: 1.0e+5}]}
sensors:
- {name: skin, type: tactile, body: floor, rows: 2, columns: 2, size: [0.02, 0.02], hysteresis: 1000, gain: 1}
""", encoding="utf-8")
    scene = isobar.load(path)
    world, other = scene.create_world(), isobar.World(scene.model, scene.settings)
    sensors, by_hand = scene.create_sensors(world), scene.create_sensors(other)
    for _ in range(60):  # it bounces
        world.step()
        other.step()
        by_hand.update()
    sensors.update()
    assert np.array_equal(sensors.readings("skin"), by_hand.readings("skin"))
    assert not np.array_equal(sensors.readings("skin"), sensors.grid("skin")[..., 0])
