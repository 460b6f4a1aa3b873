--- `:GprofNext` and `:GprofPrev`: from hot line to hot line of the buffer.

local catalogue = require('gprof.server.catalogue')
local client_of = require('gprof.server.client')
local config = require('gprof.config')
local hot_lines = require('gprof.navigation.hot_lines')
local messages = require('gprof.messages')
local metric_of = require('gprof.selection.metric').of
local metrics = require('gprof.metrics')
local requests = require('gprof.server.requests')
local selection = require('gprof.selection')
local status = require('gprof.server.status')

local M = {}

local all_again = ' A part of the run is selected; `:Gprof select` shows all of it.'

-- The hottest lines of a file. More would not help to find where the time goes.
local most = 20

---@param result table of gprof/lineData
---@param metric string
---@param threshold number
---@return string
local function reason_for_none(result, metric, threshold)
  if result.source == 'unknown' then
    return 'no profile has code of this file.'
  elseif result.source == 'stale' then
    return 'the file was changed since the build, and what was compiled is not known: build and run the program again.'
  elseif metrics.is_of_time(metric) then
    local text = 'no line of this file took %s of the time. `:Gprof threshold` shows smaller ones, '
      .. '`:Gprof metric calls` goes by calls.'
    return text:format(threshold > 0 and ('%s %%'):format(threshold * 100) or 'any')
  end
  return ('no line of this file has counts of %s.'):format(metric)
end

---@param line integer from 0
local function go_to(line)
  vim.cmd("normal! m'")
  local text = vim.api.nvim_buf_get_lines(0, line, line + 1, false)[1] or ''
  vim.api.nvim_win_set_cursor(0, { line + 1, #text:match('^%s*') })
  if vim.o.foldopen:find('jump', 1, true) then
    vim.cmd('normal! zv')
  end
end

---@param step 1|-1
local function tell_wrapped(step)
  if not vim.o.shortmess:find('s', 1, true) then
    local from, to = 'bottom', 'top'
    if step == -1 then
      from, to = to, from
    end
    vim.api.nvim_echo({ { ('gprof: went over the %s, and on at the %s'):format(from, to), 'WarningMsg' } }, false, {})
  end
end

---@param lines integer[]
---@param count integer
---@param step 1|-1
local function move(lines, count, step)
  local from = vim.api.nvim_win_get_cursor(0)[1] - 1
  local line, wrapped = hot_lines.target(lines, from, count, step, vim.o.wrapscan)
  if not line then
    messages.tell(('there is no hot line %s this one.'):format(step == 1 and 'below' or 'above'))
    return
  end
  if line == from and #lines == 1 then
    messages.tell('this is the only hot line of the file.')
    return
  end
  go_to(line)
  if wrapped then
    tell_wrapped(step)
  end
end

---@param step 1|-1
---@param call gprof.CommandCall
function M.go(step, call)
  local window, buffer = vim.api.nvim_get_current_win(), vim.api.nvim_get_current_buf()
  local client = client_of.of_buffer(buffer)
  if not client then
    requests.complain('no server runs for this buffer. :checkhealth gprof says more.')
    return
  end
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  local params = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, hottest = most }
  local metric = metric_of(client)
  catalogue.describe(client, metric, function(described)
    requests.ask_or_tell(client, 'gprof/lineData', params, function(result)
      -- The user has moved on, or the lines have changed.
      if
        vim.api.nvim_get_current_win() ~= window
        or vim.api.nvim_get_current_buf() ~= buffer
        or vim.api.nvim_buf_get_changedtick(buffer) ~= tick
      then
        return
      end
      -- The threshold is a share of a cost: a formula's value is none.
      local is_derived = described ~= nil and described.kind == 'derived'
      local threshold = is_derived and 0 or status.session(client.id).threshold or config.get().settings.threshold
      local lines = hot_lines.shown(result.lines, metric, threshold)
      if #lines > 0 then
        move(lines, math.max(call.count, 1), step)
      else
        messages.tell(reason_for_none(result, metric, threshold) .. (selection.of(client.id) and all_again or ''))
      end
    end)
  end)
end

return M
