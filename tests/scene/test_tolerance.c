// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Files that are not as their format has them, but that other programs read: read with a warning.

#include "scene/fixture.h"

typedef struct tolerated {
    iso_scene_format_kind format;
    const char* text;
    const char* warning; ///< "": none
} tolerated;

#define SDF_LINK "<model name='m'><link name='l'/></model>"
#define MJCF_BALL "<worldbody><body><freejoint/><geom size='.1'/></body></worldbody>"

static void xml_that_other_parsers_take_is_read_with_a_warning(void** state) {
    static const tolerated cases[] = {
        {ISO_SCENE_FORMAT_SDF,
         "<sdf version='1.6'>\n<!-- gz sim -- verbose -->\n" SDF_LINK "</sdf>",
         "test.sdf:2: '--' within a comment"},
        {ISO_SCENE_FORMAT_SDF, "<sdf version='1.6'>\n<!--\n---\n--->" SDF_LINK "</sdf>",
         "test.sdf:3: '--' within a comment"},
        {ISO_SCENE_FORMAT_SDF,
         "\n<!-- a -->\n<?xml version='1.0'?>\n<sdf version='1.6'>" SDF_LINK "</sdf>",
         "test.sdf:3: the XML declaration is read as if it stood at the beginning of the file"},
        {ISO_SCENE_FORMAT_SDF, "?xml version='1.0'?>\n<sdf version='1.6'>" SDF_LINK "</sdf>",
         "test.sdf:1: text before the outermost element is ignored"},
        {ISO_SCENE_FORMAT_SDF,
         "<sdf version='1.6'>\n<model name='m'><link name='l'><visual "
         "name='v'><geometry><mesh><uri>a&b.obj</uri></mesh></geometry>"
         "</visual></link></model></sdf>",
         "test.sdf:2: '&' or '<' is read as it stands"},
        {ISO_SCENE_FORMAT_SDF, "<sdf version='1.6'>" SDF_LINK "</sdf>\n<!-- end -->\n<more/> a < b",
         "test.sdf:3: what follows the end of the outermost element is ignored"},
        {ISO_SCENE_FORMAT_MJCF, "<mujoco>" MJCF_BALL "</mujoco>\n</mujoco>\n",
         "test.xml:2: what follows the end of the outermost element is ignored"},
        {ISO_SCENE_FORMAT_MJCF,
         "<mujoco><worldbody><body><freejoint/>\n<geom name='g'size='.1'/></body></worldbody>"
         "</mujoco>",
         "test.xml:2: a blank is missing between two attributes"},
        {ISO_SCENE_FORMAT_URDF,
         "\n<?xml version=\"1.0\"\n encoding=\"ISO-8859-1\"?>\n"
         "<robot name='\xe9'><link name='l'/></robot>",
         "test.urdf:2: the XML declaration is read"},
        // what is well-formed is no warning
        {ISO_SCENE_FORMAT_SDF,
         "<?xml version='1.0'?>\n<!-- - -->\n<sdf version='1.6'>" SDF_LINK
         "</sdf>\n<!-- end -->\n<?a b?>\n",
         ""},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        f->log = (kept_log){.length = 0};
        load_as(f, cases[i].format, cases[i].text);
        CHECK_TEXT(f->log.text, cases[i].warning);
        CHECK(*cases[i].warning || f->log.warning_count == 0, "case %d: %s", (int)i, f->log.text);
    }
}

// Mending moves no line and hides no other fault.
static void what_else_is_wrong_is_said_with_its_line(void** state) {
    static const struct {
        iso_status status;
        const char *text, *message;
    } cases[] = {
        {ISO_ERR_PARSE, "\n<?xml version='1.0'\n?>\n<!-- -- -->\n<sdf version='1.6'>\n<model>\n",
         "test.sdf:7: not well-formed XML"},
        {ISO_ERR_PARSE,
         "<!--\n--\n-->\n<sdf version='1.6'\n><model name='m'\n></link></sdf>\n</sdf>",
         "test.sdf:6: not well-formed XML: Opening and ending tag mismatch"},
        {ISO_ERR_PARSE, "<sdf version='1.6'><!-- --\n</sdf>", "test.sdf:"},
        {ISO_ERR_PARSE, "</sdf>\n<sdf/>", "test.sdf:1: not well-formed XML"},
        {ISO_ERR_UNSUPPORTED,
         "\n<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]>\n<sdf version='1.6'/>",
         "test.sdf:1: document type definitions and entities are not read"},
        {ISO_ERR_PARSE, "text\n\n<sdf version='1.6'><model name='m'>\n<link/></model></sdf>",
         "test.sdf:4: <link> needs the attribute 'name'"},
        {ISO_ERR_PARSE, "<sdf version='1.6\n", "test.sdf:"},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_int_equal(load_text(f->ctx, ISO_SCENE_FORMAT_SDF, cases[i].text, &f->scene),
                         cases[i].status);
        CHECK_ERROR(f->ctx, cases[i].message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(xml_that_other_parsers_take_is_read_with_a_warning),
        TEST(what_else_is_wrong_is_said_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
