# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` puts into a prefix: the tools, the library of the compiler with its header
# (recur_compiler.hpp), the types of the interface of compiled models, the headers for C++ (recur.hpp, recur_gang.hpp,
# recur_tbb.hpp) and for both languages (recur_tuner.h), and a CMake package (find_package(Recur)). Packages.cmake adds
# more. The prefix can be moved, as long as LLVM stays where it is.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The header of a model has these types in it. Code that is made for any model includes them on their own.
add_library(RecurABI INTERFACE)
set_target_properties(RecurABI PROPERTIES EXPORT_NAME abi)
target_sources(RecurABI INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES
  ${PROJECT_SOURCE_DIR}/include/Recur/Target/ABI.h ${PROJECT_SOURCE_DIR}/include/Recur/Target/EntryPoints.h
  ${PROJECT_SOURCE_DIR}/include/Recur/Target/Profile.h ${PROJECT_SOURCE_DIR}/include/Recur/Target/Weights.h
  ${PROJECT_SOURCE_DIR}/include/Recur/Target/MapWeights.h)
set(wrapper_dir ${PROJECT_SOURCE_DIR}/include/Recur/Target)
target_sources(RecurABI INTERFACE FILE_SET wrapper TYPE HEADERS BASE_DIRS ${wrapper_dir} FILES
  ${wrapper_dir}/recur.hpp ${wrapper_dir}/recur_gang.hpp ${wrapper_dir}/recur_tbb.hpp
  ${wrapper_dir}/recur_tuner.h)

# The library of the compiler (lib/Library).
target_link_libraries(recur INTERFACE RecurABI)
set(library_dir ${PROJECT_SOURCE_DIR}/include/Recur/Library)
target_sources(recur INTERFACE FILE_SET HEADERS BASE_DIRS ${library_dir} FILES ${library_dir}/recur_compiler.hpp)

get_property(tools GLOBAL PROPERTY RECUR_TOOLS)
install(TARGETS ${tools} EXPORT RecurTargets COMPONENT tools)
install(TARGETS recur EXPORT RecurTargets FILE_SET HEADERS COMPONENT dev LIBRARY COMPONENT dev)
install(TARGETS RecurABI EXPORT RecurTargets FILE_SET HEADERS COMPONENT dev FILE_SET wrapper COMPONENT dev)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Recur)
set(RECUR_SPDX_DIR ${CMAKE_INSTALL_DATADIR}/doc/recur-dev)
set(RECUR_LICENSES_DIR ${RECUR_SPDX_DIR}/licenses)
install(EXPORT RecurTargets NAMESPACE Recur:: DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/package/RecurConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/RecurConfig.cmake INSTALL_DESTINATION ${package_dir}
  PATH_VARS RECUR_LICENSES_DIR RECUR_SPDX_DIR)
# A package of tools suits a project for any machine.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/RecurConfigVersion.cmake
  COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/package/RecurAddModel.cmake
  ${PROJECT_BINARY_DIR}/package/RecurConfig.cmake ${PROJECT_BINARY_DIR}/package/RecurConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT dev)
