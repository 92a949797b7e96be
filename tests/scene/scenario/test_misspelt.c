// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A name that means nothing, in any format, is answered with the one that was likely meant.

#include "scene/fixture.h"

typedef struct misspelt {
    iso_scene_format_kind format;
    iso_status status; ///< ISO_OK: a warning
    const char* text;
    const char* message;
} misspelt;

#define BODIES "bodies:\n- {name: m::hand, mass: 1, inertia: [1, 1, 1]}\n"
#define BALL(keys) "bodies:\n- {name: a, mass: 1, geometry: [{shape: sphere, " keys "}]}\n"
#define TWO_LINKS "<link name='base'/><link name='tip'/>"
#define SDF(text) "<sdf version='1.7'>\n<model name='m'>\n" text "</model></sdf>"
#define SDF_GEOMETRY(shape, rest)                                                   \
    SDF("<link name='base'><collision name='c'><geometry>" shape "</geometry>" rest \
        "</collision></link>")
#define URDF(text) "<robot name='r'>\n" TWO_LINKS text "</robot>"
#define MJCF(text) \
    "<mujoco>\n<worldbody><body name='box'><geom size='1'/></body></worldbody>" text "</mujoco>"

static const misspelt k_cases[] = {
    // scenarios: keys, choices, names
    {ISO_SCENE_FORMAT_SCENARIO, ISO_ERR_PARSE, BALL("radus: 1"), "; did you mean 'radius'?"},
    {ISO_SCENE_FORMAT_SCENARIO, ISO_ERR_PARSE, "simulation: {time_stp: 1}",
     "test.yaml:1: unknown key 'time_stp' in simulation, expected one of time_step, "},
    {ISO_SCENE_FORMAT_SCENARIO, ISO_ERR_PARSE, "simulation: {time_stp: 1}",
     "threads; did you mean 'time_step'?"},
    {ISO_SCENE_FORMAT_SCENARIO, ISO_ERR_PARSE, "simulation: {method: laged}",
     "midpoint, radau, cvode; did you mean 'lagged'?"},
    {ISO_SCENE_FORMAT_SCENARIO, ISO_ERR_PARSE, BALL("compliance: ridgid, radius: 1"),
     "did you mean 'rigid'?"},
    {ISO_SCENE_FORMAT_SCENARIO, ISO_ERR_PARSE, BALL("friction: {bristel: {}}, radius: 1"),
     "pressure, bristle; did you mean 'bristle'?"},
    {ISO_SCENE_FORMAT_SCENARIO, ISO_ERR_NOT_FOUND,
     "materials: {rubber: {friction: 1}}\n" BALL("radius: 1, material: ruber"),
     "there is no material named 'ruber'; did you mean 'rubber'?"},
    {ISO_SCENE_FORMAT_SCENARIO, ISO_ERR_NOT_FOUND, BODIES "initial: [{body: hnad}]",
     "test.yaml:3: there is no body or frame named 'hnad'; did you mean 'hand'?"},
    {ISO_SCENE_FORMAT_SCENARIO, ISO_ERR_NOT_FOUND, BODIES "initial: [{body: n::hand}]",
     "there is no body or frame named 'n::hand'; did you mean 'm::hand'?"},
    {ISO_SCENE_FORMAT_SCENARIO, ISO_ERR_NOT_FOUND,
     BALL("radius: 1") "\ncontact_overrides: [{geometry: 'a::colision', friction: 1}]",
     "test.yaml:4: no geometry matches 'a::colision' (body::geometry, * and ? allowed); did you "
     "mean "
     "'a::collision'?"},
    {ISO_SCENE_FORMAT_SCENARIO, ISO_ERR_NOT_FOUND, BODIES "initial: [{body: zebra}]",
     "there is no body or frame named 'zebra', expected 'world' or 'm::hand'"},
    {ISO_SCENE_FORMAT_SCENARIO, ISO_ERR_NOT_FOUND, BODIES "initial: [{body: &name hand}, *nane]",
     "there is no anchor named 'nane'; did you mean 'name'?"},
    {ISO_SCENE_FORMAT_SCENARIO, ISO_ERR_PARSE, "bodies:\n- {nmae: a, fixed: true}",
     "test.yaml:2: unknown key 'nmae' in a body, expected one of name, "},
    // SDFormat
    {ISO_SCENE_FORMAT_SDF, ISO_ERR_NOT_FOUND,
     SDF(TWO_LINKS "\n<joint name='j' type='fixed'><parent>base</parent><child>tp</child></joint>"),
     "test.sdf:4: there is no link, joint, frame or model of model 'm' named 'tp'; did you mean "
     "'tip'?"},
    {ISO_SCENE_FORMAT_SDF, ISO_OK,
     SDF("<link name='a'><pose relativ_to='b'>1 0 0 0 0 0</pose></link>"),
     "test.sdf:3: attribute 'relativ_to' of <pose> has no meaning here and is ignored; did you "
     "mean "
     "'relative_to'?"},
    {ISO_SCENE_FORMAT_URDF, ISO_OK,
     URDF("<joint name='j' type='fixed'><parent link='base'/><child link='tip'/>\n<origin "
          "xzy='1 2 3'/></joint>"),
     "test.urdf:3: attribute 'xzy' of <origin> has no meaning here and is ignored; did you mean "
     "'xyz'?"},
    {ISO_SCENE_FORMAT_URDF, ISO_OK,
     URDF("<joint name='j' type='revolute'><parent link='base'/>"
          "<child link='tip'/>\n<limit lowr='1' effort='2'/></joint>"),
     "test.urdf:3: attribute 'lowr' of <limit> has no meaning here and is ignored; did you mean "
     "'lower'?"},
    {ISO_SCENE_FORMAT_MJCF, ISO_OK, MJCF("\n<default><joint dampng='1'/></default>"),
     "test.xml:3: attribute 'dampng' of <joint> has no meaning here and is ignored; did you mean "
     "'damping'?"},
    {ISO_SCENE_FORMAT_MJCF, ISO_OK, MJCF("\n<worldbody><frame quatt='0 1 0 0'/></worldbody>"),
     "test.xml:3: attribute 'quatt' of <frame> has no meaning here and is ignored; did you mean "
     "'quat'?"},
    {ISO_SCENE_FORMAT_MJCF, ISO_OK, MJCF("\n<default><goem size='1'/></default>"),
     "test.xml:3: <goem> is not supported and is ignored; did you mean 'geom'?"},
    {ISO_SCENE_FORMAT_MJCF, ISO_OK, MJCF("\n<contcat/>"),
     "test.xml:3: <contcat> is not supported and is ignored; did you mean 'contact'?"},
    {ISO_SCENE_FORMAT_SDF, ISO_OK, SDF("<link name='a'>\n<intertial/></link>"),
     "test.sdf:4: <intertial> is not supported and is ignored; did you mean 'inertial'?"},
    {ISO_SCENE_FORMAT_SDF, ISO_OK,
     SDF_GEOMETRY("<sphere><radius>1</radius></sphere>",
                  "<drake:proximity_properties xmlns:drake='d'><drake:hydroelastic_moduls>1"
                  "</drake:hydroelastic_moduls></drake:proximity_properties>"),
     "<drake:hydroelastic_moduls> is not supported and is ignored; did you mean "
     "'drake:hydroelastic_modulus'?"},
    {ISO_SCENE_FORMAT_SDF, ISO_OK,
     SDF_GEOMETRY("<sphere><radius>1</radius></sphere>",
                  "<isobar:contact_properties xmlns:isobar='i'><isobar:moduls>1</isobar:moduls>"
                  "</isobar:contact_properties>"),
     "<isobar:moduls> is not supported and is ignored; did you mean 'modulus'?"},
    {ISO_SCENE_FORMAT_SDF, ISO_ERR_PARSE, SDF("<link nmae='a'/>"),
     "<link> needs the attribute 'name', has 'nmae'"},
    {ISO_SCENE_FORMAT_SDF, ISO_OK, SDF_GEOMETRY("<box>\n<sise>1 1 1</sise></box>", ""),
     "<box> has no size, has <sise>: it is 1 m, as the format says"},
    // URDF
    {ISO_SCENE_FORMAT_URDF, ISO_ERR_NOT_FOUND,
     URDF("\n<joint name='j' type='fixed'><parent link='bse'/><child link='tip'/></joint>"),
     "test.urdf:3: there is no link named 'bse'; did you mean 'base'?"},
    {ISO_SCENE_FORMAT_URDF, ISO_ERR_PARSE,
     "<robot name='r'><link name='a'><collision><geometry>\n<sphere radus='1'/></geometry>"
     "</collision></link></robot>",
     "test.urdf:2: <sphere> has no radius, has 'radus'"},
    {ISO_SCENE_FORMAT_URDF, ISO_ERR_PARSE,
     "<robot name='r'><link name='a'><inertial>\n<mass valu='1'/></inertial></link></robot>",
     "test.urdf:2: <mass> needs the attribute 'value', has 'valu'"},
    {ISO_SCENE_FORMAT_URDF, ISO_ERR_PARSE,
     "<robot name='r'><link name='a'><collision><geometry>\n<box sise='1 1 1'/></geometry>"
     "</collision></link></robot>",
     "test.urdf:2: <box> needs the attribute 'size', has 'sise'"},
    {ISO_SCENE_FORMAT_URDF, ISO_OK, "<robot nmae='r'><link name='a'/></robot>",
     "test.urdf:1: <robot> has no name, has 'nmae': it is called 'test', as its file"},
    // MJCF
    {ISO_SCENE_FORMAT_MJCF, ISO_ERR_PARSE,
     "<mujoco>\n<custom><numeric name='isobar:model' data='1'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     "test.xml:2: <numeric>: name is 'isobar:model', expected <text> with isobar:model or"},
    {ISO_SCENE_FORMAT_MJCF, ISO_ERR_PARSE,
     "<mujoco>\n<custom><numeric name='isobar:margin' data='1'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     "test.xml:2: <numeric>: name is 'isobar:margin', expected <text> with isobar:model or"},
    {ISO_SCENE_FORMAT_MJCF, ISO_ERR_PARSE,
     "<mujoco>\n<custom><text name='isobar:modle' data='hertz'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     "test.xml:2: <text>: name is 'isobar:modle', expected <text> with isobar:model or"},
    {ISO_SCENE_FORMAT_MJCF, ISO_OK,
     "<mujoco>\n<custom><text name='isobr:model' data='hertz'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     "test.xml:2: <text>: name is 'isobr:model', which means nothing here; did you mean "
     "'isobar:model'?"},
    {ISO_SCENE_FORMAT_MJCF, ISO_ERR_PARSE,
     "<mujoco>\n<custom><text name='isobar:model' data='herz'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     "test.xml:2: <text>: data of isobar:model is 'herz', expected one of pressure_field, hertz, "
     "volumetric; did you mean 'hertz'?"},
    {ISO_SCENE_FORMAT_MJCF, ISO_ERR_NOT_FOUND,
     "<mujoco>\n<custom><text name='isobar:model:flor' data='hertz'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     "test.xml:2: <text>: isobar:model:flor names no geom and no pair of <contact>; did you mean "
     "'floor'?"},
    {ISO_SCENE_FORMAT_MJCF, ISO_ERR_NOT_FOUND,
     MJCF("\n<contact><exclude body1='bux' body2='box'/></contact>"),
     "test.xml:3: there is no body named 'bux'; did you mean 'box'?"},
    {ISO_SCENE_FORMAT_MJCF, ISO_ERR_PARSE,
     "<mujoco><worldbody><body>\n<inertial mas='1'/></body></worldbody></mujoco>",
     "test.xml:2: <inertial> needs the attribute 'mass', has 'mas'"},
    {ISO_SCENE_FORMAT_MJCF, ISO_ERR_PARSE,
     MJCF("\n<equality><connect body1='box' ancor='0 0 0'/></equality>"),
     "test.xml:3: <connect> needs the attribute 'anchor', has 'ancor'"},
    {ISO_SCENE_FORMAT_MJCF, ISO_ERR_PARSE,
     MJCF("\n<asset><mesh nane='m' vertex='0 0 0  1 0 0  0 1 0  0 0 1'/></asset>"),
     "test.xml:3: <mesh> needs the attribute 'name', has 'nane'"},
    {ISO_SCENE_FORMAT_MJCF, ISO_ERR_PARSE, MJCF("\n<default><default clas='a'/></default>"),
     "test.xml:3: <default> needs the attribute 'class', has 'clas'"},
    {ISO_SCENE_FORMAT_MJCF, ISO_OK, MJCF("\n<option timstep='1'/>"),
     "test.xml:3: attribute 'timstep' of <option> has no meaning here and is ignored; did you mean "
     "'timestep'?"},
    // what stands where nothing looks at it
    {ISO_SCENE_FORMAT_SDF, ISO_OK,
     SDF_GEOMETRY("<box><size>1 1 1</size>\n<sise>2 2 2</sise></box>", ""),
     "test.sdf:4: <sise> in <box> has no meaning there and is ignored"},
    {ISO_SCENE_FORMAT_SDF, ISO_OK,
     SDF_GEOMETRY("<box><size>1 1 1</size></box>\n<surface><friction/></surface>", ""),
     "test.sdf:4: <surface> in <geometry> is ignored, its shape is the <box> in line 3"},
    {ISO_SCENE_FORMAT_URDF, ISO_OK,
     URDF("<link name='l'><collision><geometry><box size='1 1 1'/>\n<sphere radius='1'/>"
          "</geometry></collision></link>"),
     "test.urdf:3: <sphere> in <geometry> is ignored, its shape is the <box> in line 2"},
    {ISO_SCENE_FORMAT_URDF, ISO_OK,
     URDF("<joint name='j' type='fixed'><parent link='base'/><child link='tip'/>\n"
          "<origin><axis xyz='1 0 0'/></origin></joint>"),
     "test.urdf:3: <axis> in <origin> has no meaning there and is ignored"},
    {ISO_SCENE_FORMAT_MJCF, ISO_OK,
     "<mujoco><worldbody><body><geom size='1'>\n<joint "
     "name='j'/></geom></body></worldbody></mujoco>",
     "test.xml:2: <joint> in <geom> has no meaning there and is ignored"},
    {ISO_SCENE_FORMAT_MJCF, ISO_OK, MJCF("\n<compiler><lengthrnge/></compiler>"),
     "test.xml:3: <lengthrnge> is not supported and is ignored; did you mean 'lengthrange'?"},
    {ISO_SCENE_FORMAT_MJCF, ISO_OK,
     MJCF("\n<asset><mesh name='m' maxhullvert='9' vertex='0 0 0  1 0 0  0 1 0  0 0 1'/></asset>"),
     "test.xml:3: <mesh>: maxhullvert is 9: hulls keep all their vertices here"},
};

static void misspelt_names_are_answered_with_what_was_meant(void** state) {
    fixture* f = *state;
    for (size_t i = 0; i < sizeof k_cases / sizeof *k_cases; ++i) {
        const misspelt* m = &k_cases[i];
        f->log = (kept_log){.length = 0};
        iso_status status = load_text(f->ctx, m->format, m->text, &f->scene);
        CHECK(status == m->status, "case %d: '%s', expected '%s': %s", (int)i,
              iso_status_text(status), iso_status_text(m->status), iso_context_error(f->ctx));
        CHECK_TEXT(status == ISO_OK ? f->log.text : iso_context_error(f->ctx), m->message);
        iso_scene_destroy(f->ctx, &f->scene);
    }
}

static void paths_of_settings_are_answered_too(void** state) {
    fixture* f = *state;
    static const struct {
        const char *setting, *message;
    } cases[] = {
        {"bodis.hand.mass=1",
         "there is no 'bodis' in the scene, which has: bodies; did you mean 'bodies'?"},
        {"bodies.hnad.mass=1", "which has: m::hand; did you mean 'hand'?"},
        {"bodies.m::hand.mas=1", "which has: name, mass, inertia; did you mean 'mass'?"},
        {"simulation.time_stp=1", "unknown key 'time_stp' in simulation, expected one of"},
        {"simulation.time_stp=1", "; did you mean 'time_step'?"},
        {"time_step=1", "; did you mean 'simulation.time_step'?"},
        {"modulus=1", "; did you mean 'default_material.modulus'?"},
        {"simulation.time_step=", "nothing follows the '=', expected a value"},
        {"bodies= ", "nothing follows the '=', expected a value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        iso_scene_options options = {.settings = &cases[i].setting, .setting_count = 1};
        iso_status status = iso_scene_load_bytes(f->ctx, "test.yaml", ISO_SCENE_FORMAT_SCENARIO,
                                                 BODIES, strlen(BODIES), &options, &f->scene);
        CHECK(status != ISO_OK, "%s was taken", cases[i].setting);
        CHECK_ERROR(f->ctx, cases[i].message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(misspelt_names_are_answered_with_what_was_meant),
        TEST(paths_of_settings_are_answered_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
