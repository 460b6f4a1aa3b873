--- How a server that ended by itself is started again: at most five times, each time after a longer wait. One that
--- ran for long begins anew, so that an end once a day never ends the service. Pure.

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
  -- One that ends before it has begun did not run for long.
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
