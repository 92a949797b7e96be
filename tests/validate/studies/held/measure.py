# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What held and resting bodies are asked: do speeds decay, does friction give energy, do they creep."""

import math

import numpy as np

import isobar

from studies.law_limits.measure import Finding, Rejected

from . import build, draw

_SPEED = 1e-6  # m/s for a body of 5 cm; others by the root of their size
_DECAY = 0.5  # of the speed may be left after twice the time: drives that are overdamped take long
_CREEP = 1e-9  # m/s for 5 cm
# Of the size a period. A patch whose centre wanders to and fro loses a part of its stretch each time
# (docs/theory/sticking.md, what is remembered), which pads of a gripper may have.
_RATCHET, _RATCHET_GRIP = 1e-7, 5e-5
_RETURNED = 0.01  # of what loads put in that friction may give back
_FALL = 0.02  # while a load comes: of first order in the time step
_LATE_FALL = 1e-5
_PLACE = 0.02  # of the size
_MOST_STEPS = 6000


class Ledger:
    """By how much what friction took fell at most, over any window of time, beyond what was stored in
    stretch when it began."""

    def __init__(self, made):
        self.made, self.highest, self.fall = made, -math.inf, 0.0
        self.put_in, self.last_input = 0.0, None
        self.note()

    def note(self):
        now = self.made.world.energy()
        given = now.actuation - now.potential
        if self.last_input is not None:
            self.put_in += abs(given - self.last_input)
        self.last_input = given
        allowed = _RETURNED * self.put_in
        self.highest = max(self.highest, now.friction - now.stretch + allowed)
        self.fall = max(self.fall, self.highest - now.friction - allowed)

    def tell(self, finding, name, scale, limit):
        finding(f"{name}: fall of what friction took, over the energy held", self.fall / scale, limit)


def _limit(given, base):
    return base * math.sqrt(given["size"] / 0.05)


