// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// SDFormat: frames, joints, geometry and tags against values worked out by hand.

#include "scene/fixture.h"

#include "support/assets.h"

#include <math.h>

#define BODY "<inertial><mass>2</mass></inertial>"

static void load(fixture* f, const char* text) {
    load_as(f, ISO_SCENE_FORMAT_SDF, text);
}

static void link_poses_are_in_the_model_and_the_model_in_the_world(void** state) {
    fixture* f = *state;
    load(f, "<sdf version='1.7'><model name='m'><pose>1 2 3 0 0 1.5707963267948966</pose>"
            "<link name='a'><pose>1 0 0 0 0 0</pose></link>"
            "<link name='b'><pose relative_to='a'>0 1 0 0.5 0 0</pose></link>"
            "</model></sdf>");
    assert_string_equal(f->scene.name, "m");
    // Measured 0 and 1.1e-16: rounding of the rotations.
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "m::a"), pose_xyz_rpy(1, 3, 3, 0, 0, ISO_PI / 2),
                    1e-15);
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "m::b"), pose_xyz_rpy(0, 3, 3, 0.5, 0, ISO_PI / 2),
                    1e-15);
}

static void frames_may_hang_on_frames_written_later(void** state) {
    fixture* f = *state;
    load(f, "<sdf version='1.7'><model name='m'>"
            "<link name='b'><pose relative_to='f2'>1 0 0 0 0 0</pose></link>"
            "<frame name='f2' attached_to='f1'><pose>0 0 1 0 0 1.5707963267948966</pose></frame>"
            "<frame name='f1' attached_to='a'><pose>0 5 0 0 0 0</pose></frame>"
            "<link name='a'><pose>10 0 0 0 0 0</pose></link>"
            "</model></sdf>");
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "m::b"), pose_xyz_rpy(10, 6, 1, 0, 0, ISO_PI / 2),
                    1e-15); // measured 0
}

static void degrees_and_quaternions_give_the_same_rotation_as_radians(void** state) {
    fixture* f = *state;
    load(f, "<sdf version='1.9'><model name='m'>"
            "<link name='a'><pose>0 0 0 0.1 0.2 0.3</pose></link>"
            "<link name='b'><pose degrees='true'>0 0 0 5.729577951308232 11.459155902616464 "
            "17.188733853924695</pose></link>"
            "<link name='c'><pose rotation_format='quat_xyzw'>1 2 3  0.7071067811865476 0 0 "
            "0.7071067811865476</pose></link>"
            "<link name='d'><pose/></link></model></sdf>");
    iso_pose a = start_pose_of(&f->scene, "m::a");
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "m::b"), a, 1e-15); // measured 0
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "m::c"), pose_xyz_rpy(1, 2, 3, ISO_PI / 2, 0, 0),
                    1e-15); // measured 2.8e-16
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "m::d"), iso_pose_identity(), 0.0);
}

static void a_placement_frame_is_put_where_the_model_pose_says(void** state) {
    fixture* f = *state;
    load(f, "<sdf version='1.8'><model name='outer'><pose>0 0 10 0 0 0</pose>"
            "<model name='inner' placement_frame='tip'><pose>1 2 3 0 0 0</pose>"
            "<link name='l'><pose>0 0 1 0 0 0</pose></link>"
            "<frame name='tip' attached_to='l'><pose>0 0 4 0 0 0</pose></frame></model>"
            "<link name='base'><pose relative_to='inner::l'>0 0 0.5 0 0 0</pose></link>"
            "</model></sdf>");
    // tip is 5 above the inner model, so the inner model is at (1, 2, 3 - 5) in outer.
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "outer::inner::l"), pose_xyz_rpy(1, 2, 9, 0, 0, 0),
                    0.0);
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "outer::base"), pose_xyz_rpy(1, 2, 9.5, 0, 0, 0), 0.0);
}

