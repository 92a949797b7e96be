// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// MJCF around what a test is about.

#define WORLD(text) "<mujoco model='m'>\n<worldbody>" text "</worldbody></mujoco>"
#define HFIELD(text) "<mujoco><asset><hfield name='h' " text "/></asset></mujoco>"
#define BALL "<geom size='0.1'/>"

// Two hinges one after the other and a free body.
#define ARM                                                                                    \
    "<worldbody><body name='a'><joint name='j'/>" BALL                                         \
    "<site name='s' pos='1 0 0'/><body name='b' pos='1 0 0'><joint name='k' ref='0.5'/>" BALL  \
    "<site name='t' pos='0.5 0 0'/></body></body><body name='c' pos='3 0 0'><freejoint/>" BALL \
    "</body></worldbody>"
