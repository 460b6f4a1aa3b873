--- Messages to the user, each in one line, so that the editor does not ask for a key. `:checkhealth gprof` lists those
--- that were cut.

local M = {}

-- Of the last line; the editor uses the rest for itself ('showcmd', 'ruler').
local kept_by_editor = 20
local most_kept = 10
local cut = {}

---@param word string
---@return string with the name of a file for its path
local function without_folder(word)
  local opening, name, rest = word:match('^(["\'(]*)/[^:;,]*/([^/:;,"\')]+)(.*)$')
  return name and opening .. name .. rest or word
end

--- The first line of a message, with names of files for paths, as far as whole words fit.
---@param text string
---@param fits fun(text: string): boolean
---@return string
function M.line(text, fits)
  local first = text:match('[^\n]*'):gsub('%S+', without_folder)
  if fits(first) then
    return first
  end
  local line = ''
  for word in first:gmatch('%S+') do
    local longer = line == '' and word or line .. ' ' .. word
    if line ~= '' and not fits(longer .. '…') then
      break
    end
    line = longer
  end
  return line .. '…'
end

---@param text string
---@param level integer? of vim.log.levels; that of warnings if left out
function M.tell(text, level)
  local whole = 'gprof: ' .. text
  local width = vim.o.columns - kept_by_editor
  local line = M.line(whole, function(candidate)
    return vim.fn.strdisplaywidth(candidate) <= width
  end)
  if line ~= whole then
    table.insert(cut, text)
    if #cut > most_kept then
      table.remove(cut, 1)
    end
  end
  vim.notify(line, level or vim.log.levels.WARN)
end

--- The whole text of messages that were cut, the oldest first.
---@return string[]
function M.cut()
  return cut
end

--- Handles window/showMessage.
function M.handler(_, message)
  local by_type = { vim.log.levels.ERROR, vim.log.levels.WARN }
  M.tell(message.message, by_type[message.type] or vim.log.levels.INFO)
end

return M