static void a_joint_at_zero_leaves_the_links_where_the_file_puts_them(void** state) {
    fixture* f = *state;
    load(f, "<sdf version='1.7'><model name='m'><pose>0 0 1 0 0.7 0</pose>"
            "<link name='a'><pose>0 0 0 0.3 0 0</pose></link>"
            "<link name='b'><pose>1 0 0 0 0 0.4</pose></link>"
            "<joint name='j' type='revolute'><pose>0 0.1 0 0 0.2 0</pose><parent>a</parent>"
            "<child>b</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>");
    iso_pose x_wm = pose_xyz_rpy(0, 0, 1, 0, 0.7, 0), x_mb = pose_xyz_rpy(1, 0, 0, 0, 0, 0.4);
    iso_pose x_wb = iso_pose_mul(&x_wm, &x_mb);
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "m::b"), x_wb, 1e-15); // measured 1.1e-16
    const iso_joint_desc* j = joint_named(&f->scene, "m::j");
    CHECK_POSE_NEAR(j->x_cm, pose_xyz_rpy(0, 0.1, 0, 0, 0.2, 0), 1e-15); // measured 1.1e-16
    assert_true(isinf(j->lower) && isinf(j->upper) && isinf(j->effort_limit));
}

// The same file text under three versions: the axis is in the joint frame from 1.5 on, in the
// model up to 1.4, and wherever expressed_in says.
static void the_frame_of_an_axis_depends_on_the_version(void** state) {
    static const char* const format =
        "<sdf version='%s'><model name='m'><link name='a'/><link name='b'><pose>0 0 0 "
        "1.5707963267948966 0 0</pose></link><joint name='j' type='prismatic'><parent>a</parent>"
        "<child>b</child><axis><xyz %s>0 0 1</xyz>%s</axis></joint></model></sdf>";
    static const struct {
        const char *version, *attribute, *extra;
        iso_vec3 axis;
    } cases[] = {
        {"1.7", "", "", {0, 0, 1}},
        {"1.4", "", "", {0, 1, 0}}, // z of the model is y of a frame turned by 90 degrees about x
        {"1.5", "", "<use_parent_model_frame>true</use_parent_model_frame>", {0, 1, 0}},
        {"1.7", "expressed_in='__model__'", "", {0, 1, 0}},
        {"1.7", "expressed_in='b'", "", {0, 0, 1}},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1024];
        snprintf(text, sizeof text, format, cases[i].version, cases[i].attribute, cases[i].extra);
        load(f, text);
        CHECK_VEC3_NEAR(joint_named(&f->scene, "m::j")->axis, cases[i].axis,
                        1e-15); // measured 6.1e-17
    }
}

static void joints_may_join_nested_links_frames_and_the_world(void** state) {
    fixture* f = *state;
    load(f, "<sdf version='1.8'><model name='m'>"
            "<model name='n'><link name='l'><pose>0 0 1 0 0 0</pose></link></model>"
            "<link name='a'><pose>2 0 0 0 0 0</pose></link>"
            "<frame name='f' attached_to='a'><pose>0 3 0 0 0 0</pose></frame>"
            "<joint name='w' type='fixed'><parent>world</parent><child>n::l</child></joint>"
            "<joint name='j' type='continuous'><parent>n::l</parent><child>f</child>"
            "<axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint>"
            "</model></sdf>");
    const iso_joint_desc* w = joint_named(&f->scene, "m::w");
    const iso_joint_desc* j = joint_named(&f->scene, "m::j");
    assert_int_equal(w->parent, ISO_WORLD_BODY);
    assert_int_equal(w->child, body_index(&f->scene, "m::n::l"));
    assert_int_equal(w->kind, ISO_JOINT_WELD);
    assert_int_equal(j->child, body_index(&f->scene, "m::a"));
    assert_true(isinf(j->lower) && isinf(j->upper)); // continuous: no limits
    CHECK_POSE_NEAR(j->x_cm, pose_xyz_rpy(0, 3, 0, 0, 0, 0), 0.0);
    CHECK_POSE_NEAR(j->x_pf, pose_xyz_rpy(2, 3, -1, 0, 0, 0), 0.0);
}

