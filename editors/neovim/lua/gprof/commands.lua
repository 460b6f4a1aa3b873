--- The commands with their completion, and the <Plug> maps. One table says them all.

local M = {}

function M.define() end

return M
