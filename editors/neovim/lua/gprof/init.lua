--- The public functions: setup() and statusline(). The plugin works without calling either.

local M = {}

local is_registered = false

--- Loads the parts and registers their listeners; triggered by the first file of one of the file types.
function M.register()
  if is_registered then
    return
  end
  is_registered = true
  require('gprof.annotations').register()
  require('gprof.navigation.lens_commands').register()
  require('gprof.recording.tests').register()
  require('gprof.reports').register()
end

--- Settings, by the names in `:help gprof-settings`; optional, and may be called again.
---@param given table?
function M.setup(given)
  local problems = require('gprof.config').set(given)
  if #problems > 0 then
    -- :checkhealth names all of them.
    local which = #problems == 1 and 'settings: ' or ('settings, 1 of %d problems: '):format(#problems)
    require('gprof.messages').tell(which .. problems[1])
  end
  require('gprof.autostart').define()
end

--- A short text for status lines: the program, the age of its profile, and any problem; empty without a program.
---@param buffer integer? nil: the current one
---@return string
function M.statusline(buffer)
  return require('gprof.statusline').text(buffer or vim.api.nvim_get_current_buf())
end

return M