static void all_and_only_joints_with_effort_have_an_actuator(void** state) {
    static const struct {
        const char* limit;
        int actuator_count;
        double effort;
    } cases[] = {
        {"", 1, INFINITY},
        {"<limit><effort>80</effort></limit>", 1, 80.0},
        {"<limit><effort>0</effort></limit>", 0, 0.0},
        {"<limit><effort>-1</effort></limit>", 1, INFINITY},
        {"<limit><effort>inf</effort><lower>-1e16</lower><upper>1e17</upper></limit>", 1, INFINITY},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<sdf version='1.7'><model name='m'><link name='a'/><link name='b'/>"
                 "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis>"
                 "<xyz>0 0 2</xyz>%s<dynamics><damping>3</damping></dynamics></axis></joint>"
                 "</model></sdf>",
                 cases[i].limit);
        load(f, text);
        const iso_joint_desc* j = joint_named(&f->scene, "m::j");
        assert_int_equal(iso_model_actuator_count(f->scene.model), cases[i].actuator_count);
        assert_true(isinf(j->lower) && isinf(j->upper));
        CHECK_BITS(j->damping, 3.0);
        CHECK_BITS(j->effort_limit, cases[i].effort);
        CHECK_VEC3_NEAR(j->axis, iso_vec3_make(0, 0, 1), 0.0);
        if (cases[i].actuator_count) {
            CHECK_BITS(iso_model_actuator(f->scene.model, 0)->effort_limit, cases[i].effort);
        }
    }
}

static void controller_gains_make_a_pd_actuator(void** state) {
    fixture* f = *state;
    load(f, "<sdf version='1.7'><model name='m'><link name='a'/><link name='b'/>"
            "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis>"
            "<xyz>0 0 1</xyz></axis><drake:controller_gains p='100' d='7'/></joint></model></sdf>");
    const iso_actuator_desc* actuator = iso_model_actuator(f->scene.model, 0);
    CHECK_BITS(actuator->kp, 100.0);
    CHECK_BITS(actuator->kd, 7.0);
}

static void inertia_is_turned_into_the_axes_of_the_link(void** state) {
    fixture* f = *state;
    load(f, "<sdf version='1.7'><model name='m'><link name='a'><inertial>"
            "<pose>1 2 3 0 0 1.5707963267948966</pose><mass>4</mass><inertia><ixx>3</ixx>"
            "<iyy>4</iyy><izz>5</izz><ixy>0.5</ixy></inertia></inertial></link>"
            "<link name='b'/></model></sdf>");
    const iso_body_desc* a = iso_model_body(f->scene.model, body_index(&f->scene, "m::a"));
    const iso_body_desc* b = iso_model_body(f->scene.model, body_index(&f->scene, "m::b"));
    iso_mat3 expected = {{{4, -0.5, 0}, {-0.5, 3, 0}, {0, 0, 5}}};
    CHECK_BITS(a->mass, 4.0);
    CHECK_VEC3_NEAR(a->center_of_mass, iso_vec3_make(1, 2, 3), 0.0);
    CHECK_MAT3_NEAR(a->inertia, expected, 1e-15); // measured 1.1e-16
    CHECK_BITS(b->mass, 1.0);                     // the default of the format
    CHECK_MAT3_NEAR(b->inertia, iso_mat3_identity(), 0.0);
    CHECK_TEXT(a->source, "test.sdf:1");
}

