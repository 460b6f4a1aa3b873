#include "engine/imported_waits.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "engine/import/imported_profile.h"
#include "engine/import/wait_cause.h"

namespace gprof {
namespace {

// Functions of the C library call a few others of it.
constexpr std::size_t most_named_frames = 64;

class WaitNames {
 public:
  WaitNames(Sidecar& sidecar, const std::vector<bool>& own_modules, const SymbolTable& symbols,
            const ExternalFunctions& functions)
      : sidecar_(sidecar), symbols_(symbols), functions_(functions) {
    using Code = WaitingFrame::Code;
    for (std::size_t i = 0; i < sidecar.modules.size(); ++i) {
      const std::string& path = sidecar.modules[i].path;
      const bool is_own = i < own_modules.size() && own_modules[i];
      codes_.push_back(is_own                    ? Code::program
                       : path == "kernel"        ? Code::kernel
                       : is_c_library_file(path) ? Code::c_library
                                                 : Code::library);
    }
  }

  // How the kernel switches is the same in all of them: a wait is at what called the scheduler.
  void drop_scheduler(SidecarStack& stack) const {
    std::size_t dropped = 0;
    while (dropped + 1 < stack.frames.size() &&
           is_of_scheduler(stack.frames[dropped], dropped == 0)) {
      ++dropped;
    }
    if (dropped == 0) return;
    stack.frames.erase(stack.frames.begin(),
                       stack.frames.begin() + static_cast<std::ptrdiff_t>(dropped));
    stack.frames.front().address = code_address(stack.frames.front().address, false);
  }

  void name(SidecarWait& wait) {
    std::vector<WaitingFrame> frames;
    const SidecarStack& stack = sidecar_.wait_stacks[wait.stack];
    for (std::size_t i = 0; i < std::min(stack.frames.size(), most_named_frames); ++i) {
      const ModuleAddress& frame = stack.frames[i];
      if (frame.module < codes_.size()) frames.push_back(named(frame, i == 0));
    }
    const auto cause = cause_of_wait(frames);
    if (!cause) return;
    wait.kind = cause->kind;
    if (!cause->function.empty()) wait.function = number_of(std::string(cause->function));
  }

 private:
  [[nodiscard]] bool is_of_scheduler(const ModuleAddress& frame, bool innermost) const {
    if (frame.module >= codes_.size() || codes_[frame.module] != WaitingFrame::Code::kernel) {
      return false;
    }
    const std::string_view name = named(frame, innermost).name;
    return name.starts_with("__schedule") || name.starts_with("schedule");
  }

  [[nodiscard]] WaitingFrame named(const ModuleAddress& frame, bool innermost) const {
    const WaitingFrame::Code code = codes_[frame.module];
    const Address place = code_address(frame.address, innermost);
    if (code != WaitingFrame::Code::program) return {code, functions_.name_at(frame.module, place)};
    const auto symbol = symbols_.find(place);
    return {code, symbol ? std::string_view(symbols_[*symbol].name) : std::string_view()};
  }

  std::uint32_t number_of(const std::string& function) {
    const auto next = static_cast<std::uint32_t>(sidecar_.names.size());
    const auto [known, is_new] = numbers_.try_emplace(function, next);
    if (is_new) sidecar_.names.push_back(function);
    return known->second;
  }

  Sidecar& sidecar_;
  const SymbolTable& symbols_;
  const ExternalFunctions& functions_;
  std::vector<WaitingFrame::Code> codes_;  // by module
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

}  // namespace

void name_waits(Sidecar& sidecar, const std::vector<bool>& own_modules, const SymbolTable& symbols,
                const ExternalFunctions& functions) {
  WaitNames names(sidecar, own_modules, symbols, functions);
  for (SidecarWait& wait : sidecar.waits) {
    if (sidecar.name_of(wait).empty()) names.name(wait);
  }
  for (SidecarStack& stack : sidecar.wait_stacks) names.drop_scheduler(stack);
}

}  // namespace gprof
