# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Included in front of project(): what a build takes if nobody says what it should take.

# Whoever names no compiler gets the clang of LLVM 22. A build needs it in any case, for the code that becomes a part of
# each model, and it takes half the time of GCC. CXX, CC and CMAKE_CXX_COMPILER choose another one.
find_program(RECUR_CLANG clang-22 HINTS /usr/lib/llvm-22/bin DOC "The clang that compiles the ABI shim to assembly")
if(NOT CMAKE_CXX_COMPILER AND NOT CMAKE_C_COMPILER AND NOT CMAKE_TOOLCHAIN_FILE
    AND "$ENV{CXX}$ENV{CC}" STREQUAL "")
  find_program(RECUR_CLANGXX clang++-22 HINTS /usr/lib/llvm-22/bin DOC "The compiler if none is named")
  mark_as_advanced(RECUR_CLANGXX)
  if(RECUR_CLANGXX AND RECUR_CLANG)
    set(CMAKE_C_COMPILER ${RECUR_CLANG} CACHE FILEPATH "The C compiler")
    set(CMAKE_CXX_COMPILER ${RECUR_CLANGXX} CACHE FILEPATH "The C++ compiler")
    message(STATUS "No compiler is named, so ${RECUR_CLANGXX} is taken (CXX=... chooses another one)")
  endif()
endif()

# These take the least time to build for use. Packages have more (the preset `dist`).
set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG" CACHE STRING "Flags of C++ for the build type Release")
