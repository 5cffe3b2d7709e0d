"""Extrapolates from a few layers to all: the live bytes at each kind of moment are linear in the number of layers.

A phase's peak is the largest of many moments, so it is not linear itself. Each moment (an operation with its shapes)
is: its maximum over equal layers is at the first or the last of them.
"""


def moment_at(layers, few, more):
    """Extrapolates a moment from `few` and `few + 1` layers to `layers`; each is (bytes, live bytes by category)."""
    step = layers - few[0]

    def along(a, b):
        return a + (b - a) * step

    bytes_ = along(few[1][0], more[1][0])
    names = {*few[1][1], *more[1][1]}
    alive = {name: max(0, along(few[1][1].get(name, 0), more[1][1].get(name, 0))) for name in names}
    return bytes_, alive


def extrapolated(layers, few, fewer_moments, more_moments):
    """Phases with the live bytes at their peaks. `few`: the layers of the first run; the second has one more."""
    phases, alive = {}, {}
    for phase, moments in fewer_moments.items():
        best = None
        for key, moment in moments.items():
            other = more_moments.get(phase, {}).get(key)
            if other is None:
                continue
            found = moment_at(layers, (few, moment), (few + 1, other))
            if best is None or found[0] > best[0]:
                best = found
        if best is not None:
            phases[phase] = best[0]
            alive[phase] = {name: size for name, size in best[1].items() if size}
    return phases, alive


# 512-byte blocks and per-tensor step counters round differently; a larger difference means that the runs differ.
TOLERANCE = 0.0005


def agree(predicted, counted):
    return all(abs(predicted.get(phase, 0) - size) <= TOLERANCE * size for phase, size in counted.items())