def _run(made, count, is_pulsing=False, ledger=None, every=5):
    top = 0.0
    for i in range(count):
        made.step(is_pulsing)
        if ledger is not None and i % every == 0:
            ledger.note()
        if i >= count - max(count // 5, 1) and i % 2 == 0:
            top = max(top, made.speed())
    return top


def _let_go(made, count):
    """Pads close on the body, then its weight comes upon them."""
    for i in range(count):
        made.carry = 1.0
        made.step()
    for i in range(count):
        made.carry = 1.0 - (i + 1) / count
        made.step()
    made.carry = 0.0


def _settle(made, count, finding, name, ledger):
    """Move on until all rests, each time as long again as all before. Is told: the speed at the end, and
    what friction gave in the last of several times."""
    speeds, limit, spent, late = [], _limit(made.given, _SPEED), 0, None
    while not speeds or (speeds[-1] >= limit and spent < 8 * count):
        more = max(spent, count)
        late = Ledger(made) if speeds else None
        speeds.append(_run(made, more, ledger=late or ledger))
        spent += more
    error = speeds[-1] / limit
    if len(speeds) > 1 and speeds[-1] < _DECAY * speeds[-2]:
        error = min(error, 1.0)
    if error > 1.0 and name != "after pulses":
        other = _speed_without_spring(made, count, spent, name == "after a blow")
        if speeds[-1] < 1.5 * other:
            raise Rejected(f"{name}: moves by {speeds[-1]:.2g} m/s, and by {other:.2g} with regularised friction")
    finding(f"{name}: speed at the end, over the limit", error, 1.0,
            " ".join(f"{s:.2g}" for s in speeds) + f" m/s after {spent * made.time_step:.2g} s")
    if late:
        late.tell(finding, f"{name}, later", scale_of(made), _LATE_FALL)
    return speeds[-1] <= limit


def _without_spring(given, time_step, count):
    """The world with friction that has no spring: what moves as much with it, moves by itself."""
    other = build.Loaded(given, time_step, contact=isobar.ContactOptions(friction="regularized",
                                                                         stiction_velocity=1e-6))
    if given["carried"]:
        _let_go(other, count // 3)
    _run(other, count)
    return other


def _speed_without_spring(made, count, spent, is_kicked):
    other = _without_spring(made.given, made.time_step, count)
    if is_kicked:
        other.kick()
    return _run(other, spent)


def _creep(made, count, finding, scale):
    """Does a body that rests go anywhere? What slows down still has not come to rest."""
    late, ways, few = Ledger(made), [], max(count // 2, 20)
    _run(made, count, ledger=late)
    late.tell(finding, "at rest", scale, _LATE_FALL)
    for _ in range(2):
        before = made.place()
        _run(made, few)
        ways.append(np.abs(made.place() - before).max() / (few * made.time_step))
    error = ways[1] / _limit(made.given, _CREEP)
    if ways[1] < 0.9 * ways[0]:
        error = min(error, 1.0)
    finding("at rest: creep, over the limit", error, 1.0, f"{ways[0]:.2g}, then {ways[1]:.2g} m/s")


def scale_of(made):
    """Energy that the loads hold in the contacts, or that lifts a body by a thousandth of its size."""
    given = made.given
    weight = sum(made.weight[p["name"]] for p in given["parts"] if p["joint"] is None) * draw.GRAVITY
    now = made.world.energy()
    return max(now.elastic, now.kinetic, 1e-3 * weight * given["size"])


def check(seed, method=None, share=1.0):
    """Findings of a world, and where its bodies come to rest under constant loads; with another share of
    its step than 1 no more is asked."""
    given = draw.draw(seed)
    if method:
        given["method"] = method
    made = build.Loaded(given, share * given["time_step"])
    found = []
    label = f"{given['name']}, {given['size']:.2g} m, dt {made.time_step:.2g}, {given['method']}"

    def finding(row, error, limit, note=""):
        found.append(Finding(row, float(error), limit, seed, given["kind"], f"{label}: {note}"))

    time = max(0.3, 10 * math.sqrt(given["size"] / draw.GRAVITY), 100 * given["time_step"])
    count = min(math.ceil(time / given["time_step"]), _MOST_STEPS // 3)
    count = round(count / share)
    start = made.place()
    if given["carried"]:
        _let_go(made, count // 3)
    ledger = Ledger(made)
    rests = _settle(made, count, finding, "constant load", ledger)
    far = np.abs(made.place() - start)[:, :3].max() / given["size"]
    if far > 0.5:
        raise Rejected(f"lost, moved by {far:.2g} sizes")
    scale = scale_of(made)
    ledger.tell(finding, "constant load", scale, _FALL)
    if rests:
        _creep(made, count, finding, scale)
    end = made.place()
    if given["kick"] is not None and rests and share == 1.0:
        kicked = Ledger(made)
        made.kick()
        rests = _settle(made, count, finding, "after a blow", kicked)
        kicked.tell(finding, "after a blow", scale, _FALL)
    if given["pulse"] and share == 1.0 and rests:
        _pulsed(made, given, count, scale, finding)
    return found, end, given


def _drifts(made, steps, quarter, ledger=None):
    """Drift a period over the size, in each quarter of the pulses."""
    ways = []
    for _ in range(4):
        before = made.place()
        _run(made, quarter * steps, True, ledger, steps)
        ways.append(np.abs(made.off_from(before)).max() / quarter / made.given["size"])
    return ways


def _pulsed(made, given, count, scale, finding):
    steps = made.steps_of_pulse()
    quarter = max(8, min(60, _MOST_STEPS // steps, math.ceil(2 * count / steps))) // 4
    if 4 * steps * quarter > 2 * _MOST_STEPS:
        return
    ledger = Ledger(made)
    ways = _drifts(made, steps, quarter, ledger)
    error, limit = ways[3], _RATCHET_GRIP if given["kind"] == "grip" else _RATCHET
    if ways[3] < 0.8 * ways[2]:  # it shakes down, as what is wedged or swings out does
        error = min(error, limit)
    if error > limit:
        # What is pressed in at a slant slides to and fro, and ratchets with any friction.
        other = _without_spring(given, made.time_step, count)
        error = error if ways[3] > 2.0 * _drifts(other, steps, quarter)[3] else limit
    finding("pulsing load: drift a period over the size", error, limit, " ".join(f"{way:.2g}" for way in ways)
            + f"; {ways[3] * given['size'] / (steps * made.time_step):.2g} m/s, {steps} steps, share "
            f"{given['pulse']['share']:.2f}")
    ledger.tell(finding, "pulsing load", scale, _FALL)
    after = Ledger(made)
    _settle(made, count, finding, "after pulses", after)
    after.tell(finding, "after pulses", scale, _FALL)


def halved(seed, method=None):
    """All findings of a world, and how far its bodies end from where half the step brings them."""
    found, end, given = check(seed, method)
    _, finer, _ = check(seed, method, 0.5)
    off, note = np.abs(finer - end).max() / given["size"], ""
    if off > _PLACE:
        _, finest, _ = check(seed, method, 0.25)
        nearer = np.abs(finest - finer).max() / given["size"]
        note = f"{off:.2g}, and a quarter ends {nearer:.2g} from half the step"
        off = min(nearer, _PLACE) if nearer < 0.7 * off else nearer
    found.append(Finding("place at the end beside that of half the step, over the size", float(off), _PLACE, seed,
                         given["kind"], f"{given['name']}, {given['size']:.2g} m, dt {given['time_step']:.2g}: {note}"))
    return found
