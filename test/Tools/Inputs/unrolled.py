# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""unrolled.py STEPS: writes the text of a recurrence whose steps are ops of their own. All steps read their rows before
the first one computes anything, as exporters that sort layers write them."""

import sys

steps = int(sys.argv[1])
ROW, DATA = "tensor<1x4xf32>", f"tensor<{steps}x4xf32>"
print(f"func.func @main(%x: {DATA}, %h: {ROW}) -> ({DATA}, {ROW}) {{")
print("  %zero = ov.constant dense<0> : tensor<i64>")
for step in range(steps):
    print(f"  %i{step} = ov.constant dense<{step}> : tensor<1xi64>")
    print(f"  %x{step} = ov.gather %x, %i{step}, %zero : ({DATA}, tensor<1xi64>, tensor<i64>) -> {ROW}")
before = "%h"
for step in range(steps):
    print(f"  %a{step} = ov.maximum %x{step}, {before} : ({ROW}, {ROW}) -> {ROW}")
    print(f"  %h{step} = ov.subtract %a{step}, %x{step} : ({ROW}, {ROW}) -> {ROW}")
    before = f"%h{step}"
parts = ", ".join(f"%h{step}" for step in range(steps))
print(f"  %y = ov.concat {parts} {{axis = 0}} : ({', '.join([ROW] * steps)}) -> {DATA}")
print(f"  return %y, {before} : {DATA}, {ROW}")
print("}")
