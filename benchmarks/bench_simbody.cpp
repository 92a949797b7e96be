// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What Simbody's compliant contact takes: bodies side by side on a half space, Hertz's spheres and
// elastic foundations of spheres and boxes, steps of a millisecond with one evaluation each. One
// JSON line: bench_simbody KIND COUNT RESOLUTION prints microseconds of processor time per step.

#include "Simbody.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

using namespace SimTK;

namespace {

const double step = 1e-3, radius = 0.05, mass = 0.5;

double cpuSeconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

ContactSurface surfaceOf(const std::string& kind, int resolution) {
    const ContactMaterial material(1e6, 5.0, 0.5, 0.5, 0.0);
    if (kind == "hertz") {
        return ContactSurface(ContactGeometry::Sphere(radius), material);
    }
    const PolygonalMesh mesh = kind == "spheres"
                                   ? PolygonalMesh::createSphereMesh(radius, resolution)
                                   : PolygonalMesh::createBrickMesh(Vec3(radius), resolution);
    return ContactSurface(ContactGeometry::TriangleMesh(mesh), material, radius);
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: bench_simbody hertz|spheres|boxes COUNT RESOLUTION\n");
        return 2;
    }
    const std::string kind = argv[1];
    const int count = std::atoi(argv[2]), resolution = std::atoi(argv[3]);
    MultibodySystem system;
    SimbodyMatterSubsystem matter(system);
    GeneralForceSubsystem forces(system);
    Force::UniformGravity gravity(forces, matter, Vec3(0, 0, -9.81));
    ContactTrackerSubsystem tracker(system);
    CompliantContactSubsystem contact(system, tracker);
    contact.setTransitionVelocity(1e-3);
    // Its half space lies at x > 0: turned to lie at z < 0.
    matter.Ground().updBody().addContactSurface(
        Transform(Rotation(Pi / 2, YAxis), Vec3(0)),
        ContactSurface(ContactGeometry::HalfSpace(), ContactMaterial(1e9, 0.0, 0.5, 0.5, 0.0)));
    const double moment = kind == "boxes" ? 2.0 / 3.0 : 0.4;
    Body::Rigid body(MassProperties(mass, Vec3(0), Inertia(moment * mass * radius * radius)));
    body.addContactSurface(Transform(), surfaceOf(kind, resolution));
    for (int i = 0; i < count; ++i) {
        const Vec3 place(0.15 * (i % 8), 0.15 * (i / 8), radius - 1e-4);
        MobilizedBody::Free(matter.Ground(), Transform(place), body, Transform());
    }
    system.realizeTopology();
    SemiExplicitEulerIntegrator integrator(system, step);
    TimeStepper stepper(system, integrator);
    stepper.initialize(system.getDefaultState());
    stepper.stepTo(0.2);
    const double begin = cpuSeconds();
    stepper.stepTo(0.7);
    const double us = 1e6 * (cpuSeconds() - begin) / 500.0;
    system.realize(stepper.getState(), Stage::Dynamics);
    const double height = matter.getMobilizedBody(MobilizedBodyIndex(1))
                              .getBodyOriginLocation(stepper.getState())[2];
    std::printf("{\"kind\": \"%s\", \"count\": %d, \"resolution\": %d, \"us\": %.6g, "
                "\"contacts\": %d, \"depth\": %.6g}\n",
                kind.c_str(), count, resolution, us,
                contact.getNumContactForces(stepper.getState()), radius - height);
    return 0;
}
