# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of Einsum and of attention."""
import numpy as np

from make_semantics import Graph
from op_cases import CASES, integers, numbers, op


def einsum_case(name, equation, *shapes, **data):
    inputs = tuple(numbers(*shape, seed=i) for i, shape in enumerate(shapes))
    op("Einsum", 7, inputs=inputs, static=True, name=f"einsum_{name}", equation=equation, **data)(
        lambda *x: np.einsum(equation, *x))


einsum_case("product", "ij,jk->ik", (3, 4), (4, 5))
einsum_case("batches", "bij, bkj -> bki", (2, 3, 4), (2, 5, 4))
einsum_case("ellipsis", "...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2))
einsum_case("diagonal", "iij->ji", (3, 3, 4))
einsum_case("trace", "ii->", (4, 4))
einsum_case("letters", "aB,Bc->ca", (3, 4), (4, 2))
einsum_case("implicit", "ba,cb", (3, 4), (5, 3))
einsum_case("sums", "ij,kl->", (2, 3), (4, 5))
einsum_case("outer", "i,j,k->kij", (2,), (3,), (4,))
einsum_case("three", "ij,jk,kl->il", (2, 3), (3, 4), (4, 5))
einsum_case("attention", "bqhd,bkhd->bhqk", (2, 3, 4, 5), (2, 6, 4, 5))
einsum_case("permuted", "abc->cab", (2, 3, 4))
einsum_case("kept", "ij,ij->ij", (3, 4), (3, 4))


@op("Einsum", 7, inputs=(integers(3, 4), integers(4, 2, seed=1)), static=True, equation="ij,jk->k")
def einsum_integers(a, b):
    return np.einsum("ij,jk->k", a, b)


def attention(q, k, v, mask=0.0, scale=None):
    scores = q @ np.swapaxes(k, -1, -2) * (scale if scale is not None else q.shape[-1] ** -0.5) + mask
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


Q, K, V = numbers(2, 3, 5, 8), numbers(2, 3, 7, 8, seed=1), numbers(2, 3, 7, 4, seed=2)


@op("ScaledDotProductAttention", 13, inputs=(Q, K, V), static=True, causal="false")
def attention_plain(q, k, v):
    return attention(q, k, v)


@op("ScaledDotProductAttention", 13, inputs=(Q, K, V, integers(5, 7, least=0, most=1) > 0, np.float32(0.25)),
    static=True, causal="false")
def attention_boolean_mask(q, k, v, mask, scale):
    return attention(q, k, v, np.where(mask, 0.0, -np.inf), scale)


@op("ScaledDotProductAttention", 13, inputs=(Q, K, V, numbers(2, 1, 5, 7, seed=3)), static=True, causal="false")
def attention_mask(q, k, v, mask):
    return attention(q, k, v, mask)


@op("ScaledDotProductAttention", 13, inputs=(Q, K, V), static=True, causal="true")
def attention_causal(q, k, v):
    return attention(q, k, v, np.where(np.tri(5, 7), 0.0, -np.inf))


def grouped(q, k, v, mask=0.0):
    """Each head of the keys and the values is that of as many heads of the query, which follow each other."""
    return attention(q, np.repeat(k, q.shape[1] // k.shape[1], 1), np.repeat(v, q.shape[1] // v.shape[1], 1), mask)


HEADS = numbers(2, 6, 5, 8)
for label, more in {
        "groups": (numbers(2, 2, 7, 8, seed=1), numbers(2, 2, 7, 4, seed=2)),
        "groups_masked": (numbers(2, 3, 7, 8, seed=1), numbers(2, 3, 7, 4, seed=2), numbers(2, 6, 5, 7, seed=3)),
        "groups_one_mask": (numbers(2, 3, 7, 8, seed=1), numbers(2, 3, 7, 4, seed=2), numbers(1, 5, 7, seed=3)),
        "one_head": (numbers(2, 1, 7, 8, seed=1), numbers(2, 1, 7, 4, seed=2)),
        "groups_of_values": (numbers(2, 1, 7, 8, seed=1), numbers(2, 2, 7, 4, seed=2))}.items():
    op("ScaledDotProductAttention", 13, inputs=(HEADS, *more), static=True, name=f"attention_{label}", causal="false")(
        grouped)


def half_attention():
    """The weights of an attention in f16 are not rounded before they are multiplied: eleven times 1/11 is 1."""
    scores = np.array([[0] * 11, range(11), [2] * 5 + [3] * 6], np.float16)
    masked = np.array([[False], [False], [True]])
    values = np.stack([np.ones(11), np.arange(11) - 5], 1).astype(np.float16)
    graph = Graph()
    weights = graph.add("SoftMax", [graph.parameter("f16", ["?", "?"])], element="f16", axis=1)
    weights = graph.add("Convert", [weights], element="f16", destination_type="f16")
    kept = graph.add("Select", [graph.parameter("boolean", ["?", 1]), graph.const(np.float16(0)), weights],
                     element="f16")
    graph.result(graph.add("MatMul", [kept, graph.parameter("f16", ["?", 2])], transpose_a=False, transpose_b=False))
    exact = np.exp(scores.astype(np.float64))
    exact = np.where(masked, 0, exact / exact.sum(1, keepdims=True))
    return graph, [scores, masked, values], [(exact @ values.astype(np.float64)).astype(np.float16)]


CASES["op_mat_mul_half_attention"] = half_attention


def constant_on_the_left():
    """A constant first matrix: with few columns, and with columns that are rows in memory."""
    weights, columns, rows = (numbers(*shape, seed=i).astype(np.float32)
                              for i, shape in enumerate(((40, 24), (2, 24, 3), (5, 24))))
    graph = Graph()
    graph.result(graph.add("MatMul", [graph.const(weights), graph.parameter("f32", [2, 24, 3])], transpose_a=False,
                           transpose_b=False))
    graph.result(graph.add("MatMul", [graph.const(np.ascontiguousarray(weights.T)), graph.parameter("f32", ["?", 24])],
                           transpose_a=True, transpose_b=True))
    wide = weights.astype(np.float64)
    return graph, [columns, rows], [(wide @ x).astype(np.float32) for x in (columns, rows.T)]


CASES["op_mat_mul_constant_on_the_left"] = constant_on_the_left
