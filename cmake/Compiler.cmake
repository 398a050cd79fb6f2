# The compiler, its warnings, the sanitizers and the linker: what holds for every target.

# GCC 12 miscompiles coroutines (it destroys temporaries of a co_await expression twice), so it is refused.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  message(FATAL_ERROR
    "Outpost needs clang 19 or newer; this is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}. "
    "GCC 12 miscompiles C++ coroutines. Install clang 19 with scripts/install-deps (apt-get install clang-19 lld-19) "
    "and configure with a preset: cmake --preset dev")
endif()

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(CCACHE ccache)
if(CCACHE)
  # ccache 4.7 takes its sloppiness from the environment only, and a preset's environment counts at configure only.
  # Another clone or another build folder of the same sources finds what this one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "env;CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime;CCACHE_NOHASHDIR=1;CCACHE_BASEDIR=${CMAKE_SOURCE_DIR};${CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Wno-gnu-statement-expression)
add_compile_options($<$<CONFIG:Debug>:-O1> -ffunction-sections -fdata-sections -fno-omit-frame-pointer)
add_compile_definitions($<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS> $<$<CONFIG:Debug>:OUTPOST_DEBUG_CHECKS>)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_EXE_LINKER_FLAGS "${CMAKE_EXE_LINKER_FLAGS} -fuse-ld=lld -Wl,--gc-sections -Wl,--build-id=sha1")

if(OUTPOST_SANITIZE)
  add_compile_options(-fsanitize=${OUTPOST_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${OUTPOST_SANITIZE})
endif()
if(OUTPOST_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

set(Boost_USE_STATIC_LIBS ON)
set(OPENSSL_USE_STATIC_LIBS ${OUTPOST_STATIC})
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(OpenSSL 3 REQUIRED)

if(OUTPOST_STATIC)
  # The release is one file that people look for and type: build/release/outpost.
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endif()

# What the whole product agrees on: errors as values.
add_library(outpost_options INTERFACE)
target_include_directories(outpost_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_include_directories(outpost_options SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
target_compile_definitions(outpost_options INTERFACE
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_REGEX FMT_HEADER_ONLY SPDLOG_FMT_EXTERNAL
  OUTPOST_VERSION="${PROJECT_VERSION}")
target_link_libraries(outpost_options INTERFACE Threads::Threads)
