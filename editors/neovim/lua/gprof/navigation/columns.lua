--- From the characters that a server counts to bytes of a line, and back. Pure.

local M = {}

-- Bytes of the character that begins with this byte, and what it counts in UTF-16.
---@param byte integer
---@return integer bytes
---@return integer units
local function size_of(byte)
  if byte < 0xC0 then
    return 1, 1
  elseif byte < 0xE0 then
    return 2, 1
  elseif byte < 0xF0 then
    return 3, 1
  end
  return 4, 2
end

--- Bytes before the character; those of the whole line where it is shorter.
---@param line string
---@param character integer from 0
---@param encoding string
---@return integer
function M.byte_of(line, character, encoding)
  if encoding == 'utf-8' then
    return math.min(character, #line)
  end
  local at, counted = 0, 0
  while at < #line and counted < character do
    local bytes, units = size_of(line:byte(at + 1))
    at = at + bytes
    counted = counted + (encoding == 'utf-16' and units or 1)
  end
  return math.min(at, #line)
end

--- Characters before the byte.
---@param line string
---@param byte integer from 0
---@param encoding string
---@return integer
function M.character_of(line, byte, encoding)
  if encoding == 'utf-8' then
    return math.min(byte, #line)
  end
  local at, counted = 0, 0
  while at < byte and at < #line do
    local bytes, units = size_of(line:byte(at + 1))
    at = at + bytes
    counted = counted + (encoding == 'utf-16' and units or 1)
  end
  return counted
end

return M
