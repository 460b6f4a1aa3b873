--- Folds of reports: the entries of a call graph, the sources of annotated ones.

local M = {}

--- Pure.
---@param before string the line above
---@param line string
---@return string as of 'foldexpr'
function M.level_of(before, line)
  if line:match('^%-%-%-%-') then
    return '0'
  elseif line:match('^%*%*%* File ') or before:match('^%-%-%-%-') then
    return '>1'
  end
  return '='
end

---@param number integer line of the current buffer, from 1
---@return string
function M.level(number)
  return M.level_of(vim.fn.getline(number - 1), vim.fn.getline(number))
end

return M
