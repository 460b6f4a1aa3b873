#include "runtime/output/write_profile.h"

#include <cerrno>
#include <cstring>
#include <new>

#include <fcntl.h>

#include "formats/gmon_rules.h"
#include "runtime/output/gather.h"
#include "runtime/output/gmon_file.h"
#include "runtime/output/name_claim.h"
#include "runtime/output/output_file.h"
#include "runtime/output/output_names.h"
#include "runtime/output/sidecar_file.h"
#include "runtime/storage/held_files.h"
#include "runtime/storage/live_file.h"
#include "runtime/storage/process_facts.h"
#include "runtime/system/environment.h"
#include "runtime/system/message.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime {
namespace {

constexpr const char* problem = "cannot write the profile";

// All state for writing, in anonymous memory: a signal handler's stack may be small.
struct Job {
  Gathered gathered;
  SymbolNames symbols;
  SidecarStrings strings;
  OutputFile file;
  ProcessFacts facts = {};
  NameChoice names;
  // The name that temporary files were created for; another process may take it meanwhile.
  Text<live_name_size> begun_name;
  // Of the current file.
  FileName begun;
  FileName name;
};

// Calls visit(module) for each gmon file, with job.begun and job.name set, until an error. gmon.out
// comes after the libraries' files, so that when it appears all are complete.
template <typename Visit>
int each_gmon_file(Job& job, Visit visit) {
  const ModuleTable& modules = job.gathered.modules;
  int error = 0;
  for (std::uint32_t i = 1; i <= modules.size() && error == 0; ++i) {
    const std::uint32_t module = i < modules.size() ? i : 0;
    if (module != 0 && modules[module].has_file == 0) continue;
    job.begun.clear();
    add_gmon_name(job.begun, job.begun_name.c_str(), modules, module);
    job.name.clear();
    add_gmon_name(job.name, job.names.c_str(), modules, module);
    error = visit(module);
  }
  return error;
}

void set_sidecar_names(Job& job) {
  job.begun.clear();
  add_sidecar_name(job.begun, job.begun_name.c_str());
  job.name.clear();
  add_sidecar_name(job.name, job.names.c_str());
}

int write_temporary_sidecar(Job& job, const OutputDirectory& directory) {
  if (!job.strings.name_files(job.gathered, job.names.c_str())) return ENOMEM;
  set_sidecar_names(job);
  job.file.open(directory, job.begun.c_str());
  write_sidecar(job.file, job.gathered, job.strings, job.facts);
  return job.file.close();
}

int write_temporary(Job& job, const OutputDirectory& directory, std::uint32_t module) {
  job.file.open(directory, job.begun.c_str());
  write_gmon(job.file, job.gathered, module, rate_in_file(job.facts.header->requested_rate));
  return job.file.close();
}

// Finds the first name not taken by a process that ran at the same time; NameUse::taken if there is
// none.
NameUse find_name(Job& job, const OutputDirectory& directory) {
  for (;;) {
    const NameUse use = use_of_name(directory, job.names.c_str(), *job.facts.header);
    if (use != NameUse::taken || !job.names.next()) return use;
  }
}

// Renames the sidecar first, since it says who owns the name. EEXIST if another process was faster.
int claim_name(Job& job, const OutputDirectory& directory, const NamesLock& lock, NameUse use) {
  set_sidecar_names(job);
  if (use == NameUse::outdated && lock.held()) {
    return directory.rename_temporary(job.begun.c_str(), job.name.c_str());
  }
  // Without the lock, another process may be replacing the outdated file right now.
  if (use == NameUse::outdated) directory.remove(job.name.c_str());
  return directory.rename_temporary_if_unused(job.begun.c_str(), job.name.c_str());
}

void tell_name(LiveHeader* header, const char* name) {
  if (std::strcmp(header->name, name) == 0) return;
  for (char& character : header->name) character = '\0';
  FixedText(header->name, sizeof header->name).add(name);
}

// Renames the complete temporary files. Another process may have taken their names meanwhile.
int give_names(Job& job, const OutputDirectory& directory) {
  const NamesLock lock(directory);
  if (lock.busy() && job.names.is_shared()) job.names.next();
  int error = EEXIST;
  while (error == EEXIST) {
    const NameUse use = find_name(job, directory);
    if (use == NameUse::taken) return EEXIST;
    if (std::strcmp(job.names.c_str(), job.begun_name.c_str()) != 0) {
      if (const int failure = write_temporary_sidecar(job, directory); failure != 0) return failure;
    }
    error = claim_name(job, directory, lock, use);
    if (error == EEXIST && !job.names.next()) return EEXIST;
  }
  if (error != 0) return error;
  error = each_gmon_file(job, [&](std::uint32_t) {
    return directory.rename_temporary(job.begun.c_str(), job.name.c_str());
  });
  if (error == 0) tell_name(live::header(), job.names.c_str());
  return error;
}

void remove_temporaries(Job& job, const OutputDirectory& directory) {
  set_sidecar_names(job);
  directory.remove_temporary(job.begun.c_str());
  each_gmon_file(job, [&](std::uint32_t) {
    directory.remove_temporary(job.begun.c_str());
    return 0;
  });
}

// Writes all files into one directory. Nothing is renamed before everything is written, so that a
// full disk leaves no mixture of old and new files. Returns an errno.
int write_into(Job& job, const char* path) {
  const OutputDirectory directory(path, *path != '\0' ? held::directory() : -1);
  if (directory.error() != 0) return directory.error();
  job.names.begin(job.facts.header->name, job.facts.header->process);
  if (find_name(job, directory) == NameUse::taken) return EEXIST;
  job.begun_name.clear();
  job.begun_name.add(job.names.c_str());
  int error = write_temporary_sidecar(job, directory);
  if (error == 0) {
    error = each_gmon_file(
        job, [&](std::uint32_t module) { return write_temporary(job, directory, module); });
  }
  if (error == 0) error = give_names(job, directory);
  if (error != 0) remove_temporaries(job, directory);
  return error;
}

// Tries the directory from the settings, or the current and then the start directory. Returns the
// first error.
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
  return job.strings.collect(job.gathered, job.symbols);
}

