--- Requests to the server of a buffer.

local client_of = require('gprof.server.client')
local compat = require('gprof.compat')

local M = {}

-- The server's answer would be of a text that is there no more, or was not wanted any longer.
local obsolete = { [-32801] = true, [-32800] = true, [-32802] = true }

-- Nobody asked for it, so nobody is told, but who reads Neovim's log of language servers.
local function log(method, error)
  require('vim.lsp.log').warn('gprof', method, error.message or 'failed')
end

--- Asks the client; the answer comes on the main loop, nil where there is none.
---@param client gprof.Client
---@param method string
---@param params table
---@param answer fun(result: any, error: table?)
---@param buffer integer?
---@return fun() cancel the answer does not come any more
function M.ask(client, method, params, answer, buffer)
  local is_over = false
  local request = compat.request(client, method, params, function(error, result)
    if is_over then
      return
    end
    is_over = true
    if error and not obsolete[error.code] then
      log(method, error)
    end
    answer(not error and result or nil, error)
  end, buffer)
  return function()
    if request and not is_over then
      is_over = true
      if not compat.is_stopped(client) then
        compat.cancel(client, request)
      end
    end
  end
end

---@param text string
function M.complain(text)
  vim.notify('gprof: ' .. text, vim.log.levels.ERROR)
end

--- The server that a command of the user is about: that of the current buffer, of the buffer beside it, or the only
--- one. Says what is wrong where there is none.
---@return gprof.Client?
function M.current_client()
  local buffer = vim.api.nvim_get_current_buf()
  local client = client_of.of_buffer(buffer)
  if client then
    return client
  end
  -- A report knows whose it is; else the buffer beside it does.
  local before = vim.fn.bufnr('#')
  local known = vim.b[buffer].gprof_client
  client = not known and before > 0 and client_of.of_buffer(before) or client_of.with_id_or_any(known)
  if not client then
    M.complain('no server runs for this buffer. Open a source file of the program; :checkhealth gprof says more.')
  end
  return client
end

--- Asks for what the user has just wanted, and says why it cannot be had.
---@param client gprof.Client
---@param method string
---@param params table
---@param answer fun(result: any)
function M.ask_or_tell(client, method, params, answer)
  M.ask(client, method, params, function(result, error)
    if error then
      M.complain(error.message or (method .. ' failed'))
    else
      answer(result)
    end
  end)
end

--- A command of the server that the user asked for.
---@param client gprof.Client
---@param command string
---@param arguments any[]
---@param answer fun(result: any)?
function M.execute(client, command, arguments, answer)
  local params = { command = command, arguments = #arguments > 0 and arguments or nil }
  M.ask_or_tell(client, 'workspace/executeCommand', params, answer or function() end)
end

--- The document and the place of the cursor, as the server counts.
---@param client gprof.Client
---@param window integer?
---@return { textDocument: { uri: string }, position: { line: integer, character: integer } }
function M.place(client, window)
  return vim.lsp.util.make_position_params(window or 0, client.offset_encoding)
end

return M
