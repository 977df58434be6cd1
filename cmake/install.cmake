# What `cmake --install` puts where: headers, libraries, scenes, the CMake package and the pkg-config files. Programs
# built against it get TL_REAL_DOUBLE when the library was built in double precision.
include(CMakePackageConfigHelpers)
set(TL_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/telar)
install(TARGETS telar EXPORT telar-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS telar-io EXPORT telar-io-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT telar-targets NAMESPACE telar:: FILE telarTargets.cmake DESTINATION ${TL_PACKAGE_DIR})
install(EXPORT telar-io-targets NAMESPACE telar:: FILE telar-ioTargets.cmake DESTINATION ${TL_PACKAGE_DIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/telar DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/telar)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# the package
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/telarConfig.cmake.in ${PROJECT_BINARY_DIR}/telarConfig.cmake
  INSTALL_DESTINATION ${TL_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/telarConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/telarConfig.cmake ${PROJECT_BINARY_DIR}/telarConfigVersion.cmake
  DESTINATION ${TL_PACKAGE_DIR})

# pkg-config: found relative to the files themselves, so that any prefix works
file(RELATIVE_PATH TL_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" TL_PC_PREFIX "${TL_PC_PREFIX}")
set(TL_PC_DEFINES "")
if(TL_REAL STREQUAL "double")
  set(TL_PC_DEFINES " -DTL_REAL_DOUBLE")
endif()
set(TL_PC_IO_ASSIMP "")
set(TL_PC_IO_PRIVATE "")
if(ASSIMP_FOUND)
  set(TL_PC_IO_ASSIMP ", assimp")
  set(TL_PC_IO_PRIVATE "Requires.private: assimp")
endif()
# a static library does not carry its dependencies: all users link them
set(TL_PC_LIBS "")
set(TL_PC_IO_REQUIRES "")
if(NOT BUILD_SHARED_LIBS)
  set(TL_PC_LIBS " -lm -pthread")
  set(TL_PC_IO_REQUIRES "${TL_PC_IO_ASSIMP}")
endif()
foreach(name telar telar-io)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
