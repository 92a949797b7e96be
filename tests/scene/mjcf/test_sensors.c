// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Sensors in scenarios, SDFormat, URDF and MJCF. test_mujoco_sensors.py compares values.

#include "isobar/names.h"
#include "scene/fixture.h"
#include "support/failing_context.h"

#include <math.h>

#define SCENE                                                                                    \
    "bodies:\n"                                                                                  \
    "  - {name: arm, mass: 1, inertia: [1, 1, 1], geometry: [{name: pad, shape: box, size: [1, " \
    "1, 1]}]}\n"                                                                                 \
    "  - {name: ball, mass: 1, geometry: [{name: skin, shape: sphere, radius: 1}]}\n"            \
    "joints: [{name: hinge, type: revolute, parent: world, child: arm, axis: [0, 1, 0]}]\n"      \
    "fixed_tendons: [{name: cord, joints: [hinge], weights: [-2]}]\n"                            \
    "sensors:\n"

static const char k_scenario[] = SCENE
    "  - {name: a, type: joint, joint: hinge}\n"
    "  - {name: b, type: force_torque, joint: hinge, on_parent: true, pose: {translation: [1, 2, "
    "3]}}\n"
    "  - {name: c, type: force_torque, body: ball}\n"
    "  - {name: d, type: contact, body: arm, geometry: pad, other_body: ball, other_geometry: "
    "skin}\n"
    "  - {name: e, type: tactile, body: arm, rows: 3, columns: 5, size: [0.1, 0.2], reach: 0.01,\n"
    "     slip_speed: 0.02, gain: -2, offset: 3, hysteresis: 4, noise: 5, step: 6, range: [-7, 8], "
    "seed: 9}\n"
    "  - {name: f, type: imu, body: ball, pose: {rotation: {deg: [0, 0, 90]}}}\n"
    "  - {name: g, type: frame, body: ball, relative_to: arm}\n"
    "  - {name: h, type: velocity, body: ball, relative_to: arm, pose: {translation: [1, 2, 3]}}\n"
    "  - {name: i, type: subtree, body: world}\n"
    "  - {name: j, type: fixed_tendon, fixed_tendon: cord}\n"
    "  - {name: k, type: range, body: ball, pose: {translation: [0, 0, 1]}, reach: 4}\n"
    "  - {name: l, type: acceleration, body: ball, pose: {translation: [0, 0, 1]}}\n";

static void scenarios_describe_every_kind(void** state) {
    fixture* f = *state;
    CHECK_OK(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_SCENARIO, k_scenario, &f->scene));
    assert_int_equal(f->scene.sensor_count, 12);
    const iso_sensor_desc* s = f->scene.sensors;
    const iso_sensor_kind kinds[] = {
        ISO_SENSOR_JOINT,        ISO_SENSOR_FORCE_TORQUE, ISO_SENSOR_FORCE_TORQUE,
        ISO_SENSOR_CONTACT,      ISO_SENSOR_TACTILE,      ISO_SENSOR_IMU,
        ISO_SENSOR_FRAME,        ISO_SENSOR_VELOCITY,     ISO_SENSOR_SUBTREE,
        ISO_SENSOR_FIXED_TENDON, ISO_SENSOR_RANGE,        ISO_SENSOR_ACCELERATION};
    for (int i = 0; i < 12; ++i) {
        assert_int_equal(s[i].kind, kinds[i]);
        assert_int_equal(s[i].name[0], 'a' + i);
    }
    for (int kind = 0; kind < iso_name_count(ISO_NAMES_SENSOR_KIND); ++kind) {
        int count = 0;
        for (int i = 0; i < f->scene.sensor_count; ++i) {
            count += (int)s[i].kind == kind;
        }
        assert_true(count > 0); // a kind that scenarios do not know, or that this test does not
    }
    assert_string_equal(s[0].joint, "hinge");
    assert_string_equal(s[1].source, "test.yaml:8");
    CHECK_VEC3_NEAR(s[1].x_bs.p, iso_vec3_make(1.0, 2.0, 3.0), 0.0);
    assert_true(s[1].is_on_parent && !s[2].is_on_parent);
    assert_string_equal(s[3].geometry, "pad");
    assert_string_equal(s[3].other_body, "ball");
    assert_string_equal(s[3].other_geometry, "skin");
    assert_true(s[4].rows == 3 && s[4].columns == 5);
    CHECK_BITS(s[4].width, 0.1);
    CHECK_BITS(s[4].height, 0.2);
    CHECK_BITS(s[4].reach, 0.01);
    CHECK_BITS(s[4].slip_speed, 0.02);
    const iso_taxels* t = &s[4].taxels;
    const double read[] = {t->gain, t->offset, t->hysteresis, t->noise, t->step, t->low, t->high};
    const double told[] = {-2.0, 3.0, 4.0, 5.0, 6.0, -7.0, 8.0};
    CHECK_ARRAY_NEAR(read, told, 7, 0.0);
    assert_int_equal(t->seed, 9);
    CHECK_NEAR(s[5].x_bs.r.m[1][0], 1.0, 1e-15); // measured 0
    assert_string_equal(s[6].other_body, "arm");
    assert_string_equal(s[7].other_body, "arm");
    assert_string_equal(s[9].fixed_tendon, "cord");
    CHECK_BITS(s[10].reach, 4.0);
    iso_world* world = NULL;
    iso_sensors* sensors = NULL;
    CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
    CHECK_OK(f->ctx, iso_sensors_create(world, s, 12, &sensors));
    CHECK_OK(f->ctx, iso_sensors_update(sensors, world));
    iso_sensors_destroy(sensors);
    iso_world_destroy(world);
}

