--- The text at the end of a line: a count, a time and its share, in cells of fixed width so that figures line up; and
--- the difference from the base. Pure.

local heat = require('gprof.annotations.heat')
local numbers = require('gprof.annotations.numbers')

local M = {}

---@class gprof.LineTextOptions
---@field metric string
---@field threshold number
---@field basis string?
---@field unit string
---@field scale gprof.SampleScale
---@field with_errors boolean

local count_width, error_width, plain_width, share_width = 8, 14, 9, 7

--- Number of characters, each of which takes one cell here.
---@param text string
---@return integer
local function length(text)
  local _, continued = text:gsub('[\128-\191]', '')
  return #text - continued
end

---@param text string
---@param width integer
---@return string
local function padded(text, width)
  return (' '):rep(width - length(text)) .. text
end

-- Calls that the line makes have an arrow; how often it ran has a times sign.
---@param line gprof.LineData
---@param metric string
---@return string
local function count_of(line, metric)
  local calls = line.calls and '→ ' .. numbers.short_count(line.calls) or ''
  local executions = line.executions and numbers.short_count(line.executions) .. '×' or ''
  if metric == 'calls' or executions == '' then
    return calls
  end
  return executions
end

---@param line gprof.LineData
---@param options gprof.LineTextOptions
---@return string? text
---@return string share
local function time_of(line, options)
  local is_total = options.metric == 'total'
  local value = is_total and line.totalSeconds or not is_total and line.selfSeconds or nil
  if not value or value <= 0 then
    return nil, ''
  end
  -- The heat of a time is the square root of its share.
  local root = is_total and line.heats.total or line.heats.self
  local share = root * root
  if share < options.threshold then
    return nil, ''
  end
  -- If the line calls nothing that took time, its total is its self time, not an estimate.
  local is_own = line.selfSeconds == value
  local error = (not is_total or is_own) and line.selfError or nil
  local unsampled = error and numbers.unsampled(value, options.scale, options.unit)
  if unsampled then
    return unsampled, ''
  end
  local estimated = is_total and not is_own and options.basis == 'estimated' and '≈' or ''
  local text = options.with_errors and numbers.amount_with_error(value, error, options.unit)
    or numbers.amount(value, options.unit, error)
  return estimated .. text, numbers.percent(share)
end

-- A change within the error is not a difference, and a changed line was not measured.
---@param line gprof.LineData
---@param unit string
---@return string[]? chunk
local function difference_chunk(line, unit)
  local difference = line.selfDifference
  if not difference or difference.verdict == 'noise' or line.state == 'changed' then
    return nil
  end
  local is_faster = difference.difference < 0
  local text = ('%s %s'):format(is_faster and '▼' or '▲', numbers.signed_amount(difference.difference, unit))
  return { text, is_faster and 'GprofFaster' or 'GprofSlower' }
end

-- Padded to the full width, unless empty.
---@param line gprof.LineData
---@param options gprof.LineTextOptions
---@return string
local function cells_of(line, options)
  if line.state == 'changed' then
    return padded('changed', count_width)
  end
  local count = count_of(line, options.metric)
  local time, share = time_of(line, options)
  if count == '' and not time then
    return ''
  end
  local mark = count ~= '' and line.state == 'approximate' and '≈' or ''
  local time_width = options.with_errors and error_width or plain_width
  return padded(mark .. count, count_width) .. padded(time or '', time_width) .. padded(share, share_width)
end

---@param line gprof.LineData
---@param metric string
---@return string
local function highlight_of(line, metric)
  if line.state == 'changed' then
    return 'GprofChanged'
  end
  local level = heat.of_line(line, metric)
  return level == 0 and 'GprofCold' or 'GprofHeat' .. level
end

--- Texts with their highlight groups, from left to right; empty if there is nothing to show.
---@param line gprof.LineData? the figures of the line
---@param summary string? of the function that begins on the line
---@param options gprof.LineTextOptions
---@return string[][]
function M.chunks(line, summary, options)
  local chunks = {}
  local function add(chunk)
    if #chunks > 0 then
      table.insert(chunks, { '  ', '' })
    end
    table.insert(chunks, chunk)
  end
  local cells = line and cells_of(line, options) or ''
  local difference = line and difference_chunk(line, options.unit)
  if line and difference then
    -- Differences of all lines line up.
    local width = count_width + (options.with_errors and error_width or plain_width) + share_width
    add({ cells ~= '' and cells or (' '):rep(width), highlight_of(line, options.metric) })
    add(difference)
  elseif line and cells ~= '' then
    add({ (cells:gsub('%s+$', '')), highlight_of(line, options.metric) })
  end
  if summary and summary ~= '' then
    add({ summary, 'GprofFunction' })
  end
  return chunks
end

return M
