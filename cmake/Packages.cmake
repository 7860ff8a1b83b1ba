# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a package has beside the tools and the headers: manual pages, completions of bash and zsh, a file for pkg-config,
# notices, a list of the software that Recur stands on (SPDX), and the Debian packages recur-tools and recur-dev
# (`cpack` in the build folder). The version is that of project().
find_package(Python3 COMPONENTS Interpreter REQUIRED)

# Manual pages and completions are made from the --help of each tool, and pages of the documentation (docs/generated)
# for the tools whose options are not those of MLIR.
get_property(tools GLOBAL PROPERTY RECUR_TOOLS)
set(pages_dir ${PROJECT_BINARY_DIR}/pages)
set(pages)
foreach(tool IN LISTS tools)
  set(files ${pages_dir}/man/${tool}.1 ${pages_dir}/bash/${tool} ${pages_dir}/zsh/_${tool})
  set(docs)
  if(NOT tool MATCHES "^ir-(opt|reduce|translate)$")
    set(docs --docs ${PROJECT_BINARY_DIR}/docs)
    list(APPEND files ${PROJECT_BINARY_DIR}/docs/${tool}.md)
  endif()
  add_custom_command(OUTPUT ${files}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/tool_pages.py $<TARGET_FILE:${tool}>
      --version ${PROJECT_VERSION} --output ${pages_dir} ${docs}
    DEPENDS ${tool} ${PROJECT_SOURCE_DIR}/scripts/tool_pages.py VERBATIM)
  list(APPEND pages ${files})
endforeach()
add_custom_target(recur-pages ALL DEPENDS ${pages})
install(DIRECTORY ${pages_dir}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
install(DIRECTORY ${pages_dir}/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools)
install(DIRECTORY ${pages_dir}/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT tools)

# The prefix may be moved, so the file tells its place from its own.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH RECUR_PREFIX_FROM_PKGCONFIG /${pkgconfig_dir} /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/package/recur.pc.in ${PROJECT_BINARY_DIR}/package/recur.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/recur.pc DESTINATION ${pkgconfig_dir} COMPONENT dev)

# SOURCE_DATE_EPOCH sets the time, so that a build can be repeated.
string(TIMESTAMP RECUR_CREATED "%Y-%m-%dT%H:%M:%SZ" UTC)
# Of the tools, ir-compile says how LLVM is linked: those with LLVM in them are what an error in LLVM concerns most.
foreach(document recur:ir-compile librecur:recur)
  string(REPLACE ":" ";" document ${document})
  list(GET document 0 RECUR_SPDX_NAME)
  list(GET document 1 target)
  set(RECUR_LLVM_LINK DYNAMIC_LINK)
  get_target_property(has_llvm ${target} RECUR_LLVM_ARCHIVES)
  if(has_llvm)
    set(RECUR_LLVM_LINK STATIC_LINK)
  endif()
  configure_file(${CMAKE_CURRENT_LIST_DIR}/package/recur.spdx.json.in
    ${PROJECT_BINARY_DIR}/package/${RECUR_SPDX_NAME}.spdx.json @ONLY)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/package/librecur.spdx.json DESTINATION ${RECUR_SPDX_DIR} COMPONENT dev)
foreach(component tools dev)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/recur-${component}
    RENAME copyright COMPONENT ${component})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/THIRD_PARTY.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  ${PROJECT_BINARY_DIR}/package/recur.spdx.json DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/recur-tools COMPONENT tools)

# The licences of the software that librecur and the tools have in them or are linked with. Debian's packages bring
# their texts; elsewhere RECUR_LICENSE_<name> names the file.
set(licenses_dir ${PROJECT_BINARY_DIR}/package/licenses)
file(MAKE_DIRECTORY ${licenses_dir})
foreach(entry llvm:libmlir-22-dev pugixml:libpugixml-dev zstd:libzstd1)
  string(REPLACE ":" ";" entry ${entry})
  list(GET entry 0 name)
  list(GET entry 1 package)
  find_file(RECUR_LICENSE_${name} NAMES copyright PATHS /usr/share/doc/${package} NO_DEFAULT_PATH
    DOC "The licence of ${name}, for packages")
  if(RECUR_LICENSE_${name})
    configure_file(${RECUR_LICENSE_${name}} ${licenses_dir}/${name}.txt COPYONLY)
  else()
    message(WARNING "packages lack the licence of ${name}: RECUR_LICENSE_${name} must name its file")
  endif()
endforeach()
install(DIRECTORY ${licenses_dir}/ DESTINATION ${RECUR_LICENSES_DIR} COMPONENT dev)
install(DIRECTORY ${licenses_dir}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/recur-tools/licenses COMPONENT tools)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME recur)
set(CPACK_PACKAGE_VENDOR "The Recur project")
set(CPACK_PACKAGE_CONTACT "The Recur project")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Compiler from OpenVINO IR models that loop to native objects")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL tools dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
# Compressing takes half as long as with gzip, and the packages are smaller. Debian 12 and later can read it.
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME recur-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
# dpkg-shlibdeps finds LLVM's library by a link of llvm-dev, and forgets the package behind it, or not, by chance.
find_program(RECUR_DPKG_QUERY dpkg-query)
if(RECUR_DPKG_QUERY AND EXISTS ${LLVM_LIBRARY_DIR}/libLLVM.so)
  file(REAL_PATH ${LLVM_LIBRARY_DIR}/libLLVM.so llvm_library)
  execute_process(COMMAND ${RECUR_DPKG_QUERY} -S ${llvm_library} OUTPUT_VARIABLE llvm_owner ERROR_QUIET)
  if(llvm_owner MATCHES "^([^:]+):")
    set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS ${CMAKE_MATCH_1})
  endif()
endif()
# --emit=shared and `ir-run --aot` call a C compiler.
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "gcc | clang")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "The compiler ir-compile, and tools to run, translate, test and measure models.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME recur-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "recur-tools (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_DEV_DESCRIPTION
  "Headers of the interface of compiled models, and files for CMake (find_package, recur_add_model) and pkg-config.")
include(CPack)