static void wrong_sensors_are_refused_at_their_line(void** state) {
    fixture* f = *state;
    static const struct {
        const char* text;
        const char* message;
    } cases[] = {
        {SCENE "  - {name: a, type: sonar, body: arm}\n", "test.yaml:7"},
        {SCENE "  - {name: a, type: fixed_tendon}\n",
         "sensor 'a' of type fixed_tendon names a fixed_tendon"},
        {SCENE "  - {name: a, type: fixed_tendon, fixed_tendon: cod}\n",
         "test.yaml:7: there is no fixed tendon named 'cod'; did you mean 'cord'?"},
        {SCENE "  - {name: a, type: imu, joint: hinge}\n", "joint"},
        {SCENE "  - {name: a, type: imu}\n", "sensor 'a' of type imu names a body"},
        {SCENE "  - {name: a, type: joint}\n", "sensor 'a' of type joint names a joint"},
        {SCENE "  - {name: a, type: force_torque, joint: hinge, body: arm}\n",
         "either a joint or a body"},
        {SCENE "  - {name: a, type: joint, joint: knee}\n", "knee"},
        {SCENE "  - {name: a, type: imu, body: leg}\n", "leg"},
        {SCENE "  - {type: imu, body: arm}\n", "name"},
        {SCENE "  - {name: a, type: imu, body: arm, pose: {base_frame: ball}}\n", "no base_frame"},
        {SCENE "  - {name: a, type: tactile, body: arm, rows: 1.5}\n", "whole number"},
        {SCENE "  - {name: a, type: tactile, body: arm, rows: 0}\n", "rows"},
        {SCENE "  - {name: a, type: tactile, body: arm, size: [1, 0]}\n", "size is 0 m"},
        {SCENE "  - {name: a, type: tactile, body: arm, noise: -1}\n", "noise"},
        {SCENE "  - {name: a, type: tactile, body: arm, gain: 0}\n", "gain is 0"},
        {SCENE "  - {name: a, type: tactile, body: arm, range: [1, 1]}\n", "range is 1 to 1"},
        {SCENE "  - {name: a, type: tactile, body: arm, seed: -1}\n", "seed"},
        {SCENE "  - {name: a, type: imu, body: arm, gain: 1}\n", "unknown key 'gain'"},
        {SCENE "  - {name: a, type: imu, body: arm}\n  - {name: a, type: imu, body: arm}\n",
         "test.yaml:8: there is another sensor 'a'"},
        {SCENE "  - 3\n", "an entry of sensors is not a mapping"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        iso_status status = load_text(f->ctx, ISO_SCENE_FORMAT_SCENARIO, cases[i].text, &f->scene);
        assert_true(status != ISO_OK);
        CHECK_ERROR(f->ctx, cases[i].message);
        CHECK_ERROR(f->ctx, "test.yaml:");
    }
}

static const char k_sdf[] =
    "<sdf version='1.10'><model name='m'><link name='a'>"
    "<sensor name='imu' type='imu'><pose>1 2 3 0 0 0</pose><update_rate>100</update_rate></sensor>"
    "<collision name='pad'><geometry><sphere><radius>1</radius></sphere></geometry></collision>"
    "<sensor name='touch' type='contact'><contact><collision>pad</collision></contact></sensor>"
    "<sensor name='eye' type='camera'/></link><link name='b'/>"
    "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 "
    "1</xyz></axis>"
    "<pose>0 0 0.5 0 0 0</pose>"
    "<sensor name='wrist' type='force_torque'><force_torque><frame>sensor</frame>"
    "<measure_direction>parent_to_child</measure_direction></force_torque></sensor>"
    "<sensor name='wrist' type='force_torque'/></joint></model></sdf>";

static void sdformat_has_sensors_in_links_and_joints(void** state) {
    fixture* f = *state;
    CHECK_OK(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_SDF, k_sdf, &f->scene));
    assert_int_equal(f->scene.sensor_count, 4);
    const iso_sensor_desc* s = f->scene.sensors;
    assert_string_equal(s[0].name, "m::imu");
    assert_string_equal(s[0].body, "m::a");
    CHECK_VEC3_NEAR(s[0].x_bs.p, iso_vec3_make(1.0, 2.0, 3.0), 1e-15); // measured 0
    assert_int_equal(s[1].kind, ISO_SENSOR_CONTACT);
    assert_string_equal(s[1].geometry, "pad");
    assert_string_equal(s[2].joint, "m::j");
    assert_true(!s[2].is_on_parent && s[3].is_on_parent); // the format's default
    assert_string_equal(s[3].name, "m::wrist_1");
    CHECK_TEXT(f->log.text, "test.sdf:1: <sensor> of type 'camera' in a link is not supported");
}

