#include "engine/dwarf/line_program.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <dwarf.h>
#include <fmt/format.h>

#include "engine/dwarf/byte_cursor.h"

namespace gprof::dwarf {
namespace {

// The state machine.
class LineMachine {
 public:
  LineMachine(const LineHeader& header, const std::vector<FileId>& files, ByteOrder order,
              const CodeFilter& code)
      : header_(header), files_(files), code_(code), cursor_(header.program, order) {
    // Most instructions are special opcodes: a row from a byte or two.
    rows_.reserve(std::min<std::uint64_t>(header.program.size() / 3, code.most_rows()));
    start_sequence();
  }

  // False if the program ends inside an instruction or makes too many rows.
  bool run();
  [[nodiscard]] std::uint64_t position() const { return cursor_.position(); }
  [[nodiscard]] bool has_too_many_rows() const { return rows_.size() > code_.most_rows(); }
  std::vector<LineRow> take_rows() { return std::move(rows_); }

 private:
  void start_sequence();
  void run_standard(std::uint8_t opcode);
  void run_extended();
  void advance(std::uint64_t operations);
  void add_line(std::int64_t difference);
  void emit(bool end_of_sequence);
  void finish_sequence();

  const LineHeader& header_;
  const std::vector<FileId>& files_;
  const CodeFilter& code_;
  ByteCursor cursor_;
  std::vector<LineRow> rows_;
  std::size_t sequence_start_ = 0;
  // The registers.
  std::uint64_t address_ = 0;
  std::uint64_t operation_ = 0;
  std::uint64_t file_ = 1;
  std::uint32_t line_ = 1;
  std::uint64_t column_ = 0;
  bool is_statement_ = true;
};

void LineMachine::start_sequence() {
  address_ = 0;
  operation_ = 0;
  file_ = 1;
  line_ = 1;
  column_ = 0;
  is_statement_ = header_.default_is_statement;
  sequence_start_ = rows_.size();
}

// DWARF 5, section 6.2.5.1; on processors with several operations per instruction, counts both.
void LineMachine::advance(std::uint64_t operations) {
  const std::uint64_t per_instruction = header_.operations_per_instruction;
  const std::uint64_t total = operation_ + operations;
  address_ += header_.minimum_instruction_length * (total / per_instruction);
  operation_ = total % per_instruction;
}

void LineMachine::add_line(std::int64_t difference) {
  // Modulo 2^32, so that an absurd difference does not overflow.
  line_ += static_cast<std::uint32_t>(static_cast<std::uint64_t>(difference));
}

void LineMachine::emit(bool end_of_sequence) {
  LineRow row;
  row.address = {header_.address_size == 4 ? address_ & 0xFFFFFFFFu : address_};
  row.end_of_sequence = end_of_sequence;
  if (!end_of_sequence) {
    row.file = file_ < files_.size() ? files_[file_] : no_file;
    row.line = line_;
    const bool narrow = column_ <= std::numeric_limits<std::uint32_t>::max();
    row.column = narrow ? static_cast<std::uint32_t>(column_) : 0;
    row.is_statement = is_statement_;
  }
  rows_.push_back(row);
}

void LineMachine::finish_sequence() {
  if (!code_.is_code(rows_[sequence_start_].address)) rows_.resize(sequence_start_);
  start_sequence();
}

void LineMachine::run_standard(std::uint8_t opcode) {
  switch (opcode) {
    case DW_LNS_copy:
      emit(false);
      break;
    case DW_LNS_advance_pc:
      advance(cursor_.uleb128());
      break;
    case DW_LNS_advance_line:
      add_line(cursor_.sleb128());
      break;
    case DW_LNS_set_file:
      file_ = cursor_.uleb128();
      break;
    case DW_LNS_set_column:
      column_ = cursor_.uleb128();
      break;
    case DW_LNS_negate_stmt:
      is_statement_ = !is_statement_;
      break;
    case DW_LNS_const_add_pc:
      advance((255u - header_.opcode_base) / header_.line_range);
      break;
    case DW_LNS_fixed_advance_pc:
      address_ += cursor_.fixed(2);
      operation_ = 0;
      break;
    default: {
      // Opcodes that are not needed, and those that later versions may add.
      const auto operands = std::to_integer<unsigned>(header_.opcode_lengths[opcode - 1u]);
      for (unsigned i = 0; i < operands && !cursor_.ended_early(); ++i) (void)cursor_.uleb128();
      break;
    }
  }
}

void LineMachine::run_extended() {
  const std::uint64_t size = cursor_.uleb128();
  if (size == 0) return;
  const std::uint8_t opcode = cursor_.byte();
  if (opcode == DW_LNE_end_sequence) {
    cursor_.skip(size - 1);
    if (cursor_.ended_early()) return;
    emit(true);
    finish_sequence();
  } else if (opcode == DW_LNE_set_address && size - 1 <= sizeof(address_)) {
    address_ = cursor_.fixed(size - 1);
    operation_ = 0;
  } else {
    cursor_.skip(size - 1);
  }
}

bool LineMachine::run() {
  while (!cursor_.at_end() && !cursor_.ended_early() && !has_too_many_rows()) {
    const std::uint8_t opcode = cursor_.byte();
    if (opcode >= header_.opcode_base) {
      const unsigned adjusted = opcode - header_.opcode_base;
      advance(adjusted / header_.line_range);
      add_line(header_.line_base + static_cast<int>(adjusted % header_.line_range));
      emit(false);
    } else if (opcode == 0) {
      run_extended();
    } else {
      run_standard(opcode);
    }
  }
  if (has_too_many_rows()) return false;
  rows_.resize(sequence_start_);
  return !cursor_.ended_early();
}

}  // namespace

Expected<std::vector<LineRow>> run_line_program(const LineHeader& header,
                                                const std::vector<FileId>& files,
                                                const DwarfSections& sections,
                                                const CodeFilter& code) {
  LineMachine machine(header, files, sections.order, code);
  if (machine.run()) return machine.take_rows();
  if (machine.has_too_many_rows()) {
    return Error{
        ErrorCode::unsupported,
        fmt::format("a line number program makes more than {} rows, which is more than the "
                    "program's code can have: the rows of its unit are left out",
                    code.most_rows()),
        sections.path,
        {}};
  }
  return Error{ErrorCode::corrupt,
               fmt::format("a line number program of {} bytes ends inside its instruction before "
                           "byte {}: the rows of its unit are left out",
                           header.program.size(), machine.position()),
               sections.path,
               {}};
}

}  // namespace gprof::dwarf
