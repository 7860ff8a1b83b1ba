# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The items of items.py as functions of jax, for XLA and IREE.

`model(name, unroll)` returns (function, weights): function(weights, *inputs) returns the outputs of the item, and does
`unroll` iterations of its loop at once. What does not depend on the state is computed before the loop where that is
faster, and matrices lie as their product reads them best.
"""
import items
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn


def device(*arrays):
    return [jnp.asarray(np.ascontiguousarray(a)) for a in arrays]


# A step of a cell: (product of its input with the bias, states, R transposed, bias) -> states


def lstm(given, states, r, _):
    f, i, g, o = jnp.split(given + states[0] @ r, 4, 1)
    c = nn.sigmoid(f) * states[1] + nn.sigmoid(i) * jnp.tanh(g)
    return nn.sigmoid(o) * jnp.tanh(c), c


def gru(given, states, r, b):
    h, = states
    size = h.shape[1]
    made = h @ r
    z, reset = jnp.split(nn.sigmoid(given[:, :2 * size] + made[:, :2 * size]), 2, 1)
    new = jnp.tanh(given[:, 2 * size:] + reset * (made[:, 2 * size:] + b[3 * size:]))
    return (1 - z) * new + z * h,


def rnn(given, states, r, _):
    return jnp.tanh(given + states[0] @ r),


CELLS = {"LSTMCell": lstm, "GRUCell": gru, "RNNCell": rnn}


def recurrent(unroll, kind, inputs, hidden, both=False, **_):
    w, r, b = items.cell_weights(kind, inputs, hidden)

    def run(weights, x, *states):
        w, r, b = weights
        given = jnp.swapaxes(x @ w + b[:w.shape[1]], 0, 1)
        outputs = []

        def step(states, given):
            states = CELLS[kind](given, states, r, b)
            return states, states[0]

        for backward in (False, True)[:1 + both]:
            last, history = lax.scan(step, states, given, reverse=backward, unroll=unroll)
            outputs += [jnp.swapaxes(history, 0, 1), *last]
        return outputs

    return run, device(w.T, r.T, b)


def gated_unit(unroll, size, **_):
    wf, bf, wh, bh = items.gated_unit_weights(size)

    def run(weights, x, h):
        given_weights, f_weights, h_weights, bias = weights
        given = jnp.swapaxes(x @ given_weights + bias, 0, 1)

        def step(h, given):
            f = nn.sigmoid(given[:, :size] + h @ f_weights)
            h = (1 - f) * h + f * jnp.tanh(given[:, size:] + (f * h) @ h_weights)
            return h, h

        last, history = lax.scan(step, h, given, unroll=unroll)
        return jnp.swapaxes(history, 0, 1), last

    return run, device(np.hstack([wf[:size], wh.T[:size]]), wf[size:], wh.T[size:], np.hstack([bf, bh]))


def multiply_add(unroll):
    return lambda _, s: [lax.fori_loop(0, 1000, lambda _, s: s * np.float32(0.999) + 1, s, unroll=unroll)], []


def while_small(_):
    def run(_, s):
        return [lax.while_loop(lambda s: s.max() < 500, lambda s: s + 1, s + 1)]

    return run, []


def softmax_again(unroll):
    return lambda _, s: [lax.fori_loop(0, 200, lambda _, s: nn.softmax(s), s, unroll=unroll)], []


def selective_scan(unroll, d, n, **_):
    """The state is transposed, so that its rows are long."""
    def run(weights, delta, u, b, c, h):
        a, = weights

        def step(h, given):
            delta, u, b, c = given
            h = jnp.exp(delta * a) * h + delta * u * b
            return h, (c @ h)[0]

        last, rows = lax.scan(step, h[0].T, (*(jnp.swapaxes(v, 1, 2) for v in (delta, u, b)), c), unroll=unroll)
        return rows, last.T[None]

    return run, device(items.selective_scan_weights(d, n).T)


def gated_delta_rule(unroll, **_):
    def run(_, q, k, v, gate, beta, s):
        def step(s, given):
            q, k, v, gate, beta = given
            error = (v - gate * (k @ s)) * beta
            s = gate * s + jnp.swapaxes(k, 1, 2) * error
            return s, q @ s

        last, rows = lax.scan(step, s[0], (q, k, v, gate, beta), unroll=unroll)
        return rows, last[None]

    return run, []


def greedy_decoder(_, steps, words, size):
    def run(weights, h, token):
        embeddings, w, u = weights

        def again(state):
            i, _, token, _ = state
            return (i < steps) & (token[0] != words + 1)

        def step(state):
            i, h, token, said = state
            h = jnp.tanh(embeddings[token] + h @ w)
            token = jnp.argmax(h @ u, 1).astype(token.dtype)
            return i + 1, h, token, lax.dynamic_update_slice(said, token, (i,))

        said = jnp.zeros(steps, token.dtype)
        _, h, _, said = lax.while_loop(again, step, (0, h, token, said))
        return said, h

    return run, device(*items.decoder_weights(words, size))


def gather_tree(unroll, b, w, **_):
    """Looks at neither the lengths nor the last token, which is in favour of the peers."""

    def run(_, ids, parents, lengths):
        parents = parents + (jnp.arange(b, dtype=parents.dtype) * w)[:, None]

        def step(beam, level):
            return tuple(values.at[beam].get(mode="promise_in_bounds") for values in level)

        levels = [values.reshape(-1, b * w) for values in (parents, ids)]
        _, found = lax.scan(step, jnp.arange(b * w, dtype=ids.dtype), levels, reverse=True, unroll=unroll)
        return [found.reshape(ids.shape)]

    return run, []


def model(name, unroll):
    function, arguments, _, _ = items.ITEMS[name]
    return globals()[function.__name__](unroll, **arguments)