// What a sensor of a joint cannot have is said; its pose is in the joint, its axes are the child's.
static void sdformat_says_which_axes_a_force_is_not_in(void** state) {
    fixture* f = *state;
    static const char text[] =
        "<sdf version='1.10'><model name='m'><link name='a'/><link name='b'/>"
        "<joint name='j' type='revolute'><parent>a</parent><child>b</child>"
        "<axis><xyz>0 0 1</xyz></axis><pose>0 0 0 0 0 1</pose>\n"
        "<sensor name='s' type='force_torque'><pose relative_to='a'>0 0 0.5 0 0 0</pose>"
        "<force_torque><frame>parent</frame></force_torque></sensor></joint></model></sdf>";
    CHECK_OK(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_SDF, text, &f->scene));
    assert_int_equal(f->scene.sensor_count, 1);
    iso_pose turned = pose_xyz_rpy(0.0, 0.0, 0.5, 0.0, 0.0, -1.0);
    CHECK_POSE_NEAR(f->scene.sensors[0].x_bs, turned, 1e-15); // measured 0
    CHECK_TEXT(f->log.text, "test.sdf:2: <sensor>: relative_to 'a' is ignored, the pose is taken");
    CHECK_TEXT(f->log.text, "test.sdf:2: <force_torque>: axes of the parent are not supported");
}

static const char k_urdf[] =
    "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' "
    "iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
    "<gazebo reference='b'><sensor name='imu' type='imu'/></gazebo>"
    "<gazebo reference='j'><sensor name='ft' type='force_torque'/></gazebo>"
    "<gazebo reference='b'><material>Gazebo/Blue</material><maxVel>1</maxVel></gazebo></robot>";

static void urdf_has_sensors_in_gazebo_elements(void** state) {
    fixture* f = *state;
    CHECK_OK(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_URDF, k_urdf, &f->scene));
    assert_int_equal(f->scene.sensor_count, 2);
    assert_string_equal(f->scene.sensors[0].body, "r::b");
    assert_string_equal(f->scene.sensors[1].joint, "r::j");
    CHECK_TEXT(f->log.text, "<maxVel> is not supported");
    assert_null(strstr(f->log.text, "<material>"));
}

#define BALL(name) "<collision " name "><geometry><sphere radius='1'/></geometry></collision>"
#define TOUCHES(link, collision)                            \
    "<gazebo reference='" link "'><sensor name='" collision \
    "' type='contact'><contact><collision>" collision "</collision></contact></sensor></gazebo>"

