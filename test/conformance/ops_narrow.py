# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of f16 and bf16 whose steps would overflow, vanish or lose digits if each were rounded. narrow_types.py has
many more of them."""
import numpy as np

from make_semantics import Graph
from op_cases import CASES, numbers


def rounded_once(narrow, scale):
    def build():
        """Normalizations, sums and a transform of large numbers, with an epsilon that the type does not hold."""
        # The type holds these numbers.
        x = np.round(numbers(6, 96, seed=3, least=20, most=120)).astype(np.float32) * np.float32(scale)
        table = np.round(numbers(40, 3, seed=1, least=0, most=63)).astype(np.float32)
        rows = np.random.default_rng(2).integers(0, 40, 90)
        graph, outputs = Graph(), []

        def narrow_input(array):
            given = graph.parameter("f32", ["?"] * array.ndim)
            return graph.add("Convert", [given], element=narrow, destination_type=narrow)

        def expect(value, exact):
            graph.result(graph.add("Convert", [value], element="f32", destination_type="f32"))
            outputs.append(exact.astype(np.float32))

        data, lists, axis = narrow_input(x), narrow_input(table), graph.i64(1)
        indices, offsets = graph.parameter("i64", ["?"]), graph.i64(0, 85)
        wide = x.astype(np.float64)
        squares = (wide**2).sum(1, keepdims=True)
        centered = wide - wide.mean(1, keepdims=True)
        eps = dict(eps=1e-12, opset=6, eps_mode="inside_sqrt", normalize_variance="true")
        expect(graph.add("MVN", [data, axis], **eps), centered / np.sqrt((centered**2).mean(1, keepdims=True)))
        zeros = graph.add("Subtract", [data, data], auto_broadcast="numpy")
        expect(graph.add("MVN", [zeros, axis], **eps), 0 * wide)
        expect(graph.add("NormalizeL2", [data, axis], eps=1e-12, eps_mode="add"), wide / np.sqrt(squares))
        image = graph.add("Unsqueeze", [data, graph.i64(0)])
        expect(graph.add("GRN", [image], bias=1e-12), wide[None] / np.sqrt((wide**2).sum(0)))
        sums = np.stack([(wide[:, max(i - 2, 0):i + 3]**2).sum(1) for i in range(96)], 1)
        expect(graph.add("LRN", [data, axis], alpha=5e-8, beta=0.5, bias=1e-9, size=5),
               wide / np.sqrt(1e-9 + 1e-8 * sums))
        bags = graph.add("EmbeddingBagOffsetsSum", [lists, indices, offsets], opset=3)
        expect(bags, np.stack([table[rows[:85]].sum(0), table[rows[85:]].sum(0)]))
        small = graph.add("Multiply", [data, graph.add("Convert", [graph.const(np.float32(1 / scale))], element=narrow,
                                                       destination_type=narrow)], auto_broadcast="numpy")
        spectrum = np.fft.rfft(wide / scale)
        expect(graph.add("RDFT", [small, axis], opset=9), np.stack([spectrum.real, spectrum.imag], -1))
        return graph, [x, table, rows], outputs

    # One unit in the last place, and what cancels in the transform of f32.
    build.tolerance = (2.0**-10, 2e-3) if narrow == "f16" else (2.0**-7, 1e-2)
    return build


CASES["op_rounded_once_f16"] = rounded_once("f16", 512)
CASES["op_rounded_once_bf16"] = rounded_once("bf16", 2.0**40)
