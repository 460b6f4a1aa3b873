-- What stands at the end of a line, by metric and threshold, and how it is coloured.

local heat = require('gprof.annotations.heat')
local line_text = require('gprof.annotations.line_text')

local function options(more)
  local all = { metric = 'self', threshold = 0.005, basis = 'estimated', unit = 'seconds', with_errors = true }
  all.scale = { sampleSeconds = 0.01, unsampledBelow = 0.03 }
  for name, value in pairs(more or {}) do
    all[name] = value
  end
  return all
end

-- A line with 0.31 of 3.1 seconds, and 0.62 with what it calls. `false` takes a member away.
local function line(more)
  local all = {
    line = 4,
    state = 'current',
    calls = 26345,
    selfSeconds = 0.31,
    selfError = 0.056,
    totalSeconds = 0.62,
    heats = { calls = 0.7, executions = 0, self = math.sqrt(0.1), total = math.sqrt(0.2) },
  }
  for name, value in pairs(more or {}) do
    all[name] = value or nil
  end
  return all
end

-- The figures with a bar between cells.
local function text_of(data, more)
  local parts = {}
  for _, chunk in ipairs(line_text.chunks(data, nil, options(more))) do
    table.insert(parts, chunk[1])
  end
  local text = table.concat(parts):gsub('^%s+', ''):gsub('%s%s+', ' | ')
  return text
end

describe('the text of a line', function()
  it('has calls, self time with its error, and its share', function()
    assert.are.equal('→ 26.3k | 0.31 ±0.06 s | 10 %', text_of(line()))
    assert.are.equal('→ 26.3k | 0.31 s | 10 %', text_of(line(), { with_errors = false }))
  end)

  it('has how often the line ran before what it calls, but for the metric of calls', function()
    local data = line({ executions = 100 })
    assert.are.equal('100× | 0.31 ±0.06 s | 10 %', text_of(data))
    assert.are.equal('→ 26.3k | 0.31 ±0.06 s | 10 %', text_of(data, { metric = 'calls' }))
  end)

  it('marks totals as estimates where they are', function()
    assert.are.equal('→ 26.3k | ≈0.62 s | 20 %', text_of(line(), { metric = 'total' }))
    assert.are.equal('→ 26.3k | 0.62 s | 20 %', text_of(line(), { metric = 'total', basis = 'measured' }))
    local leaf = line({ totalSeconds = 0.31, calls = false })
    assert.are.equal('0.31 ±0.06 s | 20 %', text_of(leaf, { metric = 'total' }))
  end)

  it('has no time below the threshold, but the count', function()
    assert.are.equal('→ 26.3k', text_of(line(), { threshold = 0.2 }))
    assert.are.same({}, line_text.chunks(line({ calls = false }), nil, options({ threshold = 0.2 })))
  end)

  it('has a limit where there is less than a sample', function()
    assert.are.equal('→ 26.3k | 0.05 ±0.20 s | 10 %', text_of(line({ selfSeconds = 0.05, selfError = 0.2 })))
    assert.are.equal('→ 26.3k | < 0.03 s', text_of(line({ selfSeconds = 0.004, selfError = 0.0063 })))
  end)

  it("has no figures where the line changed, and says where counts may be other lines'", function()
    assert.are.equal('changed', text_of(line({ state = 'changed' })))
    assert.are.equal('≈→ 26.3k | 0.31 ±0.06 s | 10 %', text_of(line({ state = 'approximate' })))
  end)

  it('has a difference where it is none of chance', function()
    local function with(difference, verdict)
      return line({ selfDifference = { baseSeconds = 0.1, difference = difference, error = 0.05, verdict = verdict } })
    end
    assert.are.equal('→ 26.3k | 0.31 ±0.06 s | 10 % | ▲ +0.21 s', text_of(with(0.21, 'regressed')))
    assert.are.equal('→ 26.3k | 0.31 ±0.06 s | 10 % | ▼ −0.21 s', text_of(with(-0.21, 'improved')))
    assert.are.equal('→ 26.3k | 0.31 ±0.06 s | 10 %', text_of(with(0.01, 'noise')))
  end)

  it('has its cells below those of other lines', function()
    local function place_of_unit(data)
      local cells = line_text.chunks(data, nil, options())[1][1]
      -- Characters, not bytes.
      return #cells:sub(1, cells:find(' s', 1, true)):gsub('[\128-\191]', '')
    end
    local first = place_of_unit(line())
    assert.are.equal(first, place_of_unit(line({ calls = 3 })))
    assert.are.equal(first, place_of_unit(line({ selfSeconds = 12.5, selfError = 0.35 })))
    assert.are.equal(first, place_of_unit(line({ calls = false })))
  end)

  it("has a function's summary behind the figures, in a group of its own", function()
    local chunks = line_text.chunks(line(), '7 calls', options())
    assert.are.same({ '7 calls', 'GprofFunction' }, chunks[#chunks])
    assert.are.same({ { '7 calls', 'GprofFunction' } }, line_text.chunks(nil, '7 calls', options()))
    assert.are.same({}, line_text.chunks(nil, '', options()))
  end)
end)

describe('the colour of a line', function()
  local function group_of(data, more)
    return line_text.chunks(data, nil, options(more))[1][2]
  end

  it('follows the share of what leads', function()
    local expected = { [0.001] = 'GprofCold', [0.006] = 'GprofHeat1', [0.04] = 'GprofHeat2', [0.11] = 'GprofHeat3' }
    expected[0.26], expected[0.51], expected[1] = 'GprofHeat4', 'GprofHeat5', 'GprofHeat5'
    for share, group in pairs(expected) do
      local heats = { calls = 0, executions = 0, self = math.sqrt(share), total = 0 }
      assert.are.equal(group, group_of(line({ heats = heats })))
    end
  end)

  it('has other steps for counts, whose heat is a logarithm', function()
    assert.are.equal('GprofHeat3', group_of(line(), { metric = 'calls' }))
    assert.are.equal(0, heat.level(0.34, 'executions'))
    assert.are.equal(5, heat.level(1, 'executions'))
  end)

  it('says that a line changed, and nothing of its heat', function()
    assert.are.equal('GprofChanged', group_of(line({ state = 'changed' })))
    assert.are.equal(0, heat.of_line(line({ state = 'changed' }), 'self'))
  end)
end)