static void urdf_may_name_collisions_as_gazebo_does(void** state) {
    fixture* f = *state;
    static const char* const found[] = {"collision", "collision_1", "pad", "pad", "pad"};
    CHECK_OK(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_URDF,
                               "<robot name='r'><link name='world'/><link name='a'>" BALL("")
                                   BALL("") "</link><link name='b'>" BALL("name='pad'") "</link>" //
                               TOUCHES("a", "a_collision") TOUCHES("a", "a_collision_1")          //
                               TOUCHES("b", "b_collision") TOUCHES("b", "pad")                    //
                               TOUCHES("b", "a_fixed_joint_lump__b_collision_2") "</robot>",
                               &f->scene));
    assert_int_equal(f->scene.sensor_count, 5);
    for (int i = 0; i < 5; ++i) {
        assert_string_equal(f->scene.sensors[i].geometry, found[i]);
    }
    iso_scene_destroy(f->ctx, &f->scene);
    // Of a link that is fixed to the sensor's own: of the one or the other.
    CHECK_OK(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_URDF,
                               "<robot name='r'><link name='a'/><link name='b'>" BALL(
                                   "") "</link><joint name='j' type='fixed'><parent link='a'/>"
                                       "<child link='b'/></joint>" TOUCHES(
                                           "a", "a_fixed_joint_lump__b_collision_1") "</robot>",
                               &f->scene));
    assert_string_equal(f->scene.sensors[0].body, "r::b");
    assert_string_equal(f->scene.sensors[0].geometry, "collision");
    iso_scene_destroy(f->ctx, &f->scene);
    // Which of several it is only Gazebo knows.
    CHECK_OK(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_URDF,
                               "<robot name='r'><link name='a'>" BALL("") BALL("") "</link>" //
                               TOUCHES("a", "b_fixed_joint_lump__a_collision_1") "</robot>",
                               &f->scene));
    assert_int_equal(f->scene.sensor_count, 0);
    CHECK_TEXT(f->log.text, "is left out: its link has no collision 'b_fixed_joint_lump__a_");
}

static const char k_mjcf[] =
    "<mujoco model='m'><worldbody><body name='b'><joint name='j'/><geom size='0.1'/>"
    "<site name='s' pos='1 2 3'/></body></worldbody><sensor>"
    "<accelerometer site='s' noise='0.1'/><touch name='t' site='s'/><jointpos joint='j'/>"
    "<framepos name='p' objtype='xbody' objname='b'/><framequat objtype='body' objname='b'/>"
    "<magnetometer site='s'/><actuatorfrc actuator='none'/>"
    "<rangefinder name='r' site='s' cutoff='3'/><rangefinder camera='c'/>"
    "<framelinacc objtype='xbody' objname='b' reftype='site' refname='s'/>"
    "<gyro site='s' objname='b'/></sensor></mujoco>";

static void mjcf_has_sensors_at_sites_and_joints(void** state) {
    fixture* f = *state;
    CHECK_OK(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_XML, k_mjcf, &f->scene));
    assert_int_equal(f->scene.sensor_count, 7);
    const iso_sensor_desc* s = f->scene.sensors;
    assert_string_equal(s[0].name, "m::accelerometer");
    CHECK_VEC3_NEAR(s[0].x_bs.p, iso_vec3_make(1.0, 2.0, 3.0), 0.0);
    assert_int_equal(s[1].kind, ISO_SENSOR_CONTACT);
    assert_int_equal(s[1].zone, ISO_ZONE_SPHERE); // what a site is when it does not say
    CHECK_BITS(s[1].zone_size.x, 0.005);
    assert_string_equal(s[2].joint, "m::j");
    assert_string_equal(s[3].body, "m::b");
    assert_int_equal(s[4].kind, ISO_SENSOR_RANGE);
    CHECK_VEC3_NEAR(s[4].x_bs.p, iso_vec3_make(1.0, 2.0, 3.0), 0.0);
    // Accelerations are those in the world, in MuJoCo too.
    assert_int_equal(s[5].kind, ISO_SENSOR_ACCELERATION);
    assert_null(s[5].other_body);
    CHECK_TEXT(f->log.text, "attribute 'reftype' of <framelinacc>");
    CHECK_TEXT(f->log.text, "attribute 'refname' of <framelinacc>");
    CHECK_TEXT(f->log.text, "attribute 'objname' of <gyro>");
    CHECK_TEXT(f->log.text, "noise");
    CHECK_TEXT(f->log.text, "cutoff");
    CHECK_TEXT(f->log.text, "<rangefinder> of a camera is left out, expected a site");
    CHECK_TEXT(f->log.text, "frames of 'body' are not supported");
    CHECK_TEXT(f->log.text, "<magnetometer>");
    CHECK_TEXT(f->log.text, "<actuatorfrc>: there is no actuator 'none' here");
}

