--- A selection as it is typed, `thread=parser time=2.5..4`, and what completes it. Pure.

local M = {}

---@class gprof.Selection
---@field processes? integer[]
---@field threads? (integer|string)[] numbers, or names
---@field from? number seconds since the run began
---@field to? number not included

--- Of the words; the first one is what a stretch without a key would be.
M.keys = { 'thread', 'time', 'process' }

local usage = 'thread=NAME, time=FROM..TO, process=NUMBER'

--- A word as the command line takes it: blanks and backslashes are escaped.
---@param word string
---@return string
function M.escaped(word)
  return (word:gsub('[ \t\\]', '\\%0'))
end

---@param word string
---@return string
function M.unescaped(word)
  return (word:gsub('\\(.)', '%1'))
end

---@param word string
---@return string? key
---@return string? value
local function parts_of(word)
  local key, value = word:match('^(%l+)=(.*)$')
  for _, known in ipairs(M.keys) do
    if key == known then
      return key, value
    end
  end
end

--- Puts names together that have blanks: `thread=my worker` is one word.
---@param words string[]
---@return string[]
local function joined(words)
  local all = {}
  for _, word in ipairs(words) do
    if #all == 0 or parts_of(word) or word:match('^%l+=') then
      table.insert(all, word)
    else
      all[#all] = all[#all] .. ' ' .. word
    end
  end
  return all
end

---@param names string[]
---@return table<string, boolean>
local function set_of(names)
  local set = {}
  for _, name in ipairs(names) do
    set[name] = true
  end
  return set
end

--- Numbers and names; commas separate them, unless they are part of a thread's name.
---@param value string
---@param names table<string, boolean> of threads
---@return (integer|string)[]
local function threads_of(value, names)
  if names[value] or value:match('^%d+$') then
    return { tonumber(value) or value }
  end
  local threads = {}
  for part in value:gmatch('[^,]+') do
    table.insert(threads, part:match('^%d+$') and tonumber(part) or part)
  end
  return threads
end

---@param value string
---@return integer[]? nil if one is no number
local function processes_of(value)
  local processes = {}
  for part in value:gmatch('[^,]+') do
    if not part:match('^%d+$') then
      return nil
    end
    table.insert(processes, tonumber(part))
  end
  return processes
end

--- "2.5" or "2.5s".
---@param text string
---@return number? nil if it is no time
---@return boolean is_left_out
local function seconds_of(text)
  if text == '' then
    return nil, true
  end
  local digits = text:match('^(%d*%.?%d*)%s*s?$')
  return digits and digits:match('%d') and tonumber(digits) or nil, false
end

---@param value string
---@return number? from
---@return number? to
---@return boolean is_stretch
local function stretch_of(value)
  local first, last = value:match('^(.-)%.%.(.*)$')
  if not first then
    return nil, nil, false
  end
  local from, has_no_from = seconds_of(first)
  local to, has_no_to = seconds_of(last)
  local is_stretch = (from ~= nil or has_no_from) and (to ~= nil or has_no_to) and not (has_no_from and has_no_to)
  return from, to, is_stretch
end

---@generic T
---@param list T[]?
---@param more T[]
---@return T[]
local function with(list, more)
  list = list or {}
  for _, element in ipairs(more) do
    table.insert(list, element)
  end
  return list
end

-- What one word adds to the selection; returns what is wrong with it.
---@param selection gprof.Selection
---@param word string
---@param names table<string, boolean>
---@return string? problem
local function add(selection, word, names)
  local key, value = parts_of(word)
  value = value and value:match('^"(.*)"$') or value
  if not key then
    return ('%s selects nothing. There are: %s.'):format(word, usage)
  elseif value == '' then
    return ('%s= needs a value. There are: %s.'):format(key, usage)
  elseif key == 'thread' then
    selection.threads = with(selection.threads, threads_of(value, names))
  elseif key == 'process' then
    local processes = processes_of(value)
    if not processes then
      return ('%s is no number of a process. 4711 is one, or 4711,4712.'):format(value)
    end
    selection.processes = with(selection.processes, processes)
  else
    local is_stretch
    selection.from, selection.to, is_stretch = stretch_of(value)
    if not is_stretch then
      return ('%s is no stretch of time. 2.5..4 is one, in seconds, or 2.5.. or ..4.'):format(value)
    end
  end
end

---@param words string[]
---@param names string[] of the profile's threads
---@return gprof.Selection? nil if a word is wrong
---@return string? problem
function M.parse(words, names)
  local selection, set = {}, set_of(names)
  for _, word in ipairs(joined(words)) do
    local problem = add(selection, word, set)
    if problem then
      return nil, problem
    end
  end
  return selection
end

---@param seconds number
---@return string
local function number(seconds)
  return ('%.6g'):format(seconds)
end

--- Names of threads, each once; numbers of those that have none.
---@param threads gprof.ProfiledThread[]
---@return string[]
local function thread_values(threads)
  local values, seen = {}, {}
  for _, thread in ipairs(threads) do
    local value = thread.name ~= '' and thread.name or number(thread.thread)
    if not seen[value] then
      seen[value] = true
      table.insert(values, value)
    end
  end
  return values
end

--- Halves and quarters of the run; once a beginning was typed, ends behind it.
---@param typed string
---@param length number
---@return string[]
local function time_values(typed, length)
  local function at(quarter)
    return number(length * quarter / 4)
  end
  local values, first = {}, typed:match('^(.-)%.%.')
  if first then
    for quarter = 1, 4 do
      if (tonumber(first) or 0) < length * quarter / 4 then
        table.insert(values, ('%s..%s'):format(first, at(quarter)))
      end
    end
    return values
  end
  for _, pair in ipairs({ { 0, 2 }, { 2, 4 }, { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 4 } }) do
    table.insert(values, ('%s..%s'):format(at(pair[1]), at(pair[2])))
  end
  return values
end

---@param key string
---@param typed string its value
---@param told gprof.MetricsResult
---@return string[]
local function values_of(key, typed, told)
  if key == 'thread' then
    return thread_values(told.threads)
  elseif key == 'time' then
    return told.sliceWidth > 0 and time_values(typed, told.length) or {}
  end
  local values = {}
  for _, process in ipairs(told.processes) do
    table.insert(values, number(process.process))
  end
  return values
end

---@param told gprof.MetricsResult?
---@return table<string, boolean>
local function keys_of(told)
  return {
    thread = told == nil or #told.threads > 0,
    time = told == nil or told.sliceWidth > 0,
    process = told == nil or #told.processes > 0,
  }
end

---@param list string[]
---@param typed string
---@return string[]
local function beginning_with(list, typed)
  local found = {}
  for _, word in ipairs(list) do
    if word:sub(1, #typed) == typed then
      table.insert(found, word)
    end
  end
  return found
end

--- Words that begin with what was typed, as the command line takes them.
---@param typed string as it stands there
---@param before string[] words of the selection
---@param told gprof.MetricsResult? what the profile has, if it is known
---@return string[]
function M.complete(typed, before, told)
  local key, value = parts_of(M.unescaped(typed))
  local has, words = keys_of(told), {}
  if not key then
    local text = table.concat(before, ' ')
    for _, one in ipairs(M.keys) do
      if has[one] and not (' ' .. text):find(' ' .. one .. '=', 1, true) then
        table.insert(words, one .. '=')
      end
    end
    return beginning_with(words, typed)
  elseif not told then
    return {}
  end
  -- Of several, the last one is completed.
  local others = key ~= 'time' and value:match('^.*,') or ''
  local last = value:sub(#others + 1)
  for _, one in ipairs(beginning_with(values_of(key, last, told), last)) do
    table.insert(words, M.escaped(('%s=%s%s'):format(key, others, one)))
  end
  return words
end

return M
