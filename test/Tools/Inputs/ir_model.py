# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes OpenVINO IR, layer by layer, for scripts that generate models."""
import math
import random
import struct


FORMATS = {"f16": "e", "f32": "f", "f64": "d", "i64": "q"}


class Model:
    def __init__(self):
        self.layers, self.edges, self.weights = [], [], b""

    def layer(self, kind, data="", inputs=(), num_outputs=1):
        number, count = len(self.layers), len(inputs)
        ports = "".join(f'<port id="{i}"/>' for i in range(count))
        outputs = "".join(f'<port id="{count + i}"/>' for i in range(num_outputs))
        self.layers.append(f'<layer id="{number}" name="{kind}_{number}" type="{kind}" version="opset16"><data {data}/>'
                           f"<input>{ports}</input><output>{outputs}</output></layer>")
        for i, (source, port) in enumerate(inputs):
            self.edges.append(f'<edge from-layer="{source}" from-port="{port}" to-layer="{number}" to-port="{i}"/>')
        return number, count

    def constant(self, element, shape, values):
        data = struct.pack(f"<{len(values)}{FORMATS[element]}", *values)
        dims = ",".join(map(str, shape))
        made = self.layer("Const", f'element_type="{element}" shape="{dims}" offset="{len(self.weights)}" '
                                   f'size="{len(data)}"')
        self.weights += data
        return made

    def random(self, *shape, source=random, element="f32"):
        """A constant of random numbers, which a sum along all dims but the first keeps near 1."""
        scale = 1 / math.sqrt(math.prod(shape[1:]))
        return self.constant(element, shape, [source.gauss(0, scale) for _ in range(math.prod(shape))])

    def write(self, folder):
        folder.mkdir(parents=True)
        (folder / "model.xml").write_text(f'<net name="model" version="11"><layers>{"".join(self.layers)}</layers>'
                                          f'<edges>{"".join(self.edges)}</edges></net>')
        (folder / "model.bin").write_bytes(self.weights)
