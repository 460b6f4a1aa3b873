-- How the cells of lines are laid out and coloured.

local line_text = require('gprof.annotations.line_text')

local columns = {
  { name = 'count', width = 8 },
  { name = 'time', width = 13 },
  { name = 'share', width = 6 },
  { name = 'difference', width = 10 },
}

local function line(cells, more)
  local all = { line = 4, state = 'current', level = 3, cells = cells }
  for name, value in pairs(more or {}) do
    all[name] = value
  end
  return all
end

local figures = { '→ 26.3k', '0.31 ±0.06 s', '10 %' }

local function text_of(cells, of_columns)
  local texts = {}
  for _, chunk in ipairs(line_text.chunks(line(cells), of_columns or columns)) do
    table.insert(texts, chunk[1])
  end
  return table.concat(texts)
end

local function group_of(more)
  return line_text.chunks(line(figures, more), columns)[1][2]
end

describe('the text of a line', function()
  it('has cells that end where their column does', function()
    assert.are.equal(' → 26.3k  0.31 ±0.06 s   10 %', text_of(figures))
    assert.are.equal('         12.50 ±0.35 s  9.9 %', text_of({ '', '12.50 ±0.35 s', '9.9 %' }))
    assert.are.equal(' changed', text_of({ 'changed' }))
  end)

  it('keeps a cell that is wider than its column apart from the next', function()
    assert.are.equal('       1 100.00 ±10.00 s   10 %', text_of({ '1', '100.00 ±10.00 s', '10 %' }))
  end)

  it('lays out a cell that it has never heard of as any other', function()
    local more = { columns[1], columns[2], columns[3], { name = 'cacheMisses', width = 10 } }
    assert.are.equal('    100×                       1.2M miss', text_of({ '100×', '', '', '1.2M miss' }, more))
    assert.are.equal(
      '    100×        0.31 s   10 % more',
      text_of({ '100×', '0.31 s', '10 %', 'more' }, { unpack(columns, 1, 3) })
    )
  end)

  it('leaves out what does not fit, from the right, and blanks first', function()
    local function within(cells, room)
      local texts = {}
      for _, chunk in ipairs(line_text.chunks(line(cells), columns, 'a · bc · def', room)) do
        table.insert(texts, chunk[1])
      end
      return table.concat(texts)
    end
    local whole = ' → 26.3k  0.31 ±0.06 s   10 %'
    assert.are.equal(whole .. '  a · bc · def', within(figures, #whole + 20))
    assert.are.equal(whole .. '  a · bc', within(figures, 29 + 2 + 6))
    assert.are.equal(' → 26.3k  0.31 ±0.06 s  a', within(figures, 28))
    assert.are.equal(' → 26.3k  a · bc', within(figures, 21))
    assert.are.equal('', within(figures, 0))
    assert.are.equal('  10 %', within({ '', '', '10 %' }, 6))
  end)

  it('is a share of two cells for the sign column, where it has one', function()
    local two = { { name = 'share', width = 5 }, { name = 'time', width = 6 } }
    local function share(text)
      return line_text.share_for_sign({ line = 0, state = 'current', level = 2, cells = { text, '1 s' } }, two)
    end
    assert.equal('25', share(' 25 %'))
    assert.equal(' 3', share('2.7 %'))
    assert.is_nil(share('0.4 %'))
    assert.is_nil(share('100 %'))
    assert.is_nil(share(''))
    assert.is_nil(line_text.share_for_sign(nil, two))
  end)

  it('is empty where there is nothing to show', function()
    assert.are.same({}, line_text.chunks(line(nil), columns))
    assert.are.same({}, line_text.chunks(nil, columns))
    assert.are.same({}, line_text.chunks(nil, columns, ''))
  end)

  it("has a function's summary behind the figures, in a group of its own", function()
    local chunks = line_text.chunks(line(figures), columns, '7 calls')
    assert.are.same({ '  ', '' }, chunks[2])
    assert.are.same({ '7 calls', 'GprofFunction' }, chunks[3])
    assert.are.same({ { '7 calls', 'GprofFunction' } }, line_text.chunks(nil, columns, '7 calls'))
  end)
end)

describe('the colour of a line', function()
  it('follows its level of heat', function()
    assert.are.equal('GprofCold', group_of({ level = 0 }))
    assert.are.equal('GprofHeat1', group_of({ level = 1 }))
    assert.are.equal('GprofHeat5', group_of({ level = 5 }))
  end)

  it('says that a line changed', function()
    assert.are.equal('GprofChanged', group_of({ state = 'changed', level = 0 }))
  end)

  it('is another one where the line differs from the base by more than noise', function()
    local function chunks(verdict)
      local cells = { figures[1], figures[2], figures[3], '+0.21 s ▲' }
      return line_text.chunks(line(cells, { selfDifference = { verdict = verdict } }), columns)
    end
    assert.are.same({
      { ' → 26.3k  0.31 ±0.06 s   10 %  ', 'GprofHeat3' },
      { '+0.21 s ▲', 'GprofSlower' },
    }, chunks('regressed'))
    assert.are.equal('GprofFaster', chunks('improved')[2][2])
    -- Its executions differ.
    assert.are.equal(1, #chunks('noise'))
  end)

  it('is its own for waiting, whatever the heat', function()
    local more = { { name = 'share', width = 6 }, { name = 'waits', width = 12 }, { name = 'count', width = 8 } }
    local chunks = line_text.chunks(line({ '10 %', '8.2 s lock', '100×' }), more)
    assert.are.same({
      { '  10 %   ', 'GprofHeat3' },
      { '8.2 s lock', 'GprofWaits' },
      { '     100×', 'GprofHeat3' },
    }, chunks)
    -- All that is said of a line that changed stands in the first column.
    local changed = line({ 'changed' }, { state = 'changed' })
    assert.are.equal('GprofChanged', line_text.chunks(changed, { more[2] })[1][2])
  end)
end)
