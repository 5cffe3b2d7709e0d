"""From a few layers to all of them: what is alive at each kind of moment is linear in the number of layers.

A phase's peak is the largest of many moments, so it is not linear itself; each moment (an operation with its shapes) is:
the largest over equal layers is at the first or the last of them, whatever their number.
"""


def moment_at(layers, few, more):
    """A moment of `few` and `few + 1` layers, at `layers` of them; each is (bytes, what was alive)."""
    step = layers - few[0]

    def along(a, b):
        return a + (b - a) * step

    bytes_ = along(few[1][0], more[1][0])
    names = {*few[1][1], *more[1][1]}
    alive = {name: max(0, along(few[1][1].get(name, 0), more[1][1].get(name, 0))) for name in names}
    return bytes_, alive


def extrapolated(layers, few, fewer_moments, more_moments):
    """Phases and what is alive at their peaks. `few`: the layers of the first; the second has one more."""
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


# 512-byte blocks and per-tensor step counters round differently; anything above this is another program.
TOLERANCE = 0.0005


def agree(predicted, counted):
    return all(abs(predicted.get(phase, 0) - size) <= TOLERANCE * size for phase, size in counted.items())