// Every shape with its sizes; the prefix drake: works declared and undeclared.
static void all_shapes_are_read(void** state) {
    static const char* const format =
        "<sdf version='1.9'%s><model name='m'><link name='l'>"
        "<collision name='sphere'><geometry><sphere><radius>0.1</radius></sphere></geometry>"
        "</collision><collision name='box'><geometry><box><size>1 2 3</size></box></geometry>"
        "</collision><collision name='cylinder'><geometry><cylinder><radius>0.2</radius>"
        "<length>0.5</length></cylinder></geometry></collision>"
        "<collision name='capsule'><geometry><capsule><radius>0.3</radius><length>0.6</length>"
        "</capsule></geometry></collision><collision name='capsule2'><geometry><drake:capsule>"
        "<radius>0.3</radius><length>0.6</length></drake:capsule></geometry></collision>"
        "<collision name='ellipsoid'><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid>"
        "</geometry></collision><collision name='ellipsoid2'><geometry><drake:ellipsoid><a>4</a>"
        "<b>5</b><c>6</c></drake:ellipsoid></geometry></collision>"
        "<collision name='plane'><pose>0 0 1 0 0 0</pose><geometry><plane><normal>2 0 0</normal>"
        "</plane></geometry></collision><collision name='empty'><geometry/></collision>"
        "<visual name='v'><geometry><sphere><radius>1</radius></sphere></geometry><material>"
        "<diffuse>0.25 0.5 0.75</diffuse></material></visual></link></model></sdf>";
    fixture* f = *state;
    for (int declared = 0; declared < 2; ++declared) {
        char text[4096];
        snprintf(text, sizeof text, format, declared ? " xmlns:drake='http://drake.mit.edu'" : "");
        load(f, text);
        assert_int_equal(iso_model_geometry_count(f->scene.model), 8);
        assert_int_equal(f->log.warning_count, 0);
        CHECK_BITS(geometry_of(&f->scene, "m::l", "sphere")->shape.radius, 0.1);
        CHECK_VEC3_NEAR(geometry_of(&f->scene, "m::l", "box")->shape.size, iso_vec3_make(1, 2, 3),
                        0.0);
        CHECK_BITS(geometry_of(&f->scene, "m::l", "cylinder")->shape.length, 0.5);
        CHECK_BITS(geometry_of(&f->scene, "m::l", "capsule2")->shape.length, 0.6);
        assert_int_equal(geometry_of(&f->scene, "m::l", "capsule")->shape.kind, ISO_SHAPE_CAPSULE);
        CHECK_VEC3_NEAR(geometry_of(&f->scene, "m::l", "ellipsoid2")->shape.size,
                        iso_vec3_make(4, 5, 6), 0.0);
        // The half space's own z is the plane's normal.
        iso_pose x_bg = geometry_of(&f->scene, "m::l", "plane")->x_bg;
        CHECK_VEC3_NEAR(iso_mat3_column(&x_bg.r, 2), iso_vec3_make(1, 0, 0),
                        1e-15); // measured 2.2e-16
        CHECK_BITS(x_bg.p.z, 1.0);
        CHECK_BITS(iso_model_visual(f->scene.model, 0, NULL)->rgba[2], 0.75);
    }
}

static void colors_beyond_white_are_clamped(void** state) {
    fixture* f = *state;
    load(f, "<sdf version='1.7'><model name='m'><link name='l'><visual name='v'><geometry><sphere>"
            "<radius>1</radius></sphere></geometry><material>\n<diffuse>255 0.5 -1 1</diffuse>"
            "</material></visual></link></model></sdf>");
    const float* rgba = iso_model_visual(f->scene.model, 0, NULL)->rgba;
    assert_true(rgba[0] == 1.0F && rgba[1] == 0.5F && rgba[2] == 0.0F && rgba[3] == 1.0F);
    CHECK_TEXT(f->log.text, "test.sdf:2: <diffuse> component 0 is 255 and is clamped");
}

static void proximity_tags_become_contact_properties(void** state) {
    static const char* const format =
        "<sdf version='1.7'%s><model name='m'><link name='l'><collision name='c'><geometry><box>"
        "<size>1 1 1</size></box></geometry><drake:proximity_properties>"
        "<drake:compliant_hydroelastic/><drake:hydroelastic_modulus> 2e6 "
        "</drake:hydroelastic_modulus><drake:mesh_resolution_hint>0.01</drake:mesh_resolution_hint>"
        "<drake:hydroelastic_margin>1e-4</drake:hydroelastic_margin>"
        "<drake:hunt_crossley_dissipation>7</drake:hunt_crossley_dissipation>"
        "<drake:relaxation_time>0.2</drake:relaxation_time><drake:mu_static>0.9</drake:mu_static>"
        "<drake:mu_dynamic>0.8</drake:mu_dynamic>"
        "\n<drake:point_contact_stiffness>980</drake:point_contact_stiffness>"
        "</drake:proximity_properties></collision></link></model></sdf>";
    fixture* f = *state;
    for (int declared = 0; declared < 2; ++declared) {
        char text[2048];
        snprintf(text, sizeof text, format, declared ? " xmlns:drake='drake.mit.edu'" : "");
        load(f, text);
        const iso_contact_material* m = &geometry_of(&f->scene, "m::l", "c")->material;
        assert_int_equal(m->compliance, ISO_COMPLIANCE_COMPLIANT);
        CHECK_BITS(m->modulus, 2e6);
        CHECK_BITS(m->resolution_hint, 0.01);
        CHECK_BITS(m->margin, 1e-4);
        CHECK_BITS(m->dissipation, 7.0);
        CHECK_BITS(m->relaxation_time, 0.2);
        CHECK_BITS(m->friction_static, 0.9);
        CHECK_BITS(m->friction_dynamic, 0.8);
        CHECK_TEXT(f->log.text, "test.sdf:2: <drake:point_contact_stiffness> has no meaning here");
    }
}

