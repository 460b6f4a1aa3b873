// The file of --log: one line per event, with the time in UTC.
//
// Ownership: owns the file. Thread contract: any thread.
#pragma once

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "engine/support/expected.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

class LogFile {
 public:
  // Events below `level` are left out.
  static Expected<std::unique_ptr<LogFile>> open(const std::string& path, LogLevel level);

  void write(LogLevel level, std::string_view text);

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  LogFile(std::FILE* file, LogLevel level) : file_(file), level_(level) {}

  std::mutex mutex_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  LogLevel level_;
};

}  // namespace gprof::lsp
