--- Requests to the server of a buffer.

local client_of = require('gprof.server.client')
local compat = require('gprof.compat')
local messages = require('gprof.messages')

local M = {}

-- The answer would be about outdated text, or was cancelled.
local obsolete = { [-32801] = true, [-32800] = true, [-32802] = true }

-- Not requested by the user, so only written to Neovim's LSP log.
local function log(method, error)
  require('vim.lsp.log').warn('gprof', method, error.message or 'failed')
end

--- Sends a request; the answer arrives on the main loop, nil if there is none.
---@param client gprof.Client
---@param method string
---@param params table
---@param answer fun(result: any, error: table?)
---@param buffer integer?
---@return fun() cancel the answer no longer arrives
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
  messages.tell(text, vim.log.levels.ERROR)
end

--- The server that a user's command is for: that of the current buffer, of the alternate buffer, or the only one.
---@return gprof.Client?
function M.client_of_user()
  local buffer = vim.api.nvim_get_current_buf()
  local client = client_of.of_buffer(buffer)
  if client then
    return client
  end
  -- A report knows its server; else the alternate buffer does.
  local before = vim.fn.bufnr('#')
  local known = vim.b[buffer].gprof_client
  return not known and before > 0 and client_of.of_buffer(before) or client_of.with_id_or_any(known)
end

--- The same; reports the problem if there is none.
---@return gprof.Client?
function M.current_client()
  local client = M.client_of_user()
  if not client then
    M.complain('no server runs for this buffer. Open a source file of the program; :checkhealth gprof says more.')
  end
  return client
end

--- Sends a request for the user, and reports why it fails.
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

--- Executes a server command for the user.
---@param client gprof.Client
---@param command string
---@param arguments any[]
---@param answer fun(result: any)?
function M.execute(client, command, arguments, answer)
  local params = { command = command, arguments = #arguments > 0 and arguments or nil }
  M.ask_or_tell(client, 'workspace/executeCommand', params, answer or function() end)
end

--- The document and the cursor's position in the server's encoding.
---@param client gprof.Client
---@param window integer?
---@return { textDocument: { uri: string }, position: { line: integer, character: integer } }
function M.place(client, window)
  return vim.lsp.util.make_position_params(window or 0, client.offset_encoding)
end

return M