static void friction_comes_from_the_ode_tags_when_no_other_is_given(void** state) {
    static const struct {
        const char* text;
        double friction_static, friction_dynamic;
    } cases[] = {
        {"", 0.5, 0.5},
        {"<surface><friction><ode><mu>0.7</mu></ode></friction></surface>", 0.7, 0.7},
        {"<surface><friction><ode><mu>0.7</mu><mu2>0.4</mu2></ode></friction></surface>", 0.7, 0.7},
        {"<surface><friction><ode><mu2>0.4</mu2></ode></friction></surface>", 0.4, 0.4},
        {"<surface><friction><ode><mu>0.7</mu><mu2>0.9</mu2></ode></friction></surface>", 0.7, 0.7},
        {"<drake:proximity_properties><drake:mu_dynamic>0.2</drake:mu_dynamic>"
         "</drake:proximity_properties><surface><friction><ode><mu>0.7</mu></ode></friction>"
         "</surface>",
         0.2, 0.2},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<sdf version='1.7'><model name='m'><link name='l'><collision name='c'><geometry>"
                 "<box><size>1 1 1</size></box></geometry>%s</collision></link></model></sdf>",
                 cases[i].text);
        load(f, text);
        const iso_contact_material* m = &geometry_of(&f->scene, "m::l", "c")->material;
        assert_int_equal(m->compliance, ISO_COMPLIANCE_DEFAULT);
        CHECK_BITS(m->friction_static, cases[i].friction_static);
        CHECK_BITS(m->friction_dynamic, cases[i].friction_dynamic);
    }
}

static void a_static_model_is_welded_to_the_world(void** state) {
    fixture* f = *state;
    load(f, "<sdf version='1.7'><model name='m'><static>true</static><pose>0 0 2 0 0 0</pose>"
            "<link name='a'><pose>1 0 0 0 0 0</pose></link><link name='b'/>"
            "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis>"
            "<xyz>0 0 1</xyz></axis></joint></model></sdf>");
    assert_int_equal(iso_model_joint_count(f->scene.model), 2);
    assert_int_equal(iso_model_actuator_count(f->scene.model), 0);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(iso_model_joint(f->scene.model, i)->kind, ISO_JOINT_WELD);
        assert_int_equal(iso_model_joint(f->scene.model, i)->parent, ISO_WORLD_BODY);
    }
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "m::a"), pose_xyz_rpy(1, 0, 2, 0, 0, 0), 0.0);
    CHECK_TEXT(f->log.text, "joint 'j' of a static model does not move");
}

static void a_second_axis_of_other_than_universal_joints_is_said(void** state) {
    fixture* f = *state;
    load(f, "<sdf version='1.7'><model name='m'><link name='a'/><link name='b'/>\n"
            "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis>"
            "<xyz>0 0 1</xyz></axis>\n<axis2><xyz>0 1 0</xyz></axis2></joint></model></sdf>");
    CHECK_TEXT(f->log.text,
               "test.sdf:3: joint 'm::j': <axis2> has no meaning for a revolute joint");
}

static void a_world_has_gravity_a_step_and_several_models(void** state) {
    fixture* f = *state;
    load(f, "<sdf version='1.7'><world name='w'><gravity>0 0 -1.62</gravity><physics type='ode'>"
            "<max_step_size>0.004</max_step_size></physics>"
            "<frame name='table'><pose>0 0 3 0 0 0</pose></frame>"
            "<model name='m'><pose relative_to='table'>1 0 0 0 0 0</pose><link name='l'/></model>"
            "<model name='n'><pose relative_to='m'>1 0 0 0 0 0</pose><link name='l'/></model>"
            "<light name='sun'/></world></sdf>");
    assert_string_equal(f->scene.name, "w");
    CHECK_BITS(f->scene.world.gravity.z, -1.62);
    CHECK_BITS(f->scene.world.time_step, 0.004);
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "n::l"), pose_xyz_rpy(2, 0, 3, 0, 0, 0), 0.0);
    assert_int_equal(f->log.warning_count, 0);
}

