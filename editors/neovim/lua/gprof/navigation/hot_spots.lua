--- `:GprofHotspots`: the functions that cost most, as a quickfix list.

local config = require('gprof.config')
local items = require('gprof.navigation.items')
local metrics = require('gprof.metrics')
local quickfix = require('gprof.navigation.quickfix')
local requests = require('gprof.server.requests')
local status = require('gprof.server.status')

local M = {}

local most = 200

--- The current metric: the session's, else that of the settings.
---@param client gprof.Client
---@return string
function M.metric_of(client)
  return status.session(client.id).metric or config.get().settings.metric
end

local words =
  { time = 'self time', self = 'self time', total = 'time with callees', calls = 'calls', executions = 'calls' }

---@param result table of gprof/hotSpots
---@param metric string
---@return gprof.List
local function list_of(result, metric)
  return {
    title = ('Hot spots by %s · %s'):format(words[metric], result.program),
    items = items.of_hot_spots(result, metric),
  }
end

---@param result table of gprof/hotSpots
---@param list gprof.List
---@return string?
local function reason_for_none(result, list)
  if result.program == '' then
    return 'no profile is shown. `:GprofRun` makes one, `:Gprof load` loads one.'
  elseif #list.items == 0 then
    return 'nothing took time, as far as was sampled. `:GprofHotspots calls` lists what was called.'
  end
end

---@param call gprof.CommandCall
function M.show(call)
  local window = vim.api.nvim_get_current_win()
  local wanted = call.args ~= '' and call.args or nil
  if wanted and not vim.tbl_contains(metrics.names, wanted) then
    requests.complain(('%s is no metric. There are: %s.'):format(wanted, table.concat(metrics.names, ', ')))
    return
  end
  local client = requests.current_client()
  if not client then
    return
  end
  local function params(current)
    return { metric = wanted or M.metric_of(current), limit = most }
  end
  local question = {
    kind = 'hot spots',
    root = client.config.root_dir,
    ask = function(current, answer)
      local asked = params(current)
      requests.ask(current, 'gprof/hotSpots', asked, function(result)
        answer(result and result.program ~= '' and list_of(result, asked.metric) or nil)
      end)
    end,
  }
  local asked = params(client)
  requests.ask_or_tell(client, 'gprof/hotSpots', asked, function(result)
    local list = list_of(result, asked.metric)
    local reason = reason_for_none(result, list)
    if reason then
      vim.notify('gprof: ' .. reason, vim.log.levels.WARN)
    else
      quickfix.show(client, question, list, { jumps = not call.bang, window = window })
    end
  end)
end

return M
