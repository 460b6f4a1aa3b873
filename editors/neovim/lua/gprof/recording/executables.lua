--- Programs of a workspace that can be run: all ELF executables, the newest first. The search runs in small steps, so
--- that Neovim stays responsive.

local compat = require('gprof.compat')

local M = {}

local most_entries, most_found = 20000, 100
local entries_a_step = 200
local passed_over = { node_modules = true, CMakeFiles = true }
local header_size, searched_size = 18, 4 * 1024 * 1024

---@class gprof.Executable
---@field path string
---@field counts boolean its calls: it was apparently built with -pg
---@field modified number seconds since the epoch

-- Files that are not programs, judged by name: most files of a large folder need not be opened.
local no_program_endings = 'a ads adb c cc cfg cmake cpp css csv cxx d f f90 gcda gcno gpx gz h hh hpp html hxx in js '
  .. 'json lock lua map md ninja o pdf pl png py rb rs sh so svg toml ts txt xml yaml yml zip'
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

--- ET_EXEC or ET_DYN: position-independent programs look like libraries, which were excluded by name. Pure.
---@param header string
---@return boolean
function M.is_program(header)
  if #header < header_size or header:sub(1, 4) ~= '\127ELF' then
    return false
  end
  local first, second = header:byte(17, 18)
  local kind = header:byte(6) == 2 and first * 256 + second or second * 256 + first
  return kind == 2 or kind == 3
end

---@param path string
---@return gprof.Executable?
local function look(path)
  local header = compat.beginning_of_executable(path, header_size)
  if not header or not M.is_program(header) then
    return nil
  end
  local bytes = compat.beginning_of_executable(path, searched_size) or ''
  local counts = bytes:find('mcount', 1, true) or bytes:find('__fentry__', 1, true)
  return { path = path, counts = counts ~= nil, modified = compat.modified_exactly(path) or 0 }
end

--- Whether it is an executable that can be run here.
---@param path string
---@return boolean
function M.is_executable(path)
  local header = compat.beginning_of_executable(path, header_size)
  return header ~= nil and M.is_program(header)
end

---@param a gprof.Executable
---@param b gprof.Executable
local function comes_before(a, b)
  if a.modified ~= b.modified then
    return a.modified > b.modified
  end
  return a.path < b.path
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
      table.sort(found, comes_before)
      done(found)
    end
  end
  step()
end

return M