typedef struct source_text {
    iso_scene_format_kind format;
    const char* text;
} source_text;

static iso_status attempt(iso_context* ctx, void* user) {
    const source_text* source = user;
    iso_scene scene = {0};
    iso_status status = load_text(ctx, source->format, source->text, &scene);
    assert_true(status == ISO_OK || (scene.sensors == NULL && scene.model == NULL));
    iso_scene_destroy(ctx, &scene);
    return status;
}

static void every_allocation_failure_is_reported_and_leaks_nothing(void** state) {
    (void)state;
    source_text sources[] = {{ISO_SCENE_FORMAT_SCENARIO, k_scenario},
                             {ISO_SCENE_FORMAT_SDF, k_sdf},
                             {ISO_SCENE_FORMAT_URDF, k_urdf},
                             {ISO_SCENE_FORMAT_XML, k_mjcf}};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i) {
        assert_true(check_every_allocation_failure(attempt, &sources[i]) > 10);
    }
}

#define TOUCH(site)                                                                        \
    "<mujoco model='m'><worldbody><body name='b'><joint name='j'/><geom size='0.1'/>" site \
    "</body></worldbody><sensor><touch name='t' site='s'/></sensor></mujoco>"

static void touch_sensors_feel_the_volume_of_their_site(void** state) {
    fixture* f = *state;
    static const struct {
        const char* text;
        iso_sensor_zone zone;
        iso_vec3 size, p;
    } cases[] = {
        {TOUCH("<site name='s' pos='1 2 3' type='box' size='0.1 0.2 0.3'/>"),
         ISO_ZONE_BOX,
         {0.1, 0.2, 0.3},
         {1.0, 2.0, 3.0}},
        {TOUCH("<site name='s' type='ellipsoid' size='0.1 0.2 0.3'/>"),
         ISO_ZONE_ELLIPSOID,
         {0.1, 0.2, 0.3},
         {0.0, 0.0, 0.0}},
        {TOUCH("<site name='s' type='capsule' size='0.1 0.2'/>"),
         ISO_ZONE_CAPSULE,
         {0.1, 0.2, 0.0},
         {0.0, 0.0, 0.0}},
        {TOUCH("<site name='s' type='cylinder' size='0.1' fromto='0 0 1 0 0 3'/>"),
         ISO_ZONE_CYLINDER,
         {0.1, 1.0, 0.0},
         {0.0, 0.0, 2.0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        CHECK_OK(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_XML, cases[i].text, &f->scene));
        const iso_sensor_desc* s = &f->scene.sensors[0];
        assert_int_equal(s->zone, cases[i].zone);
        CHECK_VEC3_NEAR(s->zone_size, cases[i].size, 1e-15); // measured 0
        CHECK_VEC3_NEAR(s->x_bs.p, cases[i].p, 1e-15);       // measured 0
        iso_scene_destroy(f->ctx, &f->scene);
    }
    iso_status status = load_text(f->ctx, ISO_SCENE_FORMAT_XML,
                                  TOUCH("<site name='s' type='mesh' mesh='m'/>"), &f->scene);
    assert_int_equal(status, ISO_ERR_UNSUPPORTED);
    CHECK_ERROR(f->ctx, "test.xml:1: <site>: type is 'mesh', expected sphere, capsule, ellipsoid, "
                        "cylinder or box");
}

static void contact_sensors_of_scenarios_have_zones(void** state) {
    fixture* f = *state;
    CHECK_OK(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_SCENARIO,
                               SCENE "  - {name: a, type: contact, body: arm, zone: {shape: box, "
                                     "size: [0.2, 0.4, 0.6]}}\n",
                               &f->scene));
    assert_int_equal(f->scene.sensors[0].zone, ISO_ZONE_BOX);
    CHECK_VEC3_NEAR(f->scene.sensors[0].zone_size, iso_vec3_make(0.1, 0.2, 0.3), 1e-16); // 0
    static const struct {
        const char* text;
        const char* message;
    } cases[] = {
        {SCENE "  - {name: a, type: imu, body: arm, zone: {shape: sphere, radius: 1}}\n",
         "unknown key 'zone'"},
        {SCENE "  - {name: a, type: contact, body: arm, zone: {shape: half_space}}\n",
         "test.yaml:7: the zone of a sensor is a half_space, expected sphere, capsule"},
        {SCENE "  - {name: a, type: contact, body: arm, zone: {shape: sphere}}\n",
         "a sphere needs the key 'radius'"},
        {SCENE "  - {name: a, type: contact, body: arm, zone: {radius: 1}}\n",
         "zone needs the key 'shape'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        iso_scene_destroy(f->ctx, &f->scene);
        iso_status status = load_text(f->ctx, ISO_SCENE_FORMAT_SCENARIO, cases[i].text, &f->scene);
        assert_true(status != ISO_OK);
        CHECK_ERROR(f->ctx, cases[i].message);
    }
}

// Weights that hang on a limit: of a sum of two joints, of one joint, of a rope of two points.
static void sensors_of_mjcf_read_what_limits_of_tendons_hold(void** state) {
    fixture* f = *state;
    static const char text[] =
        "<mujoco><option timestep='0.001' gravity='0 0 -10'/><worldbody><site name='top' pos='2 0 "
        "3'/><body><joint name='a' type='slide' axis='0 0 -1'/><geom size='0.1' mass='1'/></body>"
        "<body pos='1 0 0'><joint name='b' type='slide' axis='0 0 -1'/><geom size='0.1' mass='2'/>"
        "</body><body pos='2 0 1'><joint type='slide' axis='0 0 -1'/><geom size='0.1' mass='3'/>"
        "<site name='end'/></body><body pos='3 0 0'><joint name='c' type='slide' axis='0 0 -1'/>"
        "<geom size='0.1' mass='1'/></body></worldbody><tendon>"
        "<fixed name='sum' range='-1 0.001'><joint joint='a' coef='1'/><joint joint='b' coef='2'/>"
        "</fixed><fixed name='one' range='-1 0.001'><joint joint='c' coef='2'/></fixed>"
        "<spatial name='rope' range='0 2'><site site='top'/><site site='end'/></spatial></tendon>"
        "<sensor><tendonlimitfrc name='sum' tendon='sum'/><tendonlimitfrc name='one' tendon='one'/>"
        "<tendonlimitfrc name='rope' tendon='rope'/></sensor></mujoco>";
    static const double wanted[] = {-10.0, -5.0, -30.0};
    iso_world* world = NULL;
    iso_sensors* sensors = NULL;
    CHECK_OK(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_MJCF, text, &f->scene));
    assert_int_equal(f->scene.sensor_count, 3);
    CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
    CHECK_OK(f->ctx, iso_sensors_create(world, f->scene.sensors, 3, &sensors));
    for (int s = 0; s < 500; ++s) {
        CHECK_OK(f->ctx, iso_world_step(world));
    }
    CHECK_OK(f->ctx, iso_sensors_update(sensors, world));
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(iso_sensors_values(sensors, i)[4], wanted[i], 1e-6);
    }
    iso_sensors_destroy(sensors);
    iso_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(scenarios_describe_every_kind),
        TEST(wrong_sensors_are_refused_at_their_line),
        TEST(sdformat_has_sensors_in_links_and_joints),
        TEST(sdformat_says_which_axes_a_force_is_not_in),
        TEST(urdf_has_sensors_in_gazebo_elements),
        TEST(urdf_may_name_collisions_as_gazebo_does),
        TEST(mjcf_has_sensors_at_sites_and_joints),
        TEST(touch_sensors_feel_the_volume_of_their_site),
        TEST(contact_sensors_of_scenarios_have_zones),
        TEST(sensors_of_mjcf_read_what_limits_of_tendons_hold),
        cmocka_unit_test(every_allocation_failure_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
