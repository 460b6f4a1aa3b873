--- Actions of lenses and hints that Neovim itself draws (|vim.lsp.codelens.run()|): the lists of :GprofCallers and
--- :GprofCallees. The server's own command would return locations that nothing shows. A lens of several functions shows
--- the hover.

local columns = require('gprof.navigation.columns')

local M = {}

---@param place { uri: string, position: { line: integer, character: integer } }
---@param encoding string
local function go_to(place, encoding)
  local buffer = vim.uri_to_bufnr(place.uri)
  if vim.api.nvim_get_current_buf() ~= buffer then
    vim.cmd(('buffer %d'):format(buffer))
  end
  local row = math.min(place.position.line, vim.api.nvim_buf_line_count(buffer) - 1)
  local line = vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1]
  vim.api.nvim_win_set_cursor(0, { row + 1, columns.byte_of(line, place.position.character, encoding) })
end

---@param direction 'callers'|'callees'
local function handler(direction)
  return function(command, context)
    local place = (command.arguments or {})[1]
    local client = vim.lsp.get_client_by_id(context.client_id)
    if type(place) == 'table' and place.uri and client then
      go_to(place, client.offset_encoding)
      require('gprof.navigation.call_lists').show(direction, { bang = false }, place['function'])
    end
  end
end

-- Of a line that defines more functions than it has lenses: its hover lists them.
local function show_functions(command, context)
  local place = (command.arguments or {})[1]
  local client = vim.lsp.get_client_by_id(context.client_id)
  if type(place) == 'table' and place.uri and client then
    go_to(place, client.offset_encoding)
    vim.lsp.buf.hover()
  end
end

function M.register()
  vim.lsp.commands['gprof.showCallers'] = handler('callers')
  vim.lsp.commands['gprof.showCallees'] = handler('callees')
  vim.lsp.commands['gprof.showFunctions'] = show_functions
end

return M
