-- Where figures begin.

local alignment = require('gprof.annotations.alignment')

local function widths(count, width)
  local all = {}
  for index = 1, count do
    all[index] = width
  end
  return all
end

describe('the column of figures', function()
  it('is behind all lines of a very short text', function()
    for count = 1, 3 do
      local all = widths(count, 30)
      all[count] = 52
      assert.is_true(alignment.column(all, 80) >= 52 + 2, ('%d lines'):format(count))
    end
  end)

  it('is behind three of four lines', function()
    local all = widths(1000, 30)
    for index = 1, 250 do
      all[index] = 70
    end
    assert.are.equal(32, alignment.column(all, 80))
    all[251] = 70
    assert.are.equal(72, alignment.column(all, 80))
  end)

  it('is behind lines that are a little longer', function()
    local all = widths(100, 30)
    all[1], all[2] = 38, 39
    assert.are.equal(40, alignment.column(all, 80))
  end)

  it('is no further to the right than it may be', function()
    assert.are.equal(80, alignment.column(widths(10, 200), 80))
    assert.are.equal(0, alignment.column(widths(10, 20), 0))
    assert.are.equal(10, alignment.column({}, 10))
  end)

  it('does not hang on the order of the lines, and leaves them as they are', function()
    local all = { 3, 60, 7 }
    assert.are.equal(alignment.column({ 60, 7, 3 }, 100), alignment.column(all, 100))
    assert.are.same({ 3, 60, 7 }, all)
  end)

  it('leaves a gap behind lines that are longer', function()
    assert.are.equal(10, alignment.margin(30, 40))
    assert.are.equal(2, alignment.margin(40, 40))
    assert.are.equal(2, alignment.margin(90, 40))
  end)
end)
