#include "runtime/output/write_profile.h"

#include <cerrno>
#include <new>

#include "runtime/output/gather.h"
#include "runtime/output/gmon_file.h"
#include "runtime/output/output_file.h"
#include "runtime/output/output_names.h"
#include "runtime/output/sidecar_file.h"
#include "runtime/storage/live_file.h"
#include "runtime/storage/process_facts.h"
#include "runtime/system/environment.h"
#include "runtime/system/message.h"

namespace gprof_runtime {
namespace {

constexpr const char* problem = "cannot write the profile";
constexpr std::uint32_t rate_of_no_samples = default_rate;

// All that writing needs, in anonymous memory: the stack may be a signal handler's, and small.
struct Job {
  Gathered gathered;
  SymbolNames symbols;
  SidecarStrings strings;
  OutputFile file;
  ProcessFacts facts = {};
  const char* name = "";
};

// The files in the order in which they appear: libraries, sidecar, and gmon.out last, so that
// whoever sees that sees all. Calls visit(name, module), no_module for the sidecar; until an error.
template <typename Visit>
int each_file(const Job& job, Visit visit) {
  const ModuleTable& modules = job.gathered.modules;
  int error = 0;
  for (std::uint32_t i = 1; i < modules.size() && error == 0; ++i) {
    if (modules[i].has_file == 0) continue;
    FileName library;
    add_gmon_name(library, job.name, modules, i);
    error = visit(library.c_str(), i);
  }
  if (error != 0) return error;
  FileName sidecar;
  add_sidecar_name(sidecar, job.name);
  error = visit(sidecar.c_str(), no_module);
  return error != 0 ? error : visit(job.name, 0);
}

int write_temporary(Job& job, const OutputDirectory& directory, const char* name,
                    std::uint32_t module) {
  job.file.open(directory, name);
  if (module == no_module) {
    write_sidecar(job.file, job.gathered, job.strings, job.facts);
  } else {
    const std::uint32_t rate = job.facts.header->requested_rate;
    write_gmon(job.file, job.gathered, module, rate != 0 ? rate : rate_of_no_samples);
  }
  return job.file.close();
}

// All files into one directory. Nothing gets its name before everything is written: a disk that
// fills up leaves no mixture of old and new files. Returns an error number.
int write_into(Job& job, const char* path) {
  const OutputDirectory directory(path);
  if (directory.error() != 0) return directory.error();
  int error = each_file(job, [&](const char* name, std::uint32_t module) {
    return write_temporary(job, directory, name, module);
  });
  if (error == 0) {
    error = each_file(
        job, [&](const char* name, std::uint32_t) { return directory.rename_temporary(name); });
  }
  if (error != 0) {
    each_file(job, [&](const char* name, std::uint32_t) {
      directory.remove_temporary(name);
      return 0;
    });
  }
  return error;
}

// Where settings and the program's own doings put the files. Returns the first error.
int write_somewhere(Job& job) {
  const char* wanted = settings().output_directory;
  if (*wanted != '\0') return write_into(job, wanted);
  const int error = write_into(job, "");
  if (error == 0 || *live::start_directory() == '\0') return error;
  return write_into(job, live::start_directory()) == 0 ? 0 : error;
}

bool prepare(Job& job) {
  if (!gather(job.gathered)) return false;
  ModuleTable& modules = job.gathered.modules;
  for (std::uint32_t i = 0; i < modules.size(); ++i) {
    modules[i].has_file = wants_gmon_file(job.gathered, i) ? 1 : 0;
  }
  number_library_files(modules);
  return job.strings.collect(job.gathered, job.name, job.symbols);
}

bool write_job(Job& job) {
  if (!prepare(job)) {
    report_problem(problem, nullptr, ENOMEM);
    return false;
  }
  const int error = write_somewhere(job);
  if (error != 0) report_problem(problem, job.name, error);
  return error == 0;
}

void say_ending(LiveHeader& header, Ending ending, int status, std::uint64_t time) {
  header.ending = static_cast<std::uint32_t>(ending);
  header.exit_status = status;
  // A program that only dumped goes on, and may be killed yet.
  if (ending != Ending::dumped) header.end_time = time;
}

}  // namespace

bool write_profile(Ending ending, int status) {
  LiveHeader* header = live::header();
  if (header == nullptr) return false;
  const std::uint64_t end_time = realtime_nanoseconds();
  say_ending(*header, ending, status, end_time);
  if (header->name[0] == '\0') choose_output_name(false, header->image_number);
  void* memory = map_anonymous(sizeof(Job));
  if (memory == nullptr) {
    report_problem(problem, nullptr, ENOMEM);
    return false;
  }
  Job* job = new (memory) Job;
  job->facts = {header, ending, status, end_time};
  job->name = header->name;
  const bool written = write_job(*job);
  job->~Job();
  unmap_anonymous(memory, sizeof(Job));
  if (written && ending != Ending::dumped) {
    __atomic_store_n(&header->state, static_cast<std::uint32_t>(LiveState::written),
                     __ATOMIC_RELEASE);
  }
  return written;
}

}  // namespace gprof_runtime