static void a_link_without_gravity_carries_no_weight(void** state) {
    fixture* f = *state;
    load(f, "<sdf version='1.7'><model name='m'><link name='a'><gravity>false</gravity></link>"
            "<link name='b'><gravity>true</gravity></link><link name='c'/></model></sdf>");
    static const double expected[] = {1.0, 0.0, 0.0};
    for (int i = 0; i < 3; ++i) {
        CHECK_BITS(iso_model_body(f->scene.model, i + 1)->gravity_compensation, expected[i]);
    }
    assert_int_equal(f->log.warning_count, 0);
}

static void an_unsupported_element_is_named_once_with_its_line(void** state) {
    fixture* f = *state;
    load(f, "<sdf version='1.7'>\n<model name='m'>\n<link name='a'>\n<light name='s'/>\n</link>\n"
            "<link name='b'>\n<light name='s'/>\n</link><wings/></model></sdf>");
    assert_int_equal(f->log.warning_count, 2);
    CHECK_TEXT(f->log.text, "test.sdf:4: <light> is not supported and is ignored");
    CHECK_TEXT(f->log.text, "test.sdf:8: <wings> is not supported and is ignored");
}

static void collision_filter_groups_exclude_pairs_once(void** state) {
    fixture* f = *state;
    load(f, "<sdf version='1.7'><model name='m'><link name='a'/><link name='b'/><link name='c'/>"
            "<link name='d'/>"
            "<drake:collision_filter_group name='g'><drake:member>a</drake:member>"
            "<drake:member>b</drake:member>"
            "<drake:ignored_collision_filter_group>g</drake:ignored_collision_filter_group>"
            "<drake:ignored_collision_filter_group>h</drake:ignored_collision_filter_group>"
            "</drake:collision_filter_group><drake:collision_filter_group name='h'>"
            "<drake:member>c</drake:member></drake:collision_filter_group></model></sdf>");
    const char* const links[] = {"m::a", "m::b", "m::c", "m::d"};
    for (int i = 0; i < 4; ++i) {
        for (int k = i + 1; k < 4; ++k) {
            assert_int_equal(may_touch(&f->scene, links[i], links[k]), k == 3);
        }
    }
    assert_int_equal(f->scene.model->excluded.count, 2); // a-c, b-c
}

static void write_file(const char* path, const char* text) {
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void an_included_model_may_be_renamed_placed_and_fixed(void** state) {
    fixture* f = *state;
    char part[TEST_PATH_SIZE], whole[TEST_PATH_SIZE];
    write_file(temp_path(part, "part.sdf"),
               "<sdf version='1.4'><model name='part'><pose>9 9 9 0 0 0</pose>"
               "<link name='l'><pose>0 0 1 0 0 0</pose></link></model></sdf>");
    write_file(temp_path(whole, "whole.sdf"),
               "<sdf version='1.8'><world name='w'><include><uri>part.sdf</uri></include>"
               "<include><uri>./part.sdf</uri><name>other</name><pose>1 0 0 0 0 0</pose>"
               "<placement_frame>l</placement_frame><static>true</static></include></world></sdf>");
    CHECK_OK(f->ctx, iso_scene_load(f->ctx, whole, NULL, &f->scene));
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "part::l"), pose_xyz_rpy(9, 9, 10, 0, 0, 0), 0.0);
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "other::l"), pose_xyz_rpy(1, 0, 0, 0, 0, 0), 0.0);
    assert_int_equal(iso_model_joint_count(f->scene.model), 1);
}

static void a_circle_of_includes_is_an_error_that_names_the_chain(void** state) {
    fixture* f = *state;
    char a[TEST_PATH_SIZE], b[TEST_PATH_SIZE];
    write_file(temp_path(a, "a.sdf"), "<sdf version='1.8'><model name='a'><link name='l'/>"
                                      "<include><uri>b.sdf</uri></include></model></sdf>");
    write_file(temp_path(b, "b.sdf"), "<sdf version='1.8'><model name='b'><link name='l'/>"
                                      "<include><uri>x/../a.sdf</uri></include></model></sdf>");
    CHECK_STATUS(f->ctx, iso_scene_load(f->ctx, a, NULL, &f->scene), ISO_ERR_PARSE);
    CHECK_ERROR(f->ctx, "b.sdf:1: file includes itself: ");
    CHECK_ERROR(f->ctx, "a.sdf -> ");
}

