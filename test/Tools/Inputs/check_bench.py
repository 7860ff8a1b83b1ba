# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the JSON of ir-bench: check_bench.py FILE --threads=N --flops=N --bytes=N [--peer]"""
import argparse
import json

parser = argparse.ArgumentParser()
parser.add_argument("file")
for name in ("threads", "flops", "bytes"):
    parser.add_argument("--" + name, type=int)
parser.add_argument("--peer", action="store_true")
args = parser.parse_args()
report = json.load(open(args.file))


def check_times(times):
    assert times["calls"] >= 2, times
    assert 0 < times["least_us"] <= times["median_us"] <= times["p90_us"] <= times["p99_us"], times


check_times(report["recur"])
assert report["threads"] == args.threads and report["cpu"], report
assert report["compile_ms"] > 0 and report["peak_bytes"] > report["weights_bytes"] >= 0, report
probe = report["probe"]
assert probe["flops_per_second"] > 0 and [level["name"] for level in probe["levels"]][:2] == ["L1", "L2"], probe
for level in probe["levels"]:
    assert level["bytes_per_second"] > 0 and level["probed_bytes"] > 0, level
roof = report["roof"]
assert (roof["flops"], roof["bytes"]) == (args.flops, args.bytes), roof
assert roof["us"] > 0 and roof["percent"] > 0, roof
assert abs(roof["percent"] - 100 * roof["us"] / report["recur"]["median_us"]) < 1e-6, roof
assert ("openvino" in report) == ("ratio" in report) == args.peer, report
if args.peer:
    check_times(report["openvino"])
    assert abs(report["ratio"] - report["openvino"]["median_us"] / report["recur"]["median_us"]) < 1e-6, report
