--- The position encoding of the server: the same as that of the other servers of a buffer. Neovim warns if two servers
--- of one buffer count characters differently, and its own requests would go wrong.

local compat = require('gprof.compat')

local M = {}

local known = { ['utf-8'] = true, ['utf-16'] = true, ['utf-32'] = true }

--- Whether it is our server, whoever started it.
---@param client gprof.Client
---@return boolean
function M.is_ours(client)
  local capabilities = client.server_capabilities
  local experimental = type(capabilities) == 'table' and capabilities.experimental
  return type(experimental) == 'table' and experimental.gprof ~= nil
end

--- The encoding of another server of the buffer; nil if there is none. One of ours that is about to end does not count.
---@param buffer integer
---@return string?
function M.of_others(buffer)
  for _, client in ipairs(compat.clients(buffer)) do
    if not M.is_ours(client) and known[client.offset_encoding] then
      return client.offset_encoding
    end
  end
end

--- The requested encodings, preferred first.
---@param buffer integer
---@return string[]
function M.wanted(buffer)
  local others = M.of_others(buffer)
  if others then
    return { others }
  end
  local general = vim.lsp.protocol.make_client_capabilities().general
  return compat.negotiates_encoding and general and general.positionEncodings or { 'utf-16' }
end

return M
