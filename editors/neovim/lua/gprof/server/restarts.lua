--- How a server that exited by itself is restarted: at most five times, each after a longer wait. A long run resets the
--- count, so that a crash once a day never ends the service. Pure.

local delays = { 500, 1000, 2000, 4000, 8000 }
local long_enough = 10 * 60 * 1000

---@class gprof.Restarts
---@field private made integer
---@field private started_at integer?
local Restarts = {}
Restarts.__index = Restarts

---@param now integer milliseconds
function Restarts:started(now)
  self.started_at = now
end

--- Milliseconds to wait before the next start; nil when it is not to be started again.
---@param now integer milliseconds
---@return integer?
function Restarts:next(now)
  if self.started_at and now - self.started_at >= long_enough then
    self.made = 0
  end
  -- One that exits before it has started did not run for long.
  self.started_at = nil
  local delay = delays[self.made + 1]
  if delay then
    self.made = self.made + 1
  end
  return delay
end

return {
  most = #delays,
  ---@return gprof.Restarts
  new = function()
    return setmetatable({ made = 0 }, Restarts)
  end,
}
