// Numbers of the members of pprof's messages.
//
// Source: profile.proto of github.com/google/pprof.
#pragma once

#include <cstdint>

namespace gprof::pprof {

namespace profile_field {
inline constexpr std::uint32_t sample_type = 1;
inline constexpr std::uint32_t sample = 2;
inline constexpr std::uint32_t mapping = 3;
inline constexpr std::uint32_t location = 4;
inline constexpr std::uint32_t function = 5;
inline constexpr std::uint32_t string_table = 6;
inline constexpr std::uint32_t time_nanos = 9;
inline constexpr std::uint32_t period_type = 11;
inline constexpr std::uint32_t period = 12;
inline constexpr std::uint32_t comment = 13;
inline constexpr std::uint32_t default_sample_type = 14;
}  // namespace profile_field
namespace value_type_field {
inline constexpr std::uint32_t type = 1;
inline constexpr std::uint32_t unit = 2;
}  // namespace value_type_field
namespace sample_field {
inline constexpr std::uint32_t location_id = 1;
inline constexpr std::uint32_t value = 2;
inline constexpr std::uint32_t label = 3;
}  // namespace sample_field
namespace mapping_field {
inline constexpr std::uint32_t id = 1;
inline constexpr std::uint32_t memory_start = 2;
inline constexpr std::uint32_t memory_limit = 3;
inline constexpr std::uint32_t file_offset = 4;
inline constexpr std::uint32_t filename = 5;
inline constexpr std::uint32_t build_id = 6;
inline constexpr std::uint32_t has_functions = 7;
inline constexpr std::uint32_t has_filenames = 8;
inline constexpr std::uint32_t has_line_numbers = 9;
}  // namespace mapping_field
namespace location_field {
inline constexpr std::uint32_t id = 1;
inline constexpr std::uint32_t mapping_id = 2;
inline constexpr std::uint32_t address = 3;
inline constexpr std::uint32_t line = 4;
}  // namespace location_field
namespace line_field {
inline constexpr std::uint32_t function_id = 1;
inline constexpr std::uint32_t line = 2;
}  // namespace line_field
namespace function_field {
inline constexpr std::uint32_t id = 1;
inline constexpr std::uint32_t name = 2;
inline constexpr std::uint32_t system_name = 3;
inline constexpr std::uint32_t filename = 4;
inline constexpr std::uint32_t start_line = 5;
}  // namespace function_field
namespace label_field {
inline constexpr std::uint32_t key = 1;
inline constexpr std::uint32_t str = 2;
inline constexpr std::uint32_t num = 3;
}  // namespace label_field

}  // namespace gprof::pprof
