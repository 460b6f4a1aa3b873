--- `:GprofCallers` and `:GprofCallees`: the lines of the profiled calls as a quickfix list.

local client_of = require('gprof.server.client')
local columns = require('gprof.navigation.columns')
local items = require('gprof.navigation.items')
local messages = require('gprof.messages')
local quickfix = require('gprof.navigation.quickfix')
local requests = require('gprof.server.requests')
local selection = require('gprof.selection')

local M = {}

local namespace = vim.api.nvim_create_namespace('gprof.navigation')

--- Follows the cursor's place through later edits.
---@param client gprof.Client
---@return fun(): table? params the document and the position; nil if the buffer is gone
local function followed_place(client)
  local params = requests.place(client)
  local buffer = vim.api.nvim_get_current_buf()
  local cursor = vim.api.nvim_win_get_cursor(0)
  local mark = vim.api.nvim_buf_set_extmark(buffer, namespace, cursor[1] - 1, cursor[2], {})
  return function()
    if not vim.api.nvim_buf_is_loaded(buffer) then
      return params
    end
    local place = vim.api.nvim_buf_get_extmark_by_id(buffer, namespace, mark, {})
    if not place[1] then
      return params
    end
    local line = vim.api.nvim_buf_get_lines(buffer, place[1], place[1] + 1, false)[1] or ''
    local character = columns.character_of(line, place[2], client.offset_encoding)
    return { textDocument = params.textDocument, position = { line = place[1], character = character } }
  end
end

---@param result table of gprof/callSites
---@param direction 'callers'|'callees'
---@return gprof.List
local function list_of(result, direction)
  local title = ('%s of %s · %s'):format(
    direction == 'callers' and 'Callers' or 'Callees',
    result.name,
    result.program
  )
  if result.truncated then
    title = ('%s (the first %d)'):format(title, #result.sites)
  end
  return { title = title, items = items.of_call_sites(result, direction) }
end

---@param client gprof.Client
---@param result table of gprof/callSites
---@param direction 'callers'|'callees'
---@return string? why there is no list
local function reason_for_none(client, result, direction)
  if result.program == '' then
    return 'no profile has code of this file.'
  elseif not result.name then
    return 'there is no profiled function at the cursor.'
  elseif #result.sites == 0 and selection.is_of_time(client.id) then
    return 'calls have no time, and a stretch of the run is selected. `:Gprof select` shows all of it.'
  elseif #result.sites == 0 and direction == 'callers' then
    return ('the profile has no calls of %s.'):format(result.name)
  elseif #result.sites == 0 then
    return ('the profile has no calls by %s.'):format(result.name)
  end
end

---@param direction 'callers'|'callees'
---@param call gprof.CommandCall
---@param name string? of the function, where the cursor's place does not tell which of several
function M.show(direction, call, name)
  local window = vim.api.nvim_get_current_win()
  local client = client_of.of_buffer(vim.api.nvim_get_current_buf())
  if not client then
    requests.complain(
      'no server runs for this buffer: the cursor is to be in a source file of the program. '
        .. ':checkhealth gprof says more.'
    )
    return
  end
  local place = followed_place(client)
  local function params()
    return vim.tbl_extend('force', place(), { direction = direction, ['function'] = name })
  end
  local question = {
    kind = direction,
    root = client.config.root_dir,
    ask = function(current, answer)
      requests.ask(current, 'gprof/callSites', params(), function(result)
        answer(result and result.name and list_of(result, direction))
      end)
    end,
  }
  requests.ask_or_tell(client, 'gprof/callSites', params(), function(result)
    local reason = reason_for_none(client, result, direction)
    if reason then
      messages.tell(reason)
    else
      quickfix.show(client, question, list_of(result, direction), { jumps = not call.bang, window = window })
    end
  end)
end

return M
