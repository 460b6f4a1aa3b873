# All external dependencies of the build.
include(StaticDependencies)

find_package(Threads REQUIRED)
# engine/support/fmt_library.cc compiles fmt's functions into the engine.
find_path(fmt_INCLUDE fmt/format.h REQUIRED)
add_library(dependency_fmt INTERFACE)
target_include_directories(dependency_fmt SYSTEM INTERFACE ${fmt_INCLUDE})
add_library(dependency::fmt ALIAS dependency_fmt)
find_package(nlohmann_json REQUIRED)  # header-only
find_path(protozero_INCLUDE protozero/pbf_writer.hpp REQUIRED)
add_library(dependency_protozero INTERFACE)
target_include_directories(dependency_protozero SYSTEM INTERFACE ${protozero_INCLUDE})
add_library(dependency::protozero ALIAS dependency_protozero)
find_path(asio_INCLUDE asio.hpp REQUIRED)
add_library(dependency_asio INTERFACE)
target_include_directories(dependency_asio SYSTEM INTERFACE ${asio_INCLUDE})
# Makes asio use operator new, which releases reserve memory before an allocation fails.
target_compile_definitions(dependency_asio INTERFACE ASIO_STANDALONE ASIO_NO_DEPRECATED
                           ASIO_DISABLE_STD_ALIGNED_ALLOC)
target_link_libraries(dependency_asio INTERFACE Threads::Threads)
add_library(dependency::asio ALIAS dependency_asio)
