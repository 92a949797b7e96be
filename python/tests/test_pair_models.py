# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Contact models per material and per pair, through every door: scenarios, the API, SDFormat, URDF
and MJCF."""

import numpy as np
import pytest

import isobar

MODELS = ["pressure_field", "hertz", "volumetric"]

SCENE = """
bodies:
- name: world
  geometry: [{{name: floor, shape: half_space, compliance: rigid{floor}}}]
- {{name: m::a, mass: 1, geometry: [{{name: skin, shape: sphere, radius: 0.1{a}}}], pose: {{translation: [0, 0, 0.09]}}}}
- {{name: m::b, mass: 1, geometry: [{{name: skin, shape: sphere, radius: 0.1}}], pose: {{translation: [0.19, 0, 0.09]}}}}
{more}
"""


def models_of(world):
    world.update_contacts()
    return {frozenset((c.body_name_a, c.body_name_b)): c.model for c in world.contacts}


def load(tmp_path, text, name="scene.yaml"):
    path = tmp_path / name
    path.write_text(text)
    return isobar.load(path)


def scenario(tmp_path, floor="", a="", more=""):
    return load(tmp_path, SCENE.format(floor=floor, a=a, more=more))


def key(a, b):
    return frozenset((a, b))


@pytest.mark.parametrize("seed", range(6))
def test_pairs_of_scenarios_have_the_model_named_last(tmp_path, seed):
    """Drawn patterns, each over those before it; the rest has the model of the material."""
    random = np.random.default_rng(seed)
    bodies = ["world", "m::a", "m::b"]
    expected = {key(x, y): "pressure_field" for i, x in enumerate(bodies) for y in bodies[:i]}
    of_a = str(random.choice(MODELS))
    for pair in expected:
        expected[pair] = of_a if "m::a" in pair else expected[pair]
    lines = []
    for _ in range(random.integers(1, 5)):
        model = str(random.choice(MODELS))
        first, second = random.choice(bodies, 2, replace=False)
        lines.append(f"- {{geometry_a: '{first}::*', geometry_b: '{second}::*', model: {model}}}")
        expected[key(str(first), str(second))] = model
    world = scenario(tmp_path, a=f", model: {of_a}",
                     more="contact_models:\n" + "\n".join(lines)).create_world()
    assert models_of(world) == expected


def test_a_rule_settles_what_two_materials_ask_for(tmp_path):
    rule = "contact_models: [{geometry_a: '*::a::*', geometry_b: 'world::*', model: volumetric}]"
    with pytest.raises(isobar.Error, match="a model of the pair"):
        scenario(tmp_path, floor=", model: volumetric", a=", model: hertz").create_world()
    world = scenario(tmp_path, floor=", model: volumetric", a=", model: hertz",
                     more=rule).create_world()
    assert models_of(world)[key("world", "m::a")] == "volumetric"
    assert models_of(world)[key("m::a", "m::b")] == "hertz"
    assert models_of(world.clone())[key("world", "m::a")] == "volumetric"
    bare = scenario(tmp_path, floor=", model: volumetric", more=rule).create_world()
    assert bare.model_hash != world.model_hash


@pytest.mark.parametrize("entry, message", [
    ("{geometry_a: '*', geometry_b: '*'}", "an entry of contact_models needs the key 'model'"),
    ("{geometry_a: '*', model: hertz}", "an entry of contact_models needs the key 'geometry_b'"),
    ("{geometry_a: '*', geometry_b: '*', model: hetz}", "model is 'hetz'"),
    ("{geometry_a: '*', geometry_b: '*', model: default}", "is 'default', expected pressure_field"),
    ("{geometry_a: '*', geometry_b: 'x', model: hertz}", "no geometry matches 'x'"),
    ("{geometry_a: 'm::a::*', geometry_b: '*::a::*', model: hertz}", "match geometries of one body alone"),
])
def test_mistakes_in_scenarios_are_named(tmp_path, entry, message):
    with pytest.raises(isobar.Error, match=message) as error:
        scenario(tmp_path, more=f"contact_models: [{entry}]")
    assert "scene.yaml:7" in str(error.value)


@pytest.mark.parametrize("model", MODELS)
def test_pairs_of_the_api_have_a_model(tmp_path, model):
    scene = scenario(tmp_path, floor=", model: hertz", a=", model: volumetric")
    scene.model.add_geometry_pair("world::floor", "m::a::skin", model=model)
    world = isobar.World(scene.model)
    assert models_of(world)[key("world", "m::a")] == model
    with pytest.raises(ValueError, match="hetz"):
        scene.model.add_geometry_pair(0, 1, model="hetz")


XML = {
    "sdf": """<sdf version='1.9'><model name='m'><pose>0 0 0.09 0 0 0</pose><link name='a'><collision name='c'>
<geometry><sphere><radius>0.1</radius></sphere></geometry>
<isobar:contact_properties><isobar:model>{model}</isobar:model></isobar:contact_properties>
</collision></link></model></sdf>""",
    "urdf": """<robot name='m'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>
<collision name='c'><geometry><sphere radius='0.1'/></geometry>
<isobar:contact_properties><isobar:model value='{model}'/></isobar:contact_properties>
</collision></link></robot>""",
    "xml": """<mujoco model='m'><worldbody><geom name='floor' type='plane' size='1 1 1'/>
<body name='a' pos='0 0 0.09'><freejoint/><geom name='c' size='0.1'/></body>
<body name='b' pos='0 1 0.09'><freejoint/><geom name='d' size='0.1'/></body></worldbody>
<contact><pair name='p' geom1='d' geom2='floor'/></contact>
<custom><text name='isobar:model:{name}' data='{model}'/></custom></mujoco>""",
}


@pytest.mark.parametrize("format", ["sdf", "urdf"])
@pytest.mark.parametrize("model", MODELS)
def test_tags_name_the_model_of_a_material(tmp_path, format, model):
    load(tmp_path, XML[format].format(model=model), f"robot.{format}")
    text = f"""
