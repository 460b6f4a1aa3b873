--- Starts the server when a file of one of the file types is opened, and tracks the servers attached to buffers.

local compat = require('gprof.compat')
local config = require('gprof.config')

local M = {}

---@param buffer integer
local function start(buffer)
  require('gprof').register()
  require('gprof.server.client').start(buffer)
end

-- The plugin was loaded after the files, as by :packadd.
local function start_for_open_buffers()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.tbl_contains(config.get().filetypes, vim.bo[buffer].filetype) then
      start(buffer)
    end
  end
end

---@param group integer
local function follow_servers(group)
  if not compat.has_attach_event then
    -- No event reports other servers: they are checked when the user is idle.
    vim.api.nvim_create_autocmd({ 'BufEnter', 'CursorHold', 'InsertLeave' }, {
      group = group,
      callback = function(event)
        local client = package.loaded['gprof.server.client']
        if client then
          client.agree(event.buf)
        end
      end,
    })
    return
  end
  vim.api.nvim_create_autocmd('LspAttach', {
    group = group,
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if client then
        require('gprof').register()
        require('gprof.server.client').attached(client, event.buf)
      end
    end,
  })
end

--- Defines the autocommands by the current settings.
function M.define()
  local group = vim.api.nvim_create_augroup('Gprof', {})
  if config.get().autostart then
    vim.api.nvim_create_autocmd('FileType', {
      group = group,
      pattern = config.get().filetypes,
      callback = function(event)
        start(event.buf)
      end,
    })
  end
  follow_servers(group)
  if config.get().autostart and vim.v.vim_did_enter == 1 then
    start_for_open_buffers()
  end
end

return M
