# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a model for each operation and version of openvino-ops.txt, for -split-input-file.

    every_operation.py < openvino-ops.txt

A model has one layer, without operands. The importer checks first whether it knows the operation and the version, and
then what the layer lacks.
"""
import sys

# Such a layer is no layer without what it runs.
BODY = """<body>
<layers>
<layer id="0" name="p" type="Parameter" version="opset1"><data shape="1" element_type="f32"/>
<output><port id="0"/></output></layer>
<layer id="1" name="q" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers>
<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges>
</body>
"""
BODIES = {"If": BODY.replace("body>", "then_body>") + BODY.replace("body>", "else_body>"), "Loop": BODY,
          "TensorIterator": BODY}


def model(kind, version):
    return f"""<net name="{kind}_{version}" version="11">
<layers>
<layer id="0" name="{kind}-{version}" type="{kind}" version="{version}"><output><port id="0"/></output>
{BODIES.get(kind, "")}</layer>
<layer id="1" name="r" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers>
<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges>
</net>
"""


if __name__ == "__main__":
    rows = [line.split() for line in sys.stdin if not line.startswith("#")]
    print("// -----\n".join(model(*row) for row in rows), end="")
