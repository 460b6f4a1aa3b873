--- `:Gprof attach`: samples a process of the user that runs already, and shows its profile.

local command_line = require('gprof.recording.command_line')
local compat = require('gprof.compat')
local processes = require('gprof.recording.processes')
local requests = require('gprof.server.requests')
local run = require('gprof.recording.run')

local M = {}

---@param process gprof.Process
---@param seconds number?
local function sample(process, seconds)
  local sampled = {
    program = process.program,
    arguments = vim.list_slice(process.words, 2),
    folder = vim.fn.getcwd(),
    workspace = run.current_workspace(),
  }
  run.record(sampled, function(server, options)
    return command_line.attach(server, options, process.id, seconds)
  end, '')
end

---@return gprof.Process[]
local function found()
  return processes.in_order(compat.own_processes(), run.current_workspace())
end

local function choose()
  vim.ui.select(found(), {
    prompt = 'Process to sample',
    format_item = processes.describe,
  }, function(process)
    if process then
      sample(process)
    end
  end)
end

---@param _ gprof.Client?
---@param typed string[]
function M.run(_, typed)
  if not typed[1] then
    choose()
    return
  end
  local id, seconds = tonumber(typed[1]), typed[2] and tonumber(typed[2])
  if not id or (typed[2] and not seconds) then
    requests.complain('`:Gprof attach` takes the number of a process and, optionally, how many seconds to sample.')
    return
  end
  local process = compat.process(id)
  if not process then
    requests.complain(('no process of yours has the number %d.'):format(id))
    return
  end
  sample(process, seconds)
end

---@param _ gprof.Client?
---@param typed string
---@param before string[]
---@return string[]
function M.complete(_, typed, before)
  if #before > 0 then
    return {}
  end
  local ids = vim.tbl_map(function(process)
    return tostring(process.id)
  end, found())
  return vim.tbl_filter(function(id)
    return vim.startswith(id, typed)
  end, ids)
end

return M
