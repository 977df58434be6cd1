# Toolchain of the preset "wasm": emscripten's own, found beside emcc.
find_program(TL_EMCC emcc)
if(NOT TL_EMCC)
  message(FATAL_ERROR "emcc is not installed (Debian: emscripten)")
endif()
file(REAL_PATH ${TL_EMCC} TL_EMCC_REAL)
cmake_path(GET TL_EMCC_REAL PARENT_PATH TL_EMSCRIPTEN)
include(${TL_EMSCRIPTEN}/cmake/Modules/Platform/Emscripten.cmake)
