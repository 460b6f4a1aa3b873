-- What lists say, where their entries lead, and which hot line comes next.

local columns = require('gprof.navigation.columns')
local hot_lines = require('gprof.navigation.hot_lines')
local items = require('gprof.navigation.items')
local texts = require('gprof.navigation.texts')

local function location(uri, line, character)
  local place = { line = line, character = character or 0 }
  return { uri = uri, range = { start = place, ['end'] = place } }
end

local function scale(members)
  local whole =
    { unit = 'seconds', programSeconds = 1, basis = 'estimated', sampleSeconds = 0.01, unsampledBelow = 0.03 }
  for name, value in pairs(members or {}) do
    whole[name] = value
  end
  return whole
end

local function site(members)
  local one = { name = 'main', calls = 1200, uri = 'file:///w/a.c', range = location('', 21).range }
  for name, value in pairs(members) do
    one[name] = value
  end
  return one
end

describe('times', function()
  it('have an error and a share, and say what is an estimate', function()
    assert.equal('0.53 ±0.07 s (53 %)', texts.time(0.53, 0.07, scale()))
    assert.equal('≈0.53 ±0.07 s (53 %)', texts.time(0.53, 0.07, scale(), true))
    assert.equal('0.53 s', texts.time(0.53, 0, scale({ programSeconds = 0 })))
  end)

  it('are less than a limit without a sample', function()
    assert.equal('< 0.03 s', texts.time(0, 0, scale()))
    assert.equal('≈0.01 ±0.02 s (1.0 %)', texts.time(0.01, 0.02, scale(), true))
  end)

  it('are in the unit in which their error can be read', function()
    local fine = scale({ sampleSeconds = 0.001, unsampledBelow = 0.003 })
    assert.equal('3.0 ±1.7 ms (0.3 %)', texts.time(0.003, 0.0017, fine))
    assert.equal('< 3 ms', texts.time(0, 0, fine))
    assert.equal('< 3.7 ms', texts.time(0, 0, scale({ sampleSeconds = 0.001, unsampledBelow = 0.00361 })))
  end)

  it('are counts of their unit where they were counted', function()
    local counted = { unit = 'instructions', programSeconds = 20000 }
    assert.equal('5,000 instructions (25 %)', texts.time(5000, 0, counted))
    assert.equal('0 instructions (0 %)', texts.time(0, 0, counted))
  end)
end)

