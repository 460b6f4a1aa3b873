--- Commands, maps and what starts the server. Everything else is loaded when it is first needed.

if vim.g.loaded_gprof then
  return
end
vim.g.loaded_gprof = true

if vim.fn.has('nvim-0.7.2') == 0 then
  vim.notify('gprof: Neovim 0.7.2 or newer is needed, 0.10 for all of it.', vim.log.levels.WARN)
  return
end

require('gprof.autostart').define()
require('gprof.commands').define()
