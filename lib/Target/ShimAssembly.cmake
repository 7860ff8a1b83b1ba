# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Prepares the assembly of the ABI shim for a place in the object of a model (cmake -DIN= -DOUT= -P). There, all of its
# symbols must be local, and its local labels must differ from those of LLVM's code generator, which has the same
# prefix. The attributes of the object, which RISC-V has, are those of the generated code. linkABIShim adds the entry
# points.
file(READ "${IN}" text)
string(REGEX REPLACE "\t\\.(globl|hidden|file|attribute)\t[^\n]*\n" "" text "${text}")
string(REPLACE ".L" ".Lshim." text "${text}")
file(WRITE "${OUT}" "${text}")
