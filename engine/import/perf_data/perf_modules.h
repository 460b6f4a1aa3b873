// The files in which a recording has samples, as a profile's modules with link-time addresses, and
// the places in them.
//
// Ownership: borrows what it is made of. Thread contract: one thread. Errors: none; a file that is
// gone, or is another build, keeps its offsets as addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/import/perf_data/kernel_symbols.h"
#include "engine/import/perf_data/perf_processes.h"
#include "engine/object/image.h"
#include "engine/profile/profile_builder.h"

namespace gprof::perf_data {

// A frame of a recorded stack.
struct RecordedFrame {
  static constexpr std::uint32_t nowhere = 0xffffffff;
  static constexpr std::uint32_t program = 0;

  std::uint32_t module = nowhere;  // PerfModules' number
  // Link-time address. In the kernel, the start of the function; 0: unknown.
  Address address = {};
  PlaceKind kind = PlaceKind::call;

  friend bool operator==(const RecordedFrame&, const RecordedFrame&) = default;
};

class PerfModules {
 public:
  using BuildIds = std::map<std::string, std::string, std::less<>>;  // by path

  // `program`: whose profile is wanted. `recorded`: when the recording was written; 0: unknown.
  PerfModules(const std::vector<PerfProcesses::File>& files, const BuildIds& build_ids,
              const Image& program, FileTime recorded, ProfileBuilder& builder);

  // Whether the program is among the files.
  [[nodiscard]] bool has_program() const { return has_program_; }
  // What was recorded of the program if it was another build: that one's build-id.
  [[nodiscard]] const std::string& other_build() const { return other_build_; }
  // Whether a file is the program.
  [[nodiscard]] bool is_program(std::uint32_t file) const {
    return file < is_program_.size() && is_program_[file];
  }
  // Of the build that was recorded; empty if it is not known.
  [[nodiscard]] const std::string& program_build() const { return program_build_; }

  // The frame of the code at that place in a file. Its kind is `call`; the caller may change it.
  [[nodiscard]] RecordedFrame frame_at(const PerfProcesses::Place& place);
  // The kernel's part, and that of virtual machines, are one thing each; but functions of the
  // kernel are told apart where its symbols are known. `is_caller`: the address is behind a call.
  [[nodiscard]] RecordedFrame kernel(std::uint64_t address, bool is_caller);
  [[nodiscard]] RecordedFrame guest();
  // Whether the kernel enters system calls by the function of the frame.
  [[nodiscard]] bool is_entry_of_system_calls(const RecordedFrame& frame) const;
  // Whether the instruction before that place is a system call; false if the code is not available.
  [[nodiscard]] bool is_behind_system_call(const PerfProcesses::Place& place);

  // The row of a frame's place.
  [[nodiscard]] Row place_of(const RecordedFrame& frame);

  // Whether it is one of these two.
  [[nodiscard]] bool is_of_system(std::uint32_t module) const;
  // Null if its file is gone or of another build.
  [[nodiscard]] const Image* image_of(std::uint32_t file);

  void set_kernel(std::optional<KernelSymbols> symbols) { kernel_symbols_ = std::move(symbols); }

 private:
  struct Part {
    std::uint64_t offset = 0;
    std::uint64_t address = 0;
  };
  struct File {
    std::optional<std::uint32_t> module;
    bool is_looked_at = false;
    std::vector<Part> parts;  // with code; ascending by offset
    std::shared_ptr<const Image> image;
    std::string build_id;
  };

  struct KernelFunction {
    std::string_view name;
    bool is_entry = false;  // of system calls
  };

  void find_program(const Image& program);
  // Null if it is unknown.
  [[nodiscard]] const KernelFunction* kernel_function(const RecordedFrame& frame) const;
  [[nodiscard]] std::string build_of(std::uint32_t file) const;
  void look_at(std::uint32_t file);
  [[nodiscard]] std::uint32_t module_of(std::uint32_t file);
  [[nodiscard]] std::uint32_t add_module(ProfileModule module);
  [[nodiscard]] RecordedFrame part_of_system(std::optional<std::uint32_t>& module,
                                             std::string_view name);

  const std::vector<PerfProcesses::File>& named_;
  const BuildIds& build_ids_;
  const Image& program_;
  const FileTime recorded_;
  ProfileBuilder& builder_;
  std::vector<File> files_;
  std::vector<bool> is_program_;
  std::vector<Row> modules_;        // their rows
  std::vector<bool> is_of_system_;  // by module
  std::map<Row, std::uint32_t> numbers_;
  std::optional<std::uint32_t> kernel_;
  std::optional<KernelSymbols> kernel_symbols_;
  std::map<Address, KernelFunction> kernel_functions_;  // functions that frames are in
  std::optional<std::uint32_t> guest_;
  std::size_t opened_ = 0;
  bool has_program_ = false;
  std::string other_build_;
  std::string program_build_;
};

}  // namespace gprof::perf_data
