--- Where the server is: a setting, the PATH, or the clone that contains this plugin; and which folder a file's
--- workspace is. The contents of a workspace never decide what is started.

local compat = require('gprof.compat')
local config = require('gprof.config')

local M = {}

--- The build of the clone: this file is editors/neovim/lua/gprof/server/locate.lua of it.
---@return string
local function built_beside()
  local here = compat.real_path(debug.getinfo(1, 'S').source:sub(2))
  return vim.fn.fnamemodify(here, ':h:h:h:h:h:h') .. '/build/release/bin/gprof-lsp'
end

---@class gprof.ServerPlace
---@field path string? of the executable; nil if there is none
---@field origin string how it was found, or where it was searched for

---@return gprof.ServerPlace
function M.server()
  local command = config.get().cmd
  if command then
    local path = vim.fn.exepath(command[1])
    return { path = path ~= '' and path or nil, origin = ('the setting cmd, %s'):format(command[1]) }
  end
  local on_path = vim.fn.exepath('gprof-lsp')
  if on_path ~= '' then
    return { path = on_path, origin = 'the PATH' }
  end
  local built = built_beside()
  if vim.fn.executable(built) == 1 then
    return { path = built, origin = 'the clone that the plugin lies in' }
  end
  return { origin = ('the PATH, and %s'):format(built) }
end

--- The command that starts the server; nil if there is none.
---@return string[]?
function M.command()
  local place = M.server()
  if not place.path then
    return nil
  end
  local command = vim.deepcopy(config.get().cmd or { '', '--stdio' })
  command[1] = place.path
  return command
end

local build_files = {
  'compile_commands.json',
  'CMakeLists.txt',
  'meson.build',
  'Makefile',
  'makefile',
  'GNUmakefile',
  'Cargo.toml',
  'dub.json',
  'dub.sdl',
  'alire.toml',
  'fpm.toml',
}

--- Folders from the file's own up to the first one that cannot be a project.
---@param path string
---@return string[]
local function folders_above(path)
  local folders, folder = {}, vim.fn.fnamemodify(path, ':p:h')
  local home = vim.fn.fnamemodify('~', ':p:h')
  while folder ~= '/' and folder ~= '' and folder ~= home and folder ~= '.' do
    table.insert(folders, folder)
    local above = vim.fn.fnamemodify(folder, ':h')
    if above == folder then
      break
    end
    folder = above
  end
  return folders
end

---@param folder string
---@param names string[]
local function has_one(folder, names)
  for _, name in ipairs(names) do
    if compat.exists(folder .. '/' .. name) then
      return true
    end
  end
  return false
end

--- The folder of a file's workspace.
---@param path string of the file
---@return string
function M.root(path)
  local folders = folders_above(path)
  for _, folder in ipairs(folders) do
    if has_one(folder, config.get().root_markers) then
      return folder
    end
  end
  for _, folder in ipairs(folders) do
    if has_one(folder, { 'gmon.out' }) then
      return folder
    end
  end
  -- Build files are in many folders of one project: the topmost one is its root.
  for index = #folders, 1, -1 do
    if has_one(folders[index], build_files) then
      return folders[index]
    end
  end
  local current = vim.fn.getcwd()
  return vim.tbl_contains(folders, current) and current or folders[1] or vim.fn.fnamemodify(path, ':p:h')
end

return M
