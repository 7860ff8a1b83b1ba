# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Thin wrappers, so that a directory's CMakeLists.txt names its sources and what it stands on, and nothing else.

# Every library that includes MLIR reuses one precompiled header: parsing MLIR's headers, and making the classes of all
# ops, is most of a build. Templates that the header uses are made in it, not in each file.
function(_recur_pch target)
  if(NOT TARGET RecurPCH)
    file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/pch.cpp CONTENT "// Carries the precompiled header.\n")
    add_library(RecurPCH OBJECT ${CMAKE_BINARY_DIR}/pch.cpp)
    target_precompile_headers(RecurPCH PRIVATE
      <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinAttributes.h> <mlir/IR/PatternMatch.h> <mlir/Pass/Pass.h>
      <mlir/Interfaces/InferTypeOpInterface.h> <mlir/Dialect/Affine/IR/AffineOps.h> <mlir/Dialect/Arith/IR/Arith.h>
      <mlir/Dialect/Bufferization/IR/Bufferization.h> <mlir/Dialect/Func/IR/FuncOps.h>
      <mlir/Dialect/LLVMIR/LLVMDialect.h> <mlir/Dialect/Linalg/IR/Linalg.h> <mlir/Dialect/Math/IR/Math.h>
      <mlir/Dialect/MemRef/IR/MemRef.h> <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/Tensor/IR/Tensor.h>
      <mlir/Dialect/Vector/IR/VectorOps.h> <mlir/Transforms/DialectConversion.h>
      ${PROJECT_SOURCE_DIR}/include/Recur/Dialect/OV/IR/OV.h ${PROJECT_SOURCE_DIR}/include/Recur/Dialect/RT/IR/RT.h)
    add_dependencies(RecurPCH RecurOVIncGen RecurRTIncGen)
  endif()
  target_precompile_headers(${target} REUSE_FROM RecurPCH)
endfunction()

# With RECUR_UNITY, files of a library are compiled together where their names allow it (scripts/unity.py). A build from
# nothing takes half the time, and one after an edit more.
function(_recur_unity target)
  if(NOT RECUR_UNITY)
    return()
  endif()
  get_target_property(files ${target} SOURCES)
  list(FILTER files INCLUDE REGEX "\\.cpp$")
  # Names in the files decide the groups.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  execute_process(COMMAND ${RECUR_PYTHON} ${PROJECT_SOURCE_DIR}/scripts/unity.py --most ${RECUR_UNITY_MOST} ${files}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([0-9]+) (.*)$" _ "${line}")
    set_source_files_properties(${CMAKE_MATCH_2} PROPERTIES UNITY_GROUP group${CMAKE_MATCH_1})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# LLVM's archives, and what they need. LLVM's packages bring only the files for running programs.
file(GLOB RECUR_LLVM_ARCHIVES CONFIGURE_DEPENDS ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
list(FILTER RECUR_LLVM_ARCHIVES EXCLUDE REGEX "/libMLIR(CAPI|Test|.*TestPasses)")
if(RECUR_LLVM_ARCHIVES)
  find_library(RECUR_ZLIB NAMES z libz.so.1 REQUIRED)
  find_library(RECUR_ZSTD NAMES zstd libzstd.so.1 REQUIRED)
  add_library(RecurLLVMArchives INTERFACE)
  list(JOIN RECUR_LLVM_ARCHIVES "," llvm_archives)
  target_link_libraries(RecurLLVMArchives INTERFACE
    "$<LINK_GROUP:RESCAN,${llvm_archives}>" ${RECUR_ZLIB} ${RECUR_ZSTD} ${CMAKE_DL_LIBS})
endif()

# recur_embed_llvm(TARGET): a program or a shared library has in it what it needs of LLVM and MLIR. If LLVM's archives
# are not installed, it is linked with LLVM's shared libraries.
function(recur_embed_llvm target)
  target_link_options(${target} PRIVATE -Wl,--gc-sections)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # GNU's linker takes several times as long.
    target_link_options(${target} PRIVATE -fuse-ld=lld)
  endif()
  if(RECUR_LLVM_ARCHIVES)
    set_target_properties(${target} PROPERTIES RECUR_LLVM_ARCHIVES ON)
  endif()
endfunction()

# What has LLVM's archives in it must not have LLVM's shared libraries as well. A library asks the target that it ends
# in.
function(_recur_link_llvm target visibility)
  set(archives $<BOOL:$<TARGET_PROPERTY:RECUR_LLVM_ARCHIVES>>)
  target_link_libraries(${target} ${visibility}
    $<IF:${archives},RecurLLVMArchives,MLIR> $<$<NOT:${archives}>:LLVM>)
endfunction()

# add_recur_library(NAME sources... [LINK_LIBS libs...] [DEPENDS targets...] [NO_PCH])
function(add_recur_library name)
  cmake_parse_arguments(ARG "NO_PCH" "" "LINK_LIBS;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  _recur_link_llvm(${name} PUBLIC)
  _recur_unity(${name})
  if(NOT ARG_NO_PCH)
    _recur_pch(${name})
  endif()
endfunction()

# What goes into every program. It is compiled like a part of a library, because it shares the precompiled header.
function(_recur_program target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
  if(CMAKE_C_FLAGS MATCHES "-fsanitize")
    # A target with files of C cannot reuse the precompiled header of C++.
    if(NOT TARGET RecurSanitizerOptions)
      add_library(RecurSanitizerOptions OBJECT ${PROJECT_SOURCE_DIR}/cmake/SanitizerOptions.c)
    endif()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:RecurSanitizerOptions>)
  endif()
endfunction()

# add_recur_tool(NAME sources... LINK_LIBS libs... [EMBED_LLVM]): EMBED_LLVM suits tools that are started for each
# model. LLVM's shared libraries cost each process 60 ms and 55 MB, because their symbols are looked up by name, and a
# tool with LLVM in it costs 90 MB of disk. RECUR_EMBED_LLVM names more such tools, for a build that runs all tests.
# With sanitizers all tools need the shared libraries: a function of a header is compiled with checks in Recur, and
# without them in LLVM's archives.
function(add_recur_tool name)
  cmake_parse_arguments(ARG "EMBED_LLVM" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  _recur_link_llvm(${name} PRIVATE)
  if((ARG_EMBED_LLVM OR name IN_LIST RECUR_EMBED_LLVM) AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    recur_embed_llvm(${name})
  endif()
  _recur_program(${name})
  _recur_pch(${name})
  set_property(GLOBAL APPEND PROPERTY RECUR_TOOLS ${name})
endfunction()

# add_recur_unittest(NAME sources... LINK_LIBS libs... [NO_PCH]): a GoogleTest program, run by lit under Unit/.
function(add_recur_unittest name)
  cmake_parse_arguments(ARG "NO_PCH" "" "LINK_LIBS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} GTest::gtest GTest::gtest_main MLIR LLVM)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unittests)
  _recur_unity(${name})
  _recur_program(${name})
  if(NOT ARG_NO_PCH)
    _recur_pch(${name})
  endif()
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
