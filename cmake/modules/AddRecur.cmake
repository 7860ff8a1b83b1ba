# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Thin wrappers, so that a directory's CMakeLists.txt names its sources and what it stands on, and nothing else.

# Every library that includes MLIR reuses one precompiled header: parsing MLIR's headers is most of a build.
function(_recur_pch target)
  if(NOT TARGET RecurPCH)
    file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/pch.cpp CONTENT "// Carries the precompiled header.\n")
    add_library(RecurPCH OBJECT ${CMAKE_BINARY_DIR}/pch.cpp)
    target_precompile_headers(RecurPCH PRIVATE
      <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinAttributes.h> <mlir/IR/PatternMatch.h> <mlir/Pass/Pass.h>
      <mlir/Interfaces/InferTypeOpInterface.h> <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/SCF/IR/SCF.h>
      <mlir/Dialect/Tensor/IR/Tensor.h> <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Transforms/DialectConversion.h>)
  endif()
  target_precompile_headers(${target} REUSE_FROM RecurPCH)
endfunction()

# add_recur_library(NAME sources... [LINK_LIBS libs...] [DEPENDS targets...] [NO_PCH])
function(add_recur_library name)
  cmake_parse_arguments(ARG "NO_PCH" "" "LINK_LIBS;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  # What has LLVM's archives in it (lib/Library) must not have LLVM's shared libraries as well.
  set(archives $<BOOL:$<TARGET_PROPERTY:RECUR_LLVM_ARCHIVES>>)
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS}
    $<IF:${archives},RecurLLVMArchives,MLIR> $<$<NOT:${archives}>:LLVM>)
  if(NOT ARG_NO_PCH)
    _recur_pch(${name})
  endif()
endfunction()

# What goes into every program.
function(_recur_program target)
  if(CMAKE_C_FLAGS MATCHES "-fsanitize")
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/SanitizerOptions.c)
  endif()
endfunction()

# add_recur_tool(NAME sources... LINK_LIBS libs...)
function(add_recur_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} MLIR LLVM)
  _recur_program(${name})
  set_property(GLOBAL APPEND PROPERTY RECUR_TOOLS ${name})
endfunction()

# add_recur_unittest(NAME sources... LINK_LIBS libs...): a GoogleTest program, run by lit under Unit/.
function(add_recur_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} GTest::gtest GTest::gtest_main MLIR LLVM)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unittests)
  _recur_program(${name})
  set_property(GLOBAL APPEND PROPERTY RECUR_UNITTESTS ${name})
endfunction()

# add_recur_doc(NAME td_file generator... [TOOL project]): writes docs/generated/NAME.md into the build tree; a test
# compares it with the checked-in copy. The generator is one of mlir-tblgen, or with TOOL RECUR of recur-tblgen.
function(add_recur_doc name td generator)
  cmake_parse_arguments(ARG "" "TOOL" "" ${ARGN})
  set(LLVM_TARGET_DEFINITIONS ${td})
  if(ARG_TOOL)
    tablegen(${ARG_TOOL} ${name}.md ${generator})
  else()
    tablegen(MLIR ${name}.md ${generator} ${ARG_UNPARSED_ARGUMENTS})
  endif()
  set(out ${CMAKE_BINARY_DIR}/docs/${name}.md)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_BINARY_DIR}/${name}.md ${out}
    DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${name}.md)
  add_custom_target(${name}DocGen DEPENDS ${out})
  set_property(GLOBAL APPEND PROPERTY RECUR_DOCS ${name}DocGen)
endfunction()
