--- Hovers beside other servers. Neovim before 0.11 shows one answer in the place of the other, or goes into its window:
--- ours is shown together with those of the others, who are asked once more. Nothing of theirs is touched.

local compat = require('gprof.compat')
local encoding = require('gprof.server.encoding')

local M = {}

local method = 'textDocument/hover'
-- Milliseconds that the others are waited for.
local patience = 2000

---@type table<integer, integer> windows that show several answers, by the buffer that they are about
local shown = {}

---@param result table?
---@return string[] lines of Markdown
local function lines_of(result)
  if type(result) ~= 'table' or not result.contents then
    return {}
  end
  local contents = result.contents
  if type(contents) == 'table' and contents.kind == 'plaintext' then
    local lines = vim.split(vim.trim(contents.value or ''), '\n', { plain = true })
    return lines[1] ~= '' and vim.list_extend(vim.list_extend({ '```' }, lines), { '```' }) or {}
  end
  local lines = vim.lsp.util.convert_input_to_markdown_lines(contents)
  return vim.trim(table.concat(lines, '\n')) ~= '' and lines or {}
end

--- As Neovim 0.11 puts them together.
---@param answers { name: string, lines: string[] }[]
---@return string
local function joined(answers)
  local parts = {}
  for _, answer in ipairs(answers) do
    local text = table.concat(answer.lines, '\n')
    table.insert(parts, #answers == 1 and text or ('# %s\n%s'):format(answer.name, text))
  end
  return table.concat(parts, '\n---\n')
end

--- The window that Neovim opened for the buffer last, if it is a hover.
---@param buffer integer
---@return integer?
local function open_hover(buffer)
  local found, window = pcall(vim.api.nvim_buf_get_var, buffer, 'lsp_floating_preview')
  local is_there = found and vim.api.nvim_win_is_valid(window)
  return is_there and pcall(vim.api.nvim_win_get_var, window, method) and window or nil
end

---@param buffer integer
---@return gprof.Client[]
local function others_of(buffer)
  return vim.tbl_filter(function(client)
    return not encoding.is_ours(client) and client.supports_method(method)
  end, compat.clients(buffer))
end

--- Calls `done` with the answers that came, in the order of the clients.
---@param clients gprof.Client[]
---@param context { bufnr: integer, params: table }
---@param done fun(results: table<integer, table>)
local function ask(clients, context, done)
  local results, awaited, limit = {}, #clients, nil
  local function finish()
    if awaited >= 0 then
      awaited = -1
      limit.close()
      done(results)
    end
  end
  limit = compat.after(patience, finish)
  for index, client in ipairs(clients) do
    local request = compat.request(client, method, context.params, function(_, result)
      results[index] = result
      awaited = awaited - 1
      if awaited == 0 then
        finish()
      end
    end, context.bufnr)
    awaited = request and awaited or awaited - 1
  end
  if awaited == 0 then
    finish()
  end
end

--- In the place of what Neovim shows by now.
---@param text string
---@param context { bufnr: integer, params: table }
---@param config table?
local function show(text, context, config)
  if vim.api.nvim_get_current_buf() ~= context.bufnr then
    return
  end
  local window = open_hover(context.bufnr)
  if window and window == shown[context.bufnr] then
    -- Asked for once more, as it stands there.
    vim.api.nvim_set_current_win(window)
    return
  end
  if window then
    vim.api.nvim_win_close(window, true)
  end
  local result = { contents = { kind = 'markdown', value = text } }
  vim.lsp.handlers[method](nil, result, context, config)
  shown[context.bufnr] = open_hover(context.bufnr)
end

--- The handler of our client for hovers.
---@param error table?
---@param result table?
---@param context { bufnr: integer, client_id: integer, method: string, params: table }
---@param config table?
function M.handler(error, result, context, config)
  local others = others_of(context.bufnr)
  if #others == 0 then
    return vim.lsp.handlers[method](error, result, context, config)
  end
  local ours = lines_of(result)
  if #ours == 0 then
    return
  end
  ask(others, context, function(results)
    local answers = {}
    for index, client in ipairs(others) do
      local lines = lines_of(results[index])
      if #lines > 0 then
        table.insert(answers, { name = client.name, lines = lines })
      end
    end
    table.insert(answers, { name = 'gprof', lines = ours })
    show(joined(answers), context, config)
  end)
end

return M
