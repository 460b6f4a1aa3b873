--- For vim.lsp.config() and vim.lsp.enable() of Neovim 0.11 and newer. The plugin starts the server by itself; this is
--- for who wants to say when.

local client = require('gprof.server.client')

return vim.tbl_extend('force', client.lsp_config(), {
  root_dir = function(buffer, on_root)
    on_root(require('gprof.server.locate').root(vim.api.nvim_buf_get_name(buffer)))
  end,
})
