--- What an ELF file's headers say about a program. Pure. Damaged files are no programs.

local M = {}

local header_size, most_headers, most_bytes = 64, 1024, 64 * 1024

---@class gprof.ProgramFacts
---@field has_lines boolean debug information: it was built with -g, and not stripped
---@field build_id string? the same for a program and for its stripped copies

---@alias gprof.ReadBytes fun(offset: number, size: number): string fewer at the end of the file

--- The number of `size` bytes at an offset; 0 behind the end.
---@param bytes string
---@param at number
---@param size number
---@param is_big boolean
---@return number
local function number_at(bytes, at, size, is_big)
  local value = 0
  for i = 0, size - 1 do
    local place = is_big and at + i or at + size - 1 - i
    value = value * 256 + (bytes:byte(place + 1) or 0)
  end
  return value
end

---@class gprof.ElfPart
---@field kind number
---@field offset number
---@field size number

---@param read gprof.ReadBytes
---@param of table
---@return gprof.ElfPart[]
local function program_parts(read, of)
  local size = of.number(of.header, of.is_wide and 54 or 42, 2)
  if size ~= (of.is_wide and 56 or 32) then
    return {}
  end
  local count = math.min(of.number(of.header, of.is_wide and 56 or 44, 2), most_headers)
  local bytes = read(of.long(of.header, of.is_wide and 32 or 28), size * count)
  local parts = {}
  for at = 0, #bytes - size, size do
    table.insert(parts, {
      kind = of.number(bytes, at, 4),
      offset = of.long(bytes, at + (of.is_wide and 8 or 4)),
      size = of.long(bytes, at + (of.is_wide and 32 or 16)),
    })
  end
  return parts
end

-- A debug file has the headers of its program, and nothing behind them.
---@param read gprof.ReadBytes
---@param part gprof.ElfPart
---@return boolean
local function names_loader(read, part)
  return part.kind == 3 and part.size > 0 and read(part.offset, 1) == '/'
end

-- DF_1_PIE of DT_FLAGS_1.
---@param read gprof.ReadBytes
---@param of table
---@param dynamic gprof.ElfPart
---@return boolean
local function is_static_program(read, of, dynamic)
  local bytes = read(dynamic.offset, math.min(dynamic.size, most_bytes))
  local size = of.is_wide and 8 or 4
  for at = 0, #bytes - 2 * size, 2 * size do
    if of.long(bytes, at) == 0x6ffffffb then
      return math.floor(of.long(bytes, at + size) / 0x08000000) % 2 == 1
    end
  end
  return false
end

---@param read gprof.ReadBytes
---@param of table
---@param note gprof.ElfPart
---@return string?
local function build_id_in(read, of, note)
  local bytes = read(note.offset, math.min(note.size, most_bytes))
  local at = 0
  while at + 12 <= #bytes do
    local name_size, value_size = of.number(bytes, at, 4), of.number(bytes, at + 4, 4)
    local value = at + 12 + math.ceil(name_size / 4) * 4
    if of.number(bytes, at + 8, 4) == 3 and bytes:sub(at + 13, at + 16) == 'GNU\0' then
      return (
        bytes:sub(value + 1, value + value_size):gsub('.', function(byte)
          return ('%02x'):format(byte:byte())
        end)
      )
    end
    at = value + math.ceil(value_size / 4) * 4
  end
end

---@param read gprof.ReadBytes
---@param of table
---@return boolean
local function has_lines(read, of)
  local start = of.long(of.header, of.is_wide and 40 or 32)
  local size = of.number(of.header, of.is_wide and 58 or 46, 2)
  local names = of.number(of.header, of.is_wide and 62 or 50, 2)
  if start == 0 or size ~= (of.is_wide and 64 or 40) then
    return false
  end
  local entry = read(start + names * size, size)
  local length = math.min(of.long(entry, of.is_wide and 32 or 20), most_bytes)
  local text = read(of.long(entry, of.is_wide and 24 or 16), length)
  return text:find('.debug_line\0', 1, true) ~= nil or text:find('.zdebug_line\0', 1, true) ~= nil
end

--- Nil for libraries, object files and whatever else cannot be started.
---@param read gprof.ReadBytes
---@return gprof.ProgramFacts?
function M.program_facts(read)
  local header = read(0, header_size)
  if #header < 52 or header:sub(1, 4) ~= '\127ELF' then
    return nil
  end
  local is_big, is_wide = header:byte(6) == 2, header:byte(5) == 2
  local of = { header = header, is_wide = is_wide }
  function of.number(bytes, at, size)
    return number_at(bytes, at, size, is_big)
  end
  function of.long(bytes, at)
    return number_at(bytes, at, is_wide and 8 or 4, is_big)
  end
  local kind = of.number(header, 16, 2)
  if kind ~= 2 and kind ~= 3 then
    return nil
  end
  -- A position-independent program names what loads it, or says that it is none of the libraries.
  local is_program, build_id = kind == 2, nil
  for _, part in ipairs(program_parts(read, of)) do
    is_program = is_program or names_loader(read, part) or (part.kind == 2 and is_static_program(read, of, part))
    build_id = build_id or (part.kind == 4 and build_id_in(read, of, part) or nil)
  end
  return is_program and { has_lines = has_lines(read, of), build_id = build_id } or nil
end

return M