describe('call sites', function()
  it('say how many calls there were, what they took, and whose they are', function()
    assert.equal(
      '1,200 calls · ≈0.53 ±0.07 s (53 %) · from main',
      texts.call_site(site({ seconds = 0.53, error = 0.07 }), 'callers', scale())
    )
    assert.equal('1 call · from main', texts.call_site(site({ calls = 1 }), 'callers', scale()))
    local measured = site({ calls = 0, seconds = 0.53, error = 0.07 })
    assert.equal(
      '0.53 ±0.07 s (53 %) measured · from main',
      texts.call_site(measured, 'callers', scale({ basis = 'measured' }))
    )
    local step = site({ name = 'step', calls = 9, seconds = 0.1, error = 0.03 })
    step.definition = location('file:///w/b%25.h', 1)
    local said = texts.call_site(step, 'callees', scale({ basis = 'measured' }))
    assert.equal('9 calls · 0.10 ±0.03 s (10 %) · of step (b%.h:2)', said)
  end)

  it('say what is not known', function()
    local function said(members)
      return texts.call_site(members, 'callers', scale())
    end
    local definition = location('file:///w/a.c', 3)
    local lost = { name = 'main', calls = 7, definition = definition }
    assert.equal('7 calls · from main, on a line that is not known', said(lost))
    assert.equal('7 calls · from main, whose source is not here', said({ name = 'main', calls = 7 }))
    assert.equal('2 calls · from code that counts no calls', said({ name = '<spontaneous>', calls = 2 }))
    assert.equal('calls not counted · from main through qsort', said(site({ calls = 0, through = 'qsort' })))
  end)

  it('of lines that cannot be told apart are one of each line', function()
    local both = site({ approximate = true, calls = 20, alternatives = { location('file:///w/a.c', 22) } })
    local found = items.of_call_sites({ unit = 'seconds', programSeconds = 1, sites = { both } }, 'callers')
    assert.equal(2, #found)
    for index, line in ipairs({ 21, 22 }) do
      assert.equal('≈20 calls · of the lines 22, 23 together · from main', found[index].text)
      assert.equal(line, found[index].location.range.start.line)
    end
  end)

  it('lead to their callers where their lines are not known', function()
    local definition = location('file:///w/a.c', 3)
    local lost = { name = 'main', calls = 3, definition = definition }
    local answer = { unit = 'seconds', programSeconds = 1, sites = { lost } }
    assert.same(definition, items.of_call_sites(answer, 'callers')[1].location)
    -- A definition of what is called is no place where it is called.
    assert.is_nil(items.of_call_sites(answer, 'callees')[1].location)
  end)
end)

describe('hot spots', function()
  local spot = {
    name = 'work',
    rank = 2,
    heat = 0.5,
    calls = 12,
    recursiveCalls = 1,
    selfSeconds = 0.25,
    selfError = 0.05,
    totalSeconds = 0.75,
    totalError = 0.09,
  }

  it('have what lists go by in front', function()
    local own, total, calls = 'self 0.25 ±0.05 s (25 %)', 'total ≈0.75 ±0.09 s (75 %)', '12 calls, 1 recursive call'
    for metric, order in pairs({
      self = { own, total, calls },
      total = { total, own, calls },
      calls = { calls, own, total },
    }) do
      assert.equal('#2 work · ' .. table.concat(order, ' · '), texts.hot_spot(spot, metric, scale()))
    end
    local without_times = { unit = 'seconds', programSeconds = 0 }
    assert.equal('#2 work · 12 calls, 1 recursive call', texts.hot_spot(spot, 'calls', without_times))
  end)

  it('have times of one unit', function()
    local fine = setmetatable({ selfSeconds = 0.046, selfError = 0.0068, totalSeconds = 0.3, totalError = 0.0173 }, {
      __index = spot,
    })
    assert.equal(
      '#2 work · self 46.0 ±6.8 ms (4.6 %) · total ≈300 ±17 ms (30 %) · 12 calls, 1 recursive call',
      texts.hot_spot(fine, 'self', scale())
    )
  end)

  it('have the value of a formula in front', function()
    local by_formula = setmetatable({ values = { cost = { self = 0.0000123 } } }, { __index = spot })
    local derived = { name = 'cost', unit = 'seconds', kind = 'derived' }
    local said = texts.hot_spot(by_formula, 'cost', scale(), derived)
    assert.truthy(said:find('^#2 work · cost 12.3 µs · self 0.25'), said)
    -- Where its divisor is zero, there is none.
    assert.truthy(texts.hot_spot(spot, 'cost', scale(), derived):find('^#2 work · self 0.25'))
  end)

  it('lead to the calls of a library', function()
    local place = { uri = 'file:///s/main.c', range = { start = { line = 11, character = 2 } } }
    local write = { name = 'write [libc.so.6]', module = 'libc.so.6', callSite = place, heat = 1, rank = 1 }
    write.selfSeconds, write.selfError, write.totalSeconds, write.totalError = 0.25, 0.05, 0.25, 0.05
    local entry = items.of_hot_spots(scale({ spots = { write } }), 'self')[1]
    assert.same(place, entry.location)
    assert.truthy(entry.text:find('^#1 write %[libc.so.6%] · self .* · called at main.c:12$'), entry.text)
  end)

  it('are those that cost something', function()
    local cold = setmetatable({ heat = 0 }, { __index = spot })
    assert.equal(1, #items.of_hot_spots(scale({ spots = { spot, cold } }), 'self'))
  end)
end)

describe('differences', function()
  local function compared(name, verdict, difference, calls)
    local of_self = { baseSeconds = 0.4, difference = difference, error = 0.05, verdict = verdict }
    return { name = name, heat = 1, rank = 1, selfDifference = of_self, callsDifference = calls }
  end

  it('are said with their verdict, the changed ones first', function()
    local answer = scale({
      spots = {
        compared('same', 'noise', 0.01, 0),
        compared('slow', 'regressed', 0.4, 2),
        compared('fast', 'improved', -0.2, -1),
        { name = 'alone', heat = 1, rank = 4 },
      },
    })
    local found, counts = items.of_differences(answer, 'self')
    assert.same({ noise = 1, regressed = 1, improved = 1 }, counts)
    local said = {}
    for index, entry in ipairs(found) do
      said[index] = entry.text
    end
    assert.same({
      'slow · self +0.40 ±0.05 s, slower (0.40 s → 0.80 s) · 2 calls more',
      'fast · self −0.20 ±0.05 s, faster (0.40 s → 0.20 s) · 1 call fewer',
      'same · self +0.01 ±0.05 s, within the noise (0.40 s → 0.41 s)',
    }, said)
    answer.spots[1].selfDifference.runsToDecide = 8
    assert.equal(
      'same · self +0.01 ±0.05 s, within the noise: 8 runs a side would decide (0.40 s → 0.41 s)',
      items.of_differences(answer, 'self')[3].text
    )
    answer.spots[1].selfDifference.runsToDecide = nil
    found, counts = items.of_differences(answer, 'calls')
    assert.same({ noise = 1, calls = 2 }, counts)
    assert.equal('slow · 2 calls more · self +0.40 ±0.05 s, slower (0.40 s → 0.80 s)', found[1].text)
    assert.equal('same · as many calls · self +0.01 ±0.05 s, within the noise (0.40 s → 0.41 s)', found[3].text)
  end)

  it('are none where nothing was sampled', function()
    local none = { name = 'f', selfDifference = { baseSeconds = 0, difference = 0, error = 0, verdict = 'noise' } }
    assert.equal('f · no samples, here or there', texts.difference(none, 'self', scale()))
  end)
end)

describe('an entry that was selected', function()
  it('is found again by what it is, else by its place', function()
    assert.equal(3, items.selected_again({ 'a', 'b' }, 2, { 'c', 'a', 'b' }))
    assert.equal(2, items.selected_again({ 'a', 'x' }, 2, { 'a', 'b', 'c' }))
    assert.equal(1, items.selected_again({ 'a', 'x', 'y' }, 3, { 'a' }))
    assert.equal(1, items.selected_again({}, 0, {}))
  end)
end)

describe('columns', function()
  -- ä has 2 bytes, € 3, 𝄞 4 and is two units of UTF-16.
  local line = 'aä€𝄞b'
  local known = {
    ['utf-8'] = { [0] = 0, [1] = 1, [3] = 3, [6] = 6, [10] = 10, [11] = 11 },
    ['utf-16'] = { [0] = 0, [1] = 1, [2] = 3, [3] = 6, [5] = 10, [6] = 11 },
    ['utf-32'] = { [0] = 0, [1] = 1, [2] = 3, [3] = 6, [4] = 10, [5] = 11 },
  }

  it('are bytes, and back', function()
    for encoding, places in pairs(known) do
      for character, byte in pairs(places) do
        assert.equal(byte, columns.byte_of(line, character, encoding))
        assert.equal(character, columns.character_of(line, byte, encoding))
      end
    end
  end)

  it('end with the line', function()
    for encoding in pairs(known) do
      assert.equal(11, columns.byte_of(line, 99, encoding))
      assert.equal(0, columns.byte_of('', 3, encoding))
    end
  end)
end)

describe('hot lines', function()
  it('are those that show a figure', function()
    local lines = {
      { line = 9, heats = { self = 0.5, calls = 0.1 } },
      { line = 3, heats = { self = 0.05, calls = 0.9 } },
      { line = 4, heats = { self = 0, calls = 0 } },
    }
    assert.same({ 9 }, hot_lines.shown(lines, 'self', 0.005))
    assert.same({ 3, 9 }, hot_lines.shown(lines, 'self', 0))
    assert.same({ 3, 9 }, hot_lines.shown(lines, 'calls', 0.5))
    -- By a metric that not every profile has.
    assert.same({ 9 }, hot_lines.shown({ { line = 9, heat = 0.4, heats = {} } }, 'page-faults', 0.005))
  end)

  local lines = { 2, 5, 9 }

  it('follow each other', function()
    assert.equal(2, hot_lines.target(lines, 0, 1, 1, false))
    assert.equal(5, hot_lines.target(lines, 2, 1, 1, false))
    assert.equal(9, hot_lines.target(lines, 3, 2, 1, false))
    assert.equal(5, hot_lines.target(lines, 9, 1, -1, false))
    assert.equal(9, hot_lines.target(lines, 100, 1, -1, false))
    assert.equal(2, hot_lines.target(lines, 9, 2, -1, false))
  end)

  it('begin anew where that is wanted', function()
    for _, case in ipairs({ { 9, 1, 1, 2 }, { 9, 5, 1, 5 }, { 2, 1, -1, 9 }, { 4, 3, -1, 5 } }) do
      local line, wrapped = hot_lines.target(lines, case[1], case[2], case[3], true)
      assert.same({ case[4], true }, { line, wrapped })
    end
    assert.is_nil((hot_lines.target(lines, 9, 1, 1, false)))
    assert.is_nil((hot_lines.target(lines, 2, 1, -1, false)))
    -- As far as there are some.
    assert.equal(9, (hot_lines.target(lines, 2, 7, 1, false)))
    assert.is_nil((hot_lines.target({}, 2, 1, 1, true)))
  end)
end)
