--- Scripts by which libtool starts programs that it has not installed yet. Pure.

local M = {}

--- By its beginning.
---@param text string
---@return boolean
function M.is_wrapper(text)
  return text:match('^#! ?/bin/b?a?sh\n\n# %S+ %- temporary wrapper script for ') ~= nil
end

--- The executable that the script at `path` starts, by the whole of the script.
---@param path string
---@param text string
---@return string?
function M.wrapped_program(path, text)
  if not M.is_wrapper(text) then
    return nil
  end
  local relinked, name = text:match("\n%s*program=(l?t?%-?)'([^'/]+)'")
  return name and ('%s/.libs/%s%s'):format(path:match('^(.*)/') or '.', relinked, name) or nil
end

return M