bool write_job(Job& job) {
  if (!prepare(job)) {
    report_problem(problem, nullptr, ENOMEM);
    return false;
  }
  const int error = write_somewhere(job);
  if (error != 0) report_problem(problem, job.facts.header->name, error);
  return error == 0;
}

// If the program has forbidden itself to create files, reports that instead of trying.
bool is_forbidden_to_write() {
  if (__atomic_load_n(&sys::filters_in_force, __ATOMIC_RELAXED) == 0) return false;
  const long making_a_file[6] = {AT_FDCWD, 0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666, 0, 0};
  if (!sys::is_forbidden(__NR_openat, making_a_file)) return false;
  report_problem(
      "cannot write the profile: the program's own filter of system calls forbids it; it is in",
      live::path(), 0);
  return true;
}

void say_ending(LiveHeader& header, Ending ending, int status, std::uint64_t time) {
  header.ending = static_cast<std::uint32_t>(ending);
  header.exit_status = status;
  // After a mere dump the program continues, and may still be killed.
  if (ending != Ending::dumped) header.end_time = time;
}

}  // namespace

bool write_profile(Ending ending, int status) {
  LiveHeader* header = live::header();
  if (header == nullptr) return false;
  const std::uint64_t end_time = realtime_nanoseconds();
  say_ending(*header, ending, status, end_time);
  if (is_forbidden_to_write()) return false;
  if (header->name[0] == '\0') choose_output_name(false, header->image_number);
  void* memory = map_anonymous(sizeof(Job));
  if (memory == nullptr) {
    report_problem(problem, nullptr, ENOMEM);
    return false;
  }
  Job* job = new (memory) Job;
  job->facts = {header, ending, status, end_time};
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
