--- What is said about a run that has ended, from the summary that the recorder wrote. Pure.

local M = {}

---@param text string
---@return string
local function capitalised(text)
  return text:sub(1, 1):upper() .. text:sub(2)
end

--- Of a run that left a profile. Without a summary, the recorder itself was killed.
---@param name string of the program
---@param summary gprof.RunSummary?
---@return string
function M.describe(name, summary)
  if not summary then
    return ('The recorder of %s was killed; what was counted until then was kept.'):format(name)
  end
  local took = {}
  for _, text in ipairs({ summary.times or '', summary.figures or '' }) do
    if text ~= '' then
      table.insert(took, text)
    end
  end
  local ending = ''
  if summary.signal then
    ending = (' was killed by %s; its profile was kept:'):format(summary.signal)
  elseif summary.status and summary.status ~= 0 then
    ending = (' ended with status %d:'):format(summary.status)
  end
  local text = ('%s%s %s.'):format(name, ending, table.concat(took, '; '))
  local remark = summary.remarks[1]
  return remark and ('%s %s.'):format(text, capitalised(remark)) or text
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
