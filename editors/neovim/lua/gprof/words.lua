--- Expands the words of a command line as Vim's own commands do: %, # and <cfile> with their modifiers, ~, variables
--- and wildcards. No shell is involved: shell-only syntax stays as written. Pure.

local M = {}

---@class gprof.Surroundings
---@field keyword fun(word: string): string what %, #2, <cfile>, %:p:h and the like stand for
---@field variable fun(name: string): string?
---@field home string
---@field files fun(pattern: string): string[] that match, sorted

-- %, #, #3, <cfile> and <cword>, each with modifiers such as :p:h:r
local keywords = { '^(%%)', '^(#%d*)', '^(<cfile>)', '^(<cword>)', '^(<cWORD>)' }

---@param word string
---@return string? keyword with its modifiers
local function keyword_of(word)
  for _, pattern in ipairs(keywords) do
    local name = word:match(pattern)
    if name then
      local modifiers, rest = '', word:sub(#name + 1)
      while rest:match('^:[p~.htre8]') do
        modifiers, rest = modifiers .. rest:sub(1, 2), rest:sub(3)
      end
      return name .. modifiers
    end
  end
end

---@param word string
---@param variable fun(name: string): string?
---@return string
local function with_variables(word, variable)
  local function value(whole, name)
    return variable(name) or whole
  end
  word = word:gsub('(%${([%w_]+)})', value)
  return (word:gsub('(%$([%a_][%w_]*))', value))
end

-- Braces, quotes, backticks and the like are for a shell.
---@param word string
---@return boolean
local function is_pattern(word)
  return word:find('[*?%[]') ~= nil and word:find('[`\'"{}~$;|&<>()!\\]') == nil
end

--- One word becomes one or, by a wildcard, several. One without matches stays.
---@param word string
---@param around gprof.Surroundings
---@return string[]
local function expanded(word, around)
  local keyword = keyword_of(word)
  if keyword then
    return { around.keyword(keyword) .. word:sub(#keyword + 1) }
  end
  -- As in Vim's command lines, a backslash escapes these.
  if word:match('^\\[%%#~<$]') then
    return { word:sub(2) }
  end
  word = with_variables(word, around.variable)
  if word == '~' or word:sub(1, 2) == '~/' then
    word = around.home .. word:sub(2)
  end
  if is_pattern(word) then
    local files = around.files(word)
    if #files > 0 then
      return files
    end
  end
  return { word }
end

---@param words string[]
---@param around gprof.Surroundings
---@return string[]
function M.expand(words, around)
  local all = {}
  for _, word in ipairs(words) do
    for _, one in ipairs(expanded(word, around)) do
      table.insert(all, one)
    end
  end
  return all
end

--- Neovim's current surroundings.
---@return gprof.Surroundings
function M.surroundings()
  return {
    keyword = function(word)
      return vim.fn.expand(word)
    end,
    variable = function(name)
      return vim.env[name]
    end,
    home = vim.env.HOME or '~',
    files = function(pattern)
      return vim.fn.glob(pattern, true, true)
    end,
  }
end

--- Files that begin with what was typed. Words that only a shell could expand have none.
---@param typed string
---@return string[]
function M.files_beginning_with(typed)
  if typed:find('[`\'"{}$;|&<>()!\\*?%[]') then
    return {}
  end
  return vim.fn.getcompletion(typed, 'file')
end

return M
