# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes an OpenVINO IR: a Loop that runs `trips` times s := s * 0.999 + 1 on `width` floats.

    loop_model.py DIR [--trips=1000] [--width=64]

DIR gets model.xml, model.bin, in_0.npy and out_0.npy, the result in f32 arithmetic without fused multiply-add.
"""
import argparse
import struct
from pathlib import Path

XML = """<?xml version="1.0"?>
<net name="loop" version="11">
<layers>
<layer id="0" name="s0" type="Parameter" version="opset1"><data shape="{n}" element_type="f32"/>\
<output><port id="0" precision="FP32" names="s0"><dim>{n}</dim></port></output></layer>
<layer id="1" name="trips" type="Const" version="opset1"><data element_type="i64" shape="" offset="0" size="8"/>\
<output><port id="0" precision="I64"/></output></layer>
<layer id="2" name="always" type="Const" version="opset1"><data element_type="boolean" shape="" offset="8" size="1"/>\
<output><port id="0" precision="BOOL"/></output></layer>
<layer id="3" name="loop" type="Loop" version="opset5">
<port_map>
<input external_port_id="2" internal_layer_id="0"/>
<output external_port_id="3" internal_layer_id="5"/>
<output external_port_id="-1" internal_layer_id="7" purpose="execution_condition"/>
</port_map>
<back_edges><edge from-layer="5" to-layer="0"/></back_edges>
<input><port id="0" precision="I64"/><port id="1" precision="BOOL"/>\
<port id="2" precision="FP32"><dim>{n}</dim></port></input>
<output><port id="3" precision="FP32" names="s"><dim>{n}</dim></port></output>
<body><layers>
<layer id="0" name="state" type="Parameter" version="opset1"><data shape="{n}" element_type="f32"/>\
<output><port id="0" precision="FP32"><dim>{n}</dim></port></output></layer>
<layer id="1" name="factor" type="Const" version="opset1"><data element_type="f32" shape="1" offset="12" size="4"/>\
<output><port id="0" precision="FP32"><dim>1</dim></port></output></layer>
<layer id="2" name="scaled" type="Multiply" version="opset1"><data auto_broadcast="numpy"/>\
<input><port id="0" precision="FP32"><dim>{n}</dim></port><port id="1" precision="FP32"><dim>1</dim></port></input>\
<output><port id="2" precision="FP32"><dim>{n}</dim></port></output></layer>
<layer id="3" name="one" type="Const" version="opset1"><data element_type="f32" shape="1" offset="16" size="4"/>\
<output><port id="0" precision="FP32"><dim>1</dim></port></output></layer>
<layer id="4" name="next" type="Add" version="opset1"><data auto_broadcast="numpy"/>\
<input><port id="0" precision="FP32"><dim>{n}</dim></port><port id="1" precision="FP32"><dim>1</dim></port></input>\
<output><port id="2" precision="FP32"><dim>{n}</dim></port></output></layer>
<layer id="5" name="next_result" type="Result" version="opset1">\
<input><port id="0" precision="FP32"><dim>{n}</dim></port></input></layer>
<layer id="6" name="go_on" type="Const" version="opset1"><data element_type="boolean" shape="" offset="8" size="1"/>\
<output><port id="0" precision="BOOL"/></output></layer>
<layer id="7" name="go_on_result" type="Result" version="opset1"><input><port id="0" precision="BOOL"/></input></layer>
</layers>
<edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="4" to-port="0"/>
<edge from-layer="3" from-port="0" to-layer="4" to-port="1"/>
<edge from-layer="4" from-port="2" to-layer="5" to-port="0"/>
<edge from-layer="6" from-port="0" to-layer="7" to-port="0"/>
</edges></body></layer>
<layer id="4" name="s_result" type="Result" version="opset1">\
<input><port id="0" precision="FP32"><dim>{n}</dim></port></input></layer>
</layers>
<edges>
<edge from-layer="0" from-port="0" to-layer="3" to-port="2"/>
<edge from-layer="1" from-port="0" to-layer="3" to-port="0"/>
<edge from-layer="2" from-port="0" to-layer="3" to-port="1"/>
<edge from-layer="3" from-port="3" to-layer="4" to-port="0"/>
</edges>
</net>
"""


def to_f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def write_npy(path, values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header += " " * ((-(len(header) + 11)) % 64) + "\n"
    data = struct.pack(f"<{len(values)}f", *values)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def write_model(directory, trips=1000, width=64):
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    factor, one = to_f32(0.999), 1.0
    (directory / "model.xml").write_text(XML.format(n=width))
    (directory / "model.bin").write_bytes(struct.pack("<q?xxxff", trips, True, factor, one))
    state = [to_f32(0.25 * i - 3.0) for i in range(width)]
    write_npy(directory / "in_0.npy", state)
    for _ in range(trips):
        state = [to_f32(to_f32(s * factor) + one) for s in state]
    write_npy(directory / "out_0.npy", state)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--trips", type=int, default=1000)
    parser.add_argument("--width", type=int, default=64)
    args = parser.parse_args()
    write_model(args.directory, args.trips, args.width)


if __name__ == "__main__":
    main()
