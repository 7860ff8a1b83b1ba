# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_policy(VERSION 3.23...3.31)

# recur_add_model(NAME MODEL model.xml [WEIGHTS model.bin] [WEIGHTS_MODE mode] [NAMESPACE prefix] [TARGETS cpu...]
#                 [CPU cpu] [ENTRY run step] [SHAPES "x=[1,?,40]"...] [OPTIONS option...])
#
# Adds NAME, a static library of a compiled model. Targets that link it can include NAME.h, and recur.hpp for C++.
# `install(TARGETS NAME FILE_SET HEADERS)` installs the library and NAME.h. The model is compiled again if Recur or a
# file that it was read from changes.
#
#   MODEL         the model, as OpenVINO IR or as text of Recur
#   WEIGHTS       its weights; without it, the file beside the model
#   WEIGHTS_MODE  where the program gets the compiled weights: embed (from the library, the default), file or caller
#                 (from NAME.weights; $<TARGET_PROPERTY:NAME,RECUR_WEIGHTS_FILE> is its path)
#   NAMESPACE     the functions are prefix_NAME_run and so on, and not NAME_run
#   TARGETS       the CPUs that the library has code for, such as x86-64-v2 x86-64-v4; without it, those of ir-compile
#   CPU           the only CPU to compile for, such as x86-64-v3; native is that of this machine
#   ENTRY         what calls compute: run (the default) is NAME_run, step is NAME_step, which takes one time step
#   SHAPES        dims of inputs that are dynamic in the model; ? stays dynamic
#   OPTIONS       more options of ir-compile, such as --precision=bf16
function(recur_add_model name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "MODEL;WEIGHTS;WEIGHTS_MODE;NAMESPACE;CPU" "TARGETS;ENTRY;SHAPES;OPTIONS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "recur_add_model(${name}): unknown arguments '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  if(ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "recur_add_model(${name}): expected a value of ${ARG_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT ARG_MODEL)
    message(FATAL_ERROR "recur_add_model(${name}): expected MODEL and a file")
  endif()

  cmake_path(ABSOLUTE_PATH ARG_MODEL NORMALIZE)
  set(inputs ${ARG_MODEL})
  set(options "")
  foreach(shape IN LISTS ARG_SHAPES)
    list(APPEND options --shape=${shape})
  endforeach()
  if(ARG_WEIGHTS)
    cmake_path(ABSOLUTE_PATH ARG_WEIGHTS NORMALIZE)
    list(APPEND inputs ${ARG_WEIGHTS})
    list(APPEND options --weights=${ARG_WEIGHTS})
  endif()
  if(ARG_NAMESPACE)
    list(APPEND options --name=${ARG_NAMESPACE}_${name})
  endif()
  if(ARG_ENTRY)
    list(JOIN ARG_ENTRY "," entries)
    list(APPEND options --entry=${entries})
  endif()
  if(ARG_TARGETS)
    list(JOIN ARG_TARGETS "," targets)
    list(APPEND options --targets=${targets})
  endif()
  if(ARG_CPU)
    list(APPEND options --mcpu=${ARG_CPU})
  endif()

  set(dir ${CMAKE_CURRENT_BINARY_DIR}/recur/${name})
  file(MAKE_DIRECTORY ${dir})
  set(outputs ${dir}/${name}.o ${dir}/${name}.h)
  if(ARG_WEIGHTS_MODE)
    list(APPEND options --weights-mode=${ARG_WEIGHTS_MODE})
    if(NOT ARG_WEIGHTS_MODE STREQUAL "embed")
      list(APPEND outputs ${dir}/${name}.weights)
    endif()
  endif()
  # The weights beside the model are not known here: the depfile has them.
  add_custom_command(OUTPUT ${outputs}
    COMMAND $<TARGET_FILE:Recur::ir-compile> ${ARG_MODEL} -o ${dir}/${name}.o --header=${dir}/${name}.h
      --depfile=${dir}/${name}.d ${options} ${ARG_OPTIONS}
    DEPENDS ${inputs} $<TARGET_FILE:Recur::ir-compile> DEPFILE ${dir}/${name}.d
    COMMENT "Compiling the model ${name}" VERBATIM)
  add_library(${name} STATIC ${dir}/${name}.o)
  target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${dir} FILES ${dir}/${name}.h)
  if(${dir}/${name}.weights IN_LIST outputs)
    set_target_properties(${name} PROPERTIES RECUR_WEIGHTS_FILE ${dir}/${name}.weights)
  endif()
  # CMake cannot tell the language of objects. Some models compute with functions of C's library of mathematics.
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(C IN_LIST languages)
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
  else()
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  endif()
  target_link_libraries(${name} INTERFACE Recur::abi m)
endfunction()
