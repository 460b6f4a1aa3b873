--- Programs of a workspace that can be run: ELF executables and the scripts by which libtool starts them. The search
--- runs in small steps, so that Neovim stays responsive.

local compat = require('gprof.compat')
local elf = require('gprof.recording.elf')
local libtool = require('gprof.recording.libtool')
local program_order = require('gprof.recording.program_order')

local M = {}

local most_entries, most_found = 20000, 100
local entries_a_step = 200
local passed_over = { node_modules = true, CMakeFiles = true }
local searched_size, script_beginning, most_of_script = 4 * 1024 * 1024, 256, 64 * 1024

-- Files that are not programs, judged by name: most files of a large folder need not be opened.
local no_program_endings = 'a ac ads adb am c cc cfg cmake cpp css csv cxx d dbg debug f f90 gcda gcno gpx gz h hh hpp '
  .. 'html hxx in js json la lo lock lua m4 map md ninja o pdf pl png py rb rs sh so svg toml ts txt xml yaml yml zip'
local no_programs = {}
for ending in no_program_endings:gmatch('%S+') do
  no_programs[ending] = true
end

---@param name string
---@return boolean
local function may_be_program(name)
  local ending = name:match('%.([%w]+)$')
  return not (ending and no_programs[ending:lower()]) and not name:match('%.so%.')
end

---@param path string
---@return gprof.ReadBytes?
---@return fun()? close
local function reader_of(path)
  local file = compat.open_executable(path)
  if not file then
    return nil
  end
  return function(offset, size)
    return compat.read_at(file, offset, size)
  end, function()
    compat.close(file)
  end
end

---@param path string
---@return gprof.Executable?
local function look(path)
  local read, close = reader_of(path)
  if not read then
    return nil
  end
  local is_script = libtool.is_wrapper(read(0, script_beginning))
  -- What it starts lies in a hidden folder, beside it.
  local facts = is_script and { has_lines = true } or elf.program_facts(read)
  local bytes = facts and not is_script and read(0, searched_size) or ''
  close()
  if not facts then
    return nil
  end
  local counts = bytes:find('mcount\0', 1, true) or bytes:find('__fentry__\0', 1, true)
  return {
    path = path,
    counts = counts ~= nil,
    modified = compat.modified_exactly(path) or 0,
    has_lines = facts.has_lines,
    build_id = facts.build_id,
  }
end

--- Whether it is an executable that can be run here.
---@param path string
---@return boolean
function M.is_executable(path)
  local read, close = reader_of(path)
  if not read then
    return false
  end
  local is_program = libtool.is_wrapper(read(0, script_beginning)) or elf.program_facts(read) ~= nil
  close()
  return is_program
end

--- What is to be shown of a run of the program: of a script of libtool, what it starts.
---@param path string
---@return string
function M.behind(path)
  local read, close = reader_of(path)
  if not read then
    return path
  end
  local program = libtool.wrapped_program(path, read(0, most_of_script))
  close()
  return program or path
end

--- Searches the folder; hidden folders and those of build tools and package managers are skipped.
---@param folder string
---@param done fun(found: gprof.Executable[])
function M.find(folder, done)
  local folders, looked_at, found = { folder }, 0, {}
  local pending = {}
  local function take_folder(path)
    local names, types = compat.names_in(path)
    table.sort(names)
    for _, name in ipairs(names) do
      local is_hidden = name:sub(1, 1) == '.' or passed_over[name]
      if types[name] == 'directory' and not is_hidden then
        table.insert(folders, path .. '/' .. name)
      elseif types[name] ~= 'directory' and may_be_program(name) then
        table.insert(pending, path .. '/' .. name)
      end
    end
    looked_at = looked_at + #names
  end
  local function step()
    local count = 0
    while count < entries_a_step and #found < most_found and looked_at < most_entries do
      local path = table.remove(pending)
      if path then
        table.insert(found, look(path))
        count = count + 1
      elseif #folders > 0 then
        take_folder(table.remove(folders, 1))
        count = count + 10
      else
        break
      end
    end
    if count >= entries_a_step then
      compat.after(1, step)
    else
      done(program_order.in_order(found))
    end
  end
  step()
end

return M