static void a_joint_of_drake_joins_two_frames_wherever_the_links_are(void** state) {
    fixture* f = *state;
    load(f, "<sdf version='1.9'><model name='m'><pose>0 0 1 0 0 0</pose><link name='a'>"
            "<pose>5 0 0 0 0 0</pose></link><link name='b'><pose>0 6 0 1 0 0</pose></link>"
            "<frame name='p' attached_to='a'><pose>0 0 1 0 0 0.5</pose></frame>"
            "<frame name='q' attached_to='b'><pose>0 0.25 0 0 0 0</pose></frame>"
            "<joint name='f' type='fixed'><parent>world</parent><child>a</child></joint>"
            "<drake:joint name='j' type='planar'><drake:parent>p</drake:parent>"
            "<drake:child>q</drake:child><drake:damping>3 3 3</drake:damping></drake:joint>"
            "</model></sdf>");
    const iso_joint_desc* j = joint_named(&f->scene, "m::j");
    CHECK_BITS(j->damping, 3.0);
    CHECK_POSE_NEAR(j->x_pf, pose_xyz_rpy(0, 0, 1, 0, 0, 0.5), 1e-15);  // measured 0
    CHECK_POSE_NEAR(j->x_cm, pose_xyz_rpy(0, 0.25, 0, 0, 0, 0), 1e-15); // measured 0
    iso_pose x = pose_xyz_rpy(5, 0, 2, 0, 0, 0.5);
    iso_pose back = pose_xyz_rpy(0, -0.25, 0, 0, 0, 0);
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "m::b"), iso_pose_mul(&x, &back), 1e-15);
}

// SDFormat's name for two revolute joints in series.
static void a_revolute2_joint_is_a_universal_one(void** state) {
    fixture* f = *state;
    static const char* const types[] = {"universal", "revolute2"};
    iso_joint_desc joints[2];
    for (int i = 0; i < 2; ++i) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "<sdf version='1.9'><model name='m'><link name='a'/>"
                       "<joint name='u' type='%s'><parent>world</parent><child>a</child>"
                       "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 0.6 0.8</xyz></axis2></joint>"
                       "</model></sdf>",
                       types[i]);
        load(f, text);
        joints[i] = *joint_named(&f->scene, "m::u");
        assert_int_equal(joints[i].kind, ISO_JOINT_UNIVERSAL);
        iso_scene_destroy(f->ctx, &f->scene);
    }
    CHECK_VEC3_NEAR(joints[0].axis, joints[1].axis, 0.0);
    CHECK_VEC3_NEAR(joints[0].axis_2, joints[1].axis_2, 0.0);
}

