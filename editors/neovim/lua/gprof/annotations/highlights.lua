--- The highlight groups. Each is linked to a standard one until the user or a colour scheme overrides it.

local M = {}

---@type string[][] group, what it links to, what it is for
M.groups = {
  { 'GprofCold', 'Comment', 'figures of lines that take less than 0.5 % of the time' },
  { 'GprofHeat1', 'Comment', 'figures of lines that take at least 0.5 %' },
  { 'GprofHeat2', 'DiagnosticHint', 'at least 3 %' },
  { 'GprofHeat3', 'DiagnosticInfo', 'at least 10 %' },
  { 'GprofHeat4', 'DiagnosticWarn', 'at least 25 %' },
  { 'GprofHeat5', 'DiagnosticError', 'at least half of the time' },
  { 'GprofSign1', 'GprofHeat1', 'the mark in the sign column, by the same steps' },
  { 'GprofSign2', 'GprofHeat2', '' },
  { 'GprofSign3', 'GprofHeat3', '' },
  { 'GprofSign4', 'GprofHeat4', '' },
  { 'GprofSign5', 'GprofHeat5', '' },
  { 'GprofWaits', 'Special', 'how long threads were blocked in the calls of a line' },
  { 'GprofFunction', 'Comment', 'calls, times and rank of a function' },
  { 'GprofChanged', 'NonText', 'lines that changed since the build' },
  { 'GprofSlower', 'DiagnosticWarn', 'what takes longer than in the base' },
  { 'GprofFaster', 'DiagnosticHint', 'what takes less than in the base' },
  { 'GprofSelected', 'Visual', 'what is selected in the time line' },
  { 'GprofRunning', 'String', 'what threads did, in the time line of waiting: running' },
  { 'GprofLock', 'DiagnosticError', 'waiting for a lock' },
  { 'GprofIo', 'DiagnosticWarn', 'for input or output' },
  { 'GprofSleep', 'Type', 'sleeping' },
  { 'GprofChild', 'Constant', 'waiting for a child' },
  { 'GprofOther', 'Identifier', 'for something else' },
  { 'GprofCpu', 'Statement', 'for a CPU' },
  { 'GprofIdle', 'Comment', 'for something to do' },
  { 'GprofLink', 'Underlined', 'names in reports that lead to code' },
}

function M.define()
  for _, group in ipairs(M.groups) do
    -- A default link is restored when a colour scheme clears all groups.
    vim.cmd(('highlight default link %s %s'):format(group[1], group[2]))
  end
end

return M
