# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Prepares assembly for a place in the object of a model (cmake -DIN= -DOUT= -DSOURCE= -P). There, all of its symbols
# must be local, and its local labels must differ from those of LLVM's code generator, which has the same prefix, and
# from those of other assembly. They get the name of the source file. The attributes of the object, which RISC-V has,
# are those of the generated code. linkABIShim adds the entry points.
file(READ "${IN}" text)
get_filename_component(source "${SOURCE}" NAME_WE)
string(REGEX REPLACE "\t\\.(globl|hidden|file|attribute)\t[^\n]*\n" "" text "${text}")
string(REPLACE ".L" ".L${source}." text "${text}")
file(WRITE "${OUT}" "${text}")