static void joints_of_all_kinds_are_read(void** state) {
    fixture* f = *state;
    load(f, "<sdf version='1.9'><model name='m'><link name='a'/><link name='b'/><link name='c'/>"
            "<link name='d'/><link name='e'/>"
            "<joint name='u' type='universal'><parent>world</parent><child>a</child>"
            "<axis><xyz>1 0 0</xyz><dynamics><damping>2</damping></dynamics></axis>"
            "<axis2><xyz>0 1 0</xyz></axis2></joint>"
            "<joint name='s' type='screw'><parent>a</parent><child>b</child>"
            "<screw_thread_pitch>0.5</screw_thread_pitch><axis><xyz>0 0 1</xyz><dynamics>"
            "<friction>1</friction><spring_stiffness>3</spring_stiffness>"
            "<spring_reference>4</spring_reference></dynamics>"
            "<mimic joint='p'><multiplier>2</multiplier><offset>1</offset>"
            "<reference>0.5</reference></mimic></axis>"
            "<drake:rotor_inertia>0.5</drake:rotor_inertia><drake:gear_ratio>7</drake:gear_ratio>"
            "</joint>"
            "<joint name='p' type='prismatic'><parent>b</parent><child>c</child><axis>"
            "<xyz>0 0 1</xyz></axis></joint>"
            "<joint name='l' type='ball'><parent>c</parent><child>d</child></joint>"
            "<drake:joint name='f' type='planar'><drake:parent>d</drake:parent>"
            "<drake:child>e</drake:child><drake:damping>3</drake:damping></drake:joint>"
            "<joint name='h' type='ball'><parent>a</parent><child>e</child></joint>"
            "</model></sdf>");
    CHECK_BITS(joint_named(&f->scene, "m::u")->damping, 2.0);
    CHECK_VEC3_NEAR(joint_named(&f->scene, "m::u")->axis_2, iso_vec3_make(0, 1, 0), 0.0);
    const iso_joint_desc* s = joint_named(&f->scene, "m::s");
    CHECK_NEAR(s->pitch, 0.5 / (2.0 * ISO_PI), 1e-17); // measured 0
    assert_true(s->friction == 1.0 && s->stiffness == 3.0 && s->spring_reference == 4.0);
    assert_true(s->rotor_inertia == 0.5 && s->gear_ratio == 7.0);
    const iso_coupler_desc* mimic = iso_model_coupler(f->scene.model, 0);
    assert_true(mimic->ratio == 2.0 && mimic->offset == 0.0); // 1 - 2 * 0.5
    assert_int_equal(joint_named(&f->scene, "m::l")->kind, ISO_JOINT_BALL);
    assert_int_equal(joint_named(&f->scene, "m::f")->kind, ISO_JOINT_PLANAR);
    CHECK_BITS(joint_named(&f->scene, "m::f")->damping, 3.0);
    assert_int_equal(iso_model_constraint(f->scene.model, 0)->kind, ISO_CONSTRAINT_BALL);
    CHECK_TEXT(f->log.text, "joint 'm::h' closes a loop");
}

// Up to version 1.6 `frame` is what `relative_to` is since.
static void poses_of_old_files_are_relative_to_a_frame(void** state) {
    fixture* f = *state;
    CHECK_OK(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_SDF,
                               "<sdf version='1.5'><model name='m'><link name='a'>"
                               "<pose frame='b'>1 0 0 0 0 0</pose></link><link name='b'>"
                               "<pose frame=''>0 2 0 0 0 0</pose></link></model></sdf>",
                               &f->scene));
    CHECK_VEC3_NEAR(start_pose_of(&f->scene, "m::a").p, iso_vec3_make(1, 2, 0), 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(link_poses_are_in_the_model_and_the_model_in_the_world),
        TEST(frames_may_hang_on_frames_written_later),
        TEST(poses_of_old_files_are_relative_to_a_frame),
        TEST(degrees_and_quaternions_give_the_same_rotation_as_radians),
        TEST(a_placement_frame_is_put_where_the_model_pose_says),
        TEST(a_joint_at_zero_leaves_the_links_where_the_file_puts_them),
        TEST(the_frame_of_an_axis_depends_on_the_version),
        TEST(joints_may_join_nested_links_frames_and_the_world),
        TEST(all_and_only_joints_with_effort_have_an_actuator),
        TEST(controller_gains_make_a_pd_actuator),
        TEST(inertia_is_turned_into_the_axes_of_the_link),
        TEST(all_shapes_are_read),
        TEST(colors_beyond_white_are_clamped),
        TEST(proximity_tags_become_contact_properties),
        TEST(friction_comes_from_the_ode_tags_when_no_other_is_given),
        TEST(a_static_model_is_welded_to_the_world),
        TEST(a_world_has_gravity_a_step_and_several_models),
        TEST(a_second_axis_of_other_than_universal_joints_is_said),
        TEST(a_link_without_gravity_carries_no_weight),
        TEST(an_unsupported_element_is_named_once_with_its_line),
        TEST(collision_filter_groups_exclude_pairs_once),
        TEST(an_included_model_may_be_renamed_placed_and_fixed),
        TEST(a_circle_of_includes_is_an_error_that_names_the_chain),
        TEST(a_joint_of_drake_joins_two_frames_wherever_the_links_are),
        TEST(a_revolute2_joint_is_a_universal_one),
        TEST(joints_of_all_kinds_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
