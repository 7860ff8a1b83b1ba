# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Embeds files in C++ code as arrays, with CMake alone.
#
# As a module it defines recur_embed_files(OUT name=file...), which creates OUT at build time. For each file, OUT
# defines
#   alignas(16) static const unsigned char name[] = {..., 0};  static const size_t name_size = ...;
# The size does not include the zero at the end. As a script (cmake -DOUT= -DENTRIES= -P) this file creates OUT.

if(CMAKE_SCRIPT_MODE_FILE)
  set(content "// Generated. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n")
  foreach(entry IN LISTS ENTRIES)
    string(REGEX MATCH "^([^=]+)=(.*)$" _ "${entry}")
    set(name ${CMAKE_MATCH_1})
    file(READ "${CMAKE_MATCH_2}" hex HEX)
    string(LENGTH "${hex}" size)
    math(EXPR size "${size} / 2")
    string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND content "alignas(16) static const unsigned char ${name}[] = {\n${bytes}0};\n"
      "static const size_t ${name}_size = ${size};\n")
  endforeach()
  file(WRITE "${OUT}" "${content}")
  return()
endif()

set(RECUR_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE} CACHE INTERNAL "")

function(recur_embed_files out)
  set(files ${ARGN})
  list(TRANSFORM files REPLACE "^[^=]+=" "")
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} "-DENTRIES=${ARGN}" -P ${RECUR_EMBED_SCRIPT}
    DEPENDS ${files} ${RECUR_EMBED_SCRIPT}
    COMMENT "Embedding files in ${out}" VERBATIM)
endfunction()
