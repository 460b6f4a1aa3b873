// The files in which a recording has samples, as a profile's modules with link-time addresses.
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

#include "engine/gmon/external_names.h"
#include "engine/gmon/sidecar.h"
#include "engine/import/import_room.h"
#include "engine/import/perf_data/kernel_symbols.h"
#include "engine/import/perf_data/perf_processes.h"
#include "engine/object/image.h"

namespace gprof::perf_data {

class PerfModules {
 public:
  using BuildIds = std::map<std::string, std::string, std::less<>>;  // by path

  // `program`: whose profile is wanted. `recorded`: when the recording was written; 0: unknown.
  // `events`: how many lists of the modules there will be. Those without room have no number.
  PerfModules(const std::vector<PerfProcesses::File>& files, const BuildIds& build_ids,
              const Image& program, FileTime recorded, ImportRoom& room, std::size_t events);

  // Whether the program is among the files.
  [[nodiscard]] bool has_program() const { return has_program_; }
  // What was recorded of the program if it was another build: that one's build-id.
  [[nodiscard]] const std::string& other_build() const { return other_build_; }
  [[nodiscard]] bool is_program(std::uint32_t file) const {
    return file < is_program_.size() && is_program_[file];
  }
  // Of the build that was recorded; empty if it is not known.
  [[nodiscard]] const std::string& program_build() const { return program_build_; }

  [[nodiscard]] ModuleAddress address_of(const PerfProcesses::Place& place);
  // The kernel's part, and that of virtual machines, are one thing each; but functions of the
  // kernel are told apart where its symbols are known. `is_caller`: the address is behind a call.
  [[nodiscard]] ModuleAddress kernel(std::uint64_t address, bool is_caller);
  [[nodiscard]] ModuleAddress guest();

  // Whether it is one of these two.
  [[nodiscard]] bool is_of_system(std::uint32_t module) const;
  // Whether threads begin in it, and programs: the C library.
  [[nodiscard]] bool is_c_library(std::uint32_t module) const;
  // Whether its code runs before the program's.
  [[nodiscard]] bool is_loader(std::uint32_t module) const;
  // Null if its file is gone or of another build.
  [[nodiscard]] const Image* image_of(std::uint32_t file);

  void set_kernel(std::optional<KernelSymbols> symbols) { kernel_symbols_ = std::move(symbols); }
  // Of the kernel's functions that were asked for; null if there are none. May be given away once.
  [[nodiscard]] std::shared_ptr<const ExternalNames> take_names();
  // The program comes first. May be given away once.
  [[nodiscard]] std::vector<SidecarModule>& modules() { return modules_; }

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

  void find_program(const Image& program);
  [[nodiscard]] std::string build_of(std::uint32_t file) const;
  void look_at(std::uint32_t file);
  [[nodiscard]] std::uint32_t module_of(std::uint32_t file);
  [[nodiscard]] std::uint32_t add_module(std::string path, std::string build_id);
  [[nodiscard]] ModuleAddress part_of_system(std::optional<std::uint32_t>& module,
                                             std::string_view name);

  const std::vector<PerfProcesses::File>& named_;
  const BuildIds& build_ids_;
  const Image& program_;
  const FileTime recorded_;
  ImportRoom& room_;
  const std::size_t events_;
  std::vector<File> files_;
  std::vector<bool> is_program_;
  std::vector<SidecarModule> modules_;
  std::vector<std::uint8_t> kinds_;  // by module
  std::map<std::pair<std::string, std::string>, std::uint32_t> numbers_;
  std::optional<std::uint32_t> kernel_;
  std::optional<KernelSymbols> kernel_symbols_;
  ExternalNames names_;
  std::optional<std::uint32_t> guest_;
  std::size_t opened_ = 0;
  bool has_program_ = false;
  std::string other_build_;
  std::string program_build_;
};

}  // namespace gprof::perf_data
