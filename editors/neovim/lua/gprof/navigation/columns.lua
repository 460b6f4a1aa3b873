--- Converts between a server's character counts and bytes of a line. Pure.

local M = {}

-- Size of the character that begins with this byte, in bytes and in UTF-16 units.
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

-- Steps through the characters of the line while `goes_on` returns true.
---@param line string
---@param encoding string
---@param goes_on fun(bytes: integer, counted: integer): boolean the distance covered
---@return integer bytes
---@return integer counted characters
local function walk(line, encoding, goes_on)
  local at, counted = 0, 0
  while at < #line and goes_on(at, counted) do
    local bytes, units = size_of(line:byte(at + 1))
    at = at + bytes
    counted = counted + (encoding == 'utf-16' and units or 1)
  end
  return math.min(at, #line), counted
end

--- Bytes before the character; those of the whole line if it is shorter.
---@param line string
---@param character integer from 0
---@param encoding string
---@return integer
function M.byte_of(line, character, encoding)
  if encoding == 'utf-8' then
    return math.min(character, #line)
  end
  return (walk(line, encoding, function(_, counted)
    return counted < character
  end))
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
  local _, counted = walk(line, encoding, function(at)
    return at < byte
  end)
  return counted
end

return M
