--- `:Gprof metric`: what leads on lines, colours them, and orders lists.

local catalogue = require('gprof.server.catalogue')
local commands = require('gprof.commands')
local config = require('gprof.config')
local metrics = require('gprof.metrics')
local numbers = require('gprof.numbers')
local requests = require('gprof.server.requests')
local status = require('gprof.server.status')
local words = require('gprof.selection.words')

local M = {}

--- The current metric: the session's, else that of the settings.
---@param client gprof.Client
---@return string
function M.of(client)
  return status.session(client.id).metric or config.get().settings.metric
end

--- Whether the metric may be asked for. A server that knows others than the usual ones says itself what there is.
---@param client gprof.Client
---@param metric string
---@return boolean
function M.is_there_or_complain(client, metric)
  if not metrics.is_usual(metric) and not catalogue.is_told_by(client) then
    local text = '%s is no metric. There are: %s; this gprof-lsp is an older one, which knows no others.'
    requests.complain(text:format(metric, table.concat(metrics.names, ', ')))
    return false
  end
  return true
end

---@param client gprof.Client
---@param metric string
local function set(client, metric)
  if not M.is_there_or_complain(client, metric) then
    return
  end
  requests.execute(client, 'gprof.setMetric', { metric }, function()
    local told = status.of(client.id)
    -- A server that tells of its metric does so by itself, and whatever is shown follows.
    if not told or told.metric == nil then
      status.session(client.id).metric = metric
      status.changed(client.id)
    end
  end)
end

local usual = {
  time = 'time: with what was called, where stacks tell it',
  calls = 'calls',
  executions = 'executions: how often lines ran',
  self = 'self: time without what was called',
  total = 'total: time with what was called',
}

---@param metric gprof.MetricDescription
---@return string
local function described(metric)
  local label = metric.label ~= metric.name and metric.label or metric.origin
  local text = ('%s: %s · %s, %s'):format(metric.name, label, metric.unit, metric.kind)
  if not metric.total then
    return text
  end
  return ('%s · %s in all'):format(text, numbers.figure(metric.total, metric.totalError, metric.unit))
end

---@param client gprof.Client
---@param told gprof.MetricsResult?
local function choose_among(client, told)
  local by_name = {}
  for _, metric in ipairs(told and told.metrics or {}) do
    by_name[metric.name] = metric
  end
  local current = M.of(client)
  vim.ui.select(catalogue.names(told), {
    prompt = 'Metric',
    format_item = function(name)
      local text = by_name[name] and described(by_name[name]) or told and usual[name] or name
      return name == current and text .. ' · shown now' or text
    end,
  }, function(metric)
    if metric then
      set(client, metric)
    end
  end)
end

--- As `:Gprof metric` was typed; names may have blanks.
---@param client gprof.Client
---@param typed string[]
function M.set_typed(client, typed)
  if typed[1] then
    set(client, table.concat(typed, ' '))
  elseif catalogue.is_told_by(client) then
    catalogue.ask(client, function(told)
      choose_among(client, told)
    end)
  else
    choose_among(client, nil)
  end
end

--- Names as the command line takes them; what is left of a name whose first words stand there.
---@param client gprof.Client?
---@param typed string
---@param before string[]
---@return string[]
function M.complete(client, typed, before)
  local start = #before > 0 and words.unescaped(table.concat(before, ' ')) .. ' ' or ''
  local names = commands.beginning_with(catalogue.names(catalogue.now(client)), start .. words.unescaped(typed))
  return vim.tbl_map(function(name)
    return words.escaped(name:sub(#start + 1))
  end, names)
end

return M
