-- Which lines are asked for, and which were touched by edits.

local line_ranges = require('gprof.annotations.line_ranges')

local function range(first, last)
  return { first = first, last = last }
end

describe('lines to ask for', function()
  it('are what is visible and a screen around it', function()
    assert.are.same({ range(60, 179) }, line_ranges.around({ range(100, 139) }, 1000))
  end)

  it('end where the text ends', function()
    assert.are.same({ range(0, 79) }, line_ranges.around({ range(0, 39) }, 1000))
    assert.are.same({ range(920, 999) }, line_ranges.around({ range(960, 999) }, 1000))
    assert.are.same({ range(0, 4) }, line_ranges.around({ range(0, 4) }, 5))
    assert.are.same({ range(0, 0) }, line_ranges.around({ range(0, 0) }, 0))
  end)

  it('are one range where those of two windows touch', function()
    assert.are.same({ range(0, 199) }, line_ranges.around({ range(100, 139), range(40, 59) }, 1000))
    local apart = line_ranges.around({ range(500, 509), range(110, 119) }, 1000)
    assert.are.same({ range(90, 139), range(480, 529) }, apart)
  end)

  it('are none where nothing is visible', function()
    assert.are.same({}, line_ranges.around({}, 1000))
    assert.is_true(line_ranges.are_covered({}, {}, 1000))
  end)

  it('are known while half a screen is left around what is visible', function()
    local known = line_ranges.around({ range(100, 139) }, 1000)
    assert.is_true(line_ranges.are_covered({ range(100, 139) }, known, 1000))
    assert.is_true(line_ranges.are_covered({ range(120, 159) }, known, 1000))
    assert.is_false(line_ranges.are_covered({ range(121, 160) }, known, 1000))
    assert.is_true(line_ranges.are_covered({ range(0, 39) }, { range(0, 79) }, 1000))
    assert.is_true(line_ranges.are_covered({ range(0, 4) }, { range(0, 4) }, 5))
  end)

  it('hold their own ends', function()
    local ranges = { range(3, 5), range(9, 9) }
    local held = {}
    for line = 0, 10 do
      if line_ranges.contain(ranges, line) then
        table.insert(held, line)
      end
    end
    assert.are.same({ 3, 4, 5, 9 }, held)
  end)
end)

-- Edits as a text of numbered lines takes them: each line remembers whether one has touched it.
local function simulated(edits, count)
  local lines = {}
  for index = 1, count do
    lines[index] = false
  end
  local touched
  for _, edit in ipairs(edits) do
    local first, last, new_last = edit[1], edit[2], edit[3]
    for _ = first + 1, last do
      table.remove(lines, first + 1)
    end
    for at = first + 1, new_last do
      table.insert(lines, at, true)
    end
    -- Where lines went, what stands there now was touched as well: marks have come to stand on it.
    if last > new_last and lines[first + 1] ~= nil then
      lines[first + 1] = true
    end
    touched = line_ranges.touched(touched, first, last, new_last)
  end
  return lines, touched
end

describe('touched lines', function()
  it('hold every line that any of the edits has touched', function()
    local seed = 7
    local function random(most)
      seed = (seed * 1103515245 + 12345) % 2147483648
      return math.floor(seed / 65536) % (most + 1)
    end
    for _ = 1, 400 do
      local edits, count = {}, 20
      for _ = 1, 1 + random(4) do
        local first = random(count)
        local last = first + random(math.min(4, count - first))
        local new_last = first + random(4)
        table.insert(edits, { first, last, new_last })
        count = count + new_last - last
      end
      local lines, touched = simulated(edits, 20)
      for index, is_touched in ipairs(lines) do
        if is_touched then
          assert.is_true(
            touched.first <= index - 1 and index - 1 <= touched.last,
            ('line %d is not in %d to %d'):format(index - 1, touched.first, touched.last)
          )
        end
      end
    end
  end)

  it('are few after edits of one place', function()
    assert.are.same(range(5, 6), line_ranges.touched(nil, 5, 6, 6))
    local typed = line_ranges.touched(line_ranges.touched(nil, 5, 6, 6), 5, 6, 6)
    assert.are.same(range(5, 6), typed)
  end)
end)
