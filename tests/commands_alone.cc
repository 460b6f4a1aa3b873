// The commands that record programs and read profiles, without the language server. It is never
// run: where it consists of the same bytes as before, a change has not reached what the tests of
// these commands run, and tests/support/remembered_passes.py need not run them again.
#include <string_view>
#include <vector>

#include "server/cli/check/check_command.h"
#include "server/cli/diff/diff_command.h"
#include "server/cli/export/export_command.h"
#include "server/cli/record/record_command.h"
#include "server/cli/recover/recover_command.h"
#include "server/cli/report/report_command.h"
#include "server/cli/run_command.h"

int main(int argument_count, char** arguments) {
  using namespace gprof::lsp;
  const std::vector<std::string_view> words(arguments, arguments + argument_count);
  return run_report(words) + run_command(record_syntax, run_record, words) +
         run_command(recover_syntax, run_recover, words) +
         run_command(check_syntax, run_check, words) +
         run_command(export_syntax, run_export, words) + run_command(diff_syntax, run_diff, words);
}
