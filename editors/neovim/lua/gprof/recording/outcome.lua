--- What is said about a run that has ended, from the summary that the recorder wrote. Pure.

local numbers = require('gprof.numbers')

local M = {}

-- How a user or a system asks a program to end.
local requests = { SIGHUP = true, SIGINT = true, SIGTERM = true }

---@class gprof.HottestFunction
---@field name string
---@field share number of the program's time, its own

---@param summary gprof.RunSummary
---@return string? nil if the program ended as it should
local function ending(summary)
  if summary.signal and summary.crash then
    local place = ('%s:%d'):format(summary.crash.path:match('[^/]*$'), summary.crash.line)
    return ('was killed by %s at %s'):format(summary.signal, place)
  elseif summary.signal then
    local how = requests[summary.signal] and 'terminated' or 'killed by ' .. summary.signal
    return ('was %s; its profile was kept'):format(how)
  elseif summary.status and summary.status ~= 0 then
    return ('ended with status %d'):format(summary.status)
  end
end

--- Of a run that left a profile: the most important sentences that fit. The terminal shows the others.
--- Without a summary, the recorder itself was killed.
---@param name string of the program
---@param summary gprof.RunSummary?
---@param fits fun(text: string): boolean
---@param hottest gprof.HottestFunction?
---@param hint string? the least important
---@return string
function M.describe(name, summary, fits, hottest, hint)
  if not summary then
    return ('The recorder of %s was killed; what was counted until then was kept.'):format(name)
  end
  local ended = ending(summary)
  local text = ended and ('%s %s.'):format(name, ended) or ('%s: %s.'):format(name, summary.headline or 'recorded')
  local more = {
    ended and summary.headline and summary.headline .. '.' or '',
    hottest and ('Hottest: %s %s.'):format(hottest.name, numbers.percent(hottest.share)) or '',
    hint or '',
  }
  for _, sentence in ipairs(more) do
    local longer = sentence ~= '' and ('%s %s'):format(text, sentence) or text
    text = fits(longer) and longer or text
  end
  return text
end

--- Of a run that left none: why, and what to do.
---@param name string
---@param summary gprof.RunSummary?
---@return string
function M.failure(name, summary)
  if not summary then
    return ('the recorder of %s was killed before anything was counted.'):format(name)
  end
  return ('%s. See the terminal.'):format(summary.problem or (name .. ' left no profile'))
end

return M
