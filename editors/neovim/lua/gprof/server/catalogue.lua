--- What a server's profile has: its metrics, threads and processes, and how long it ran (gprof/metrics).

local compat = require('gprof.compat')
local metrics = require('gprof.metrics')
local requests = require('gprof.server.requests')
local status = require('gprof.server.status')

local M = {}

-- Milliseconds that a completion waits for the server.
local patience = 500

---@class gprof.Catalogue
---@field told gprof.StatusParams? what the server had told when it was asked
---@field answer gprof.MetricsResult

---@type table<integer, gprof.Catalogue> by client
local known = {}

--- Whether the server can tell: older ones know the metrics of `gprof.metrics`, and select nothing.
---@param client gprof.Client
---@return boolean
function M.is_told_by(client)
  local experimental = (client.server_capabilities or {}).experimental or {}
  local extensions = type(experimental.gprof) == 'table' and experimental.gprof or {}
  return vim.tbl_contains(extensions.requests or {}, 'gprof/metrics')
end

---@param client gprof.Client
---@param what string
---@return boolean
function M.is_told_by_or_complain(client, what)
  if not M.is_told_by(client) then
    local text = 'this gprof-lsp is an older one, which knows nothing of %s. :checkhealth gprof says which one runs.'
    requests.complain(text:format(what))
    return false
  end
  return true
end

-- What was answered last, unless the server has told of something since.
---@param client gprof.Client
---@return gprof.MetricsResult?
local function cached(client)
  local one = known[client.id]
  return one and one.told == status.of(client.id) and one.answer or nil
end

---@param client gprof.Client
---@param told gprof.StatusParams?
---@param answer gprof.MetricsResult
local function keep(client, told, answer)
  known[client.id] = { told = told, answer = answer }
end

--- Asks, for the user by default: then it is reported why it fails.
---@param client gprof.Client
---@param take fun(answer: gprof.MetricsResult)
---@param ask (fun(client: gprof.Client, method: string, params: table, answer: fun(result: any)))? in another way
function M.ask(client, take, ask)
  local told, by = status.of(client.id), ask or requests.ask_or_tell
  by(client, 'gprof/metrics', vim.empty_dict(), function(answer)
    if answer then
      keep(client, told, answer)
      take(answer)
    end
  end)
end

--- For completions, which cannot wait for long: nil if the server is too old, or does not answer in time.
---@param client gprof.Client?
---@return gprof.MetricsResult?
function M.now(client)
  if not client or not M.is_told_by(client) then
    return nil
  end
  local answer = cached(client)
  if not answer then
    local told = status.of(client.id)
    answer = compat.request_and_wait(client, 'gprof/metrics', vim.empty_dict(), patience)
    if answer then
      keep(client, told, answer)
    end
  end
  return answer
end

---@param answer gprof.MetricsResult
---@param name string
---@return gprof.MetricDescription?
local function named(answer, name)
  for _, metric in ipairs(answer.metrics) do
    if metric.name == name then
      return metric
    end
  end
end

--- Calls `take` with the metric's description; nil for the usual ones, which need none, and where it is not known.
---@param client gprof.Client
---@param name string
---@param take fun(metric: gprof.MetricDescription?)
function M.describe(client, name, take)
  local answer = cached(client)
  if metrics.is_usual(name) or not M.is_told_by(client) then
    take(nil)
  elseif answer then
    take(named(answer, name))
  else
    local told = status.of(client.id)
    requests.ask(client, 'gprof/metrics', vim.empty_dict(), function(result)
      if result then
        keep(client, told, result)
      end
      take(result and named(result, name) or nil)
    end)
  end
end

--- The usual names, and all others of the profile; counts only where it has them.
---@param answer gprof.MetricsResult?
---@return string[]
function M.names(answer)
  local names = vim.tbl_filter(function(name)
    return not answer or (name ~= 'calls' and name ~= 'executions') or named(answer, name) ~= nil
  end, metrics.names)
  for _, metric in ipairs(answer and answer.metrics or {}) do
    if not vim.tbl_contains(names, metric.name) then
      table.insert(names, metric.name)
    end
  end
  return names
end

return M