directives: [{{add_model: {{file: robot.{format}, name: m}}}}]
bodies: [{{name: world, geometry: [{{name: floor, shape: half_space, compliance: rigid}}]}}]
"""
    world = load(tmp_path, text).create_world()
    world.update_contacts()
    assert [c.model for c in world.contacts] == [model]
    with pytest.raises(isobar.Error, match="is 'spring', expected one of pressure_field"):
        load(tmp_path, XML[format].format(model="spring"), f"other.{format}")


@pytest.mark.parametrize("model", MODELS)
def test_custom_texts_of_mjcf_name_the_model(tmp_path, model):
    """Of a geom, of a pair and of all geoms."""
    def make(name, model=model):
        text = XML["xml"].format(model=model, name=name)
        return text.replace("isobar:model:'", "isobar:model'")

    other = "pressure_field"
    of = {name: models_of(load(tmp_path, make(name), "robot.xml").create_world())
          for name in ("c", "p", "")}
    floor_a, floor_b = key("world", "m::a"), key("world", "m::b")
    assert of["c"] == {floor_a: model, floor_b: other}
    assert of["p"] == {floor_a: other, floor_b: model}
    assert of[""] == {floor_a: model, floor_b: model}
    with pytest.raises(isobar.Error, match="names no geom and no pair"):
        load(tmp_path, make("e"), "robot.xml")
    with pytest.raises(isobar.Error, match="data of isobar:model is 'spring'"):
        load(tmp_path, make("c", "spring"), "robot.xml")
    with pytest.raises(isobar.Error, match="expected <text> with isobar:model or"):
        load(tmp_path, make("c").replace("isobar:model:c", "isobar:modle"), "robot.xml")


def test_mujoco_passes_over_custom_texts():
    mujoco = pytest.importorskip("mujoco")
    assert mujoco.MjModel.from_xml_string(XML["xml"].format(model="hertz", name="c")).ngeom == 3


def mixed_text(random, models, method):
    """Balls and capsules that press and slide on floors of their own, each pair with its model."""
    parts, rules = [], []
    for i, model in enumerate(models):
        x, radius = 2.0 * i, float(random.uniform(0.05, 0.12))
        shape = f"shape: sphere, radius: {radius}"
        if random.random() < 0.4:
            shape = f"shape: capsule, radius: {radius}, length: {radius * random.uniform(1, 3)}"
        floor = random.choice(["shape: half_space", "shape: box, size: [0.8, 0.8, 0.2]"])
        height = radius * random.uniform(0.9, 0.97) + (0.1 if "box" in floor else 0.0)
        speed = ", ".join(f"{v:.3f}" for v in random.uniform(-0.3, 0.3, size=3))
        angular = ", ".join(f"{v:.3f}" for v in random.uniform(-2, 2, size=3))
        parts.append(f"""
- name: f{i}
  fixed: true
  pose: {{translation: [{x}, 0, 0]}}
  geometry: [{{name: top, {floor}, compliance: rigid, collision_group: {1 << i}, collision_mask: {1 << i}}}]
- name: b{i}
  mass: {random.uniform(0.5, 2):.3f}
  inertia: [0.003, 0.004, 0.005]
  geometry: [{{name: skin, {shape}, modulus: {10 ** random.uniform(5.5, 6.5):.4g}, dissipation: {random.uniform(0, 20):.3g},
    resolution_hint: {radius / 3:.3g}, collision_group: {1 << i}, collision_mask: {1 << i}}}]
  pose: {{translation: [{x + random.uniform(-0.1, 0.1):.4f}, {random.uniform(-0.1, 0.1):.4f}, {height:.5f}], rotation: {{deg: [90, 0, 30]}}}}
  velocity: {{linear: [{speed}], angular: [{angular}]}}
""")
        rules.append(f"- {{geometry_a: 'f{i}::*', geometry_b: 'b{i}::*', model: {model}}}")
    return (f"simulation: {{time_step: 1.0e-3, method: {method}}}\nbodies:{''.join(parts)}"
            "contact_models:\n" + "\n".join(rules) + "\n")


@pytest.mark.parametrize("method", ["lagged", "tamsi", "rk4"])
@pytest.mark.parametrize("seed", range(4))
def test_a_pair_of_a_mixed_world_is_what_it_is_alone_with_its_model(tmp_path, seed, method):
    """Wrenches at the start bit for bit, motions to what solvers leave, of drawn pairs side by side."""
    count = 5
    models = [str(m) for m in np.random.default_rng(seed).choice(MODELS, count)]
    worlds = {}
    for name, own in [("mixed", models)] + [(m, [m] * count) for m in sorted(set(models))]:
        worlds[name] = load(tmp_path, mixed_text(np.random.default_rng(100 + seed), own, method)).create_world()
    starts = {}
    for name, world in worlds.items():
        world.update_contacts()
        starts[name] = {c.body_name_a: (c.model, tuple(c.wrench)) for c in world.contacts}
        world.step(40)
    for i, model in enumerate(models):
        assert starts["mixed"][f"b{i}"] == starts[model][f"b{i}"]
        assert starts["mixed"][f"b{i}"][0] == model
        mixed, pure = (worlds[n].body_twist(f"b{i}") for n in ("mixed", model))
        assert np.allclose(mixed, pure, atol=1e-6), (i, model, mixed - pure)
