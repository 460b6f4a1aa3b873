-- What is typed to select a part of a run, and the rows of blocks that it is chosen on.

local idle_threads = require('gprof.selection.idle_threads')
local sparkline = require('gprof.selection.sparkline')
local timeline_text = require('gprof.selection.timeline_text')
local words = require('gprof.selection.words')

local function cells_in(text)
  local _, continued = text:gsub('[\128-\191]', '')
  return #text - continued
end

describe('a selection', function()
  local names = { 'main', 'my worker', 'a,b' }

  it('is read from words', function()
    for typed, wanted in pairs({
      ['thread=main'] = { threads = { 'main' } },
      ['thread=12'] = { threads = { 12 } },
      ['thread=main,12'] = { threads = { 'main', 12 } },
      ['thread=a,b'] = { threads = { 'a,b' } },
      ['thread=my worker time=1..2'] = { threads = { 'my worker' }, from = 1, to = 2 },
      ['thread="my worker"'] = { threads = { 'my worker' } },
      ['time=2.5..4'] = { from = 2.5, to = 4 },
      ['time=..4s'] = { to = 4 },
      ['time=.5..'] = { from = 0.5 },
      ['process=1,2 process=3'] = { processes = { 1, 2, 3 } },
    }) do
      local list = {}
      for word in typed:gmatch('%S+') do
        table.insert(list, word)
      end
      assert.same(wanted, (words.parse(list, names)))
    end
    assert.same({}, (words.parse({}, names)))
  end)

  it('is refused with a reason', function()
    for typed, reason in pairs({
      ['main'] = 'main selects nothing',
      ['speed=1'] = 'speed=1 selects nothing',
      ['thread='] = 'thread= needs a value',
      ['time=1-2'] = '1-2 is no stretch',
      ['time=x..'] = 'x.. is no stretch',
      ['time=-1..2'] = '-1..2 is no stretch',
      ['time=0x1..2'] = '0x1..2 is no stretch',
      ['time=.....'] = '..... is no stretch',
      ['process=main'] = 'main is no number',
    }) do
      local selection, problem = words.parse({ typed }, names)
      assert.is_nil(selection)
      assert.truthy(problem:find(reason, 1, true), problem)
    end
  end)

  it('is completed only by what there is', function()
    local told = { threads = {}, processes = { { process = 4 } }, length = 0, sliceWidth = 0 }
    assert.same({ 'process=' }, words.complete('', {}, told))
    assert.same({}, words.complete('time=', {}, told))
    assert.same({}, words.complete('speed=', {}, told))
    assert.same({ 'thread=', 'time=', 'process=' }, words.complete('', {}, nil))
  end)
end)

describe('a cell', function()
  it('has a height and a colour by its share', function()
    assert.same({ text = ' ', heat = 0 }, sparkline.cell(0, 1))
    assert.same({ text = ' ', heat = 0 }, sparkline.cell(0, 0))
    assert.same({ text = '▁', heat = 1 }, sparkline.cell(0.001, 1))
    assert.same({ text = '▁', heat = 3 }, sparkline.cell(0.125, 1))
    assert.same({ text = '▃', heat = 4 }, sparkline.cell(0.26, 1))
    assert.same({ text = '▄', heat = 5 }, sparkline.cell(0.5, 1))
    assert.same({ text = '█', heat = 5 }, sparkline.cell(7, 7))
    assert.same({ text = '@', heat = 5 }, sparkline.cell(7, 7, true))
  end)

  it('is one of as many as there is room for', function()
    assert.same({ 1, 1, 2, 2 }, sparkline.spread({ 1, 2 }, 4))
    assert.same({ 3, 7 }, sparkline.spread({ 1, 2, 3, 4 }, 2))
    assert.same({ 0, 0 }, sparkline.spread({}, 2))
    assert.same({ 4, 6 }, sparkline.sum({ { values = { 1, 2 } }, { values = { 3, 4 } } }))
  end)

  it('stands for a stretch, and the stretch for its cells', function()
    local whole = { from = 0, to = 5 }
    assert.same({ from = 0, to = 5 }, sparkline.stretch(whole, 50, 1, 50))
    assert.same({ from = 0.3, to = 0.7 }, sparkline.stretch(whole, 50, 4, 7))
    for width = 7, 200, 13 do
      for first = 1, width, 5 do
        local last = math.min(first + 3, width)
        local stretch = sparkline.stretch(whole, width, first, last)
        assert.same({ first, last }, { sparkline.cells_of(whole, width, stretch.from, stretch.to) })
      end
    end
    assert.is_nil((sparkline.cells_of(whole, 10, 7, 8)))
    assert.is_nil((sparkline.cells_of({ from = 0, to = 0 }, 10, 0, 1)))
  end)
end)

describe('the axis', function()
  it('has round times above their cells', function()
    assert.equal('╷0 s      ╷1 s', (sparkline.axis({ from = 0, to = 2 }, 20, '╷'):gsub(' +$', '')))
    assert.equal('|0 ms     |0.1 ms', (sparkline.axis({ from = 0, to = 0.0002 }, 20, '|'):gsub(' +$', '')))
    assert.equal('', sparkline.axis({ from = 0, to = 0 }, 20, '╷'))
    for _, length in ipairs({ 0.0004, 0.013, 0.9, 7, 3600, 1e6 }) do
      local axis = sparkline.axis({ from = 0, to = length }, 80, '|')
      assert.truthy(axis:match('^|0 m?s'), axis)
      assert.truthy(#axis <= 80, axis)
      local _, ticks = axis:gsub('|', '')
      assert.truthy(ticks >= 3 and ticks <= 8, axis)
    end
  end)
end)

describe('the time line', function()
  local function page(more)
    local facts = {
      told = { program = '/w/prog', processes = { {} }, threads = {}, metrics = {}, length = 4, sliceWidth = 1 },
      result = {
        program = '/w/prog',
        metric = 'page-faults',
        unit = 'events',
        from = 0,
        to = 4,
        rows = {
          { process = 1, thread = 2, name = 'a', total = 6, values = { 0, 1, 2, 3 } },
          { process = 1, thread = 3, name = 'b\nb', total = 12345, values = { 4, 0, 0, 0 } },
        },
        omittedRows = 1500,
      },
      kind = 'threads',
      label_width = 8,
      is_narrow = false,
      display_width = cells_in,
    }
    for name, value in pairs(more or {}) do
      facts[name] = value
    end
    return timeline_text.page(facts, 8)
  end

  it('has a row a thread', function()
    local lines = page().lines
    assert.equal('prog · page-faults, in events · 0 s to 4 s', lines[1].text)
    assert.equal('a (2)      ▂▂▄▄▆▆  6', lines[5].text)
    assert.equal('b?b (3)  ██        12.3k', lines[6].text)
    assert.equal('and 1,500 more threads', lines[7].text)
  end)

  it('tells cells by the place of the cursor', function()
    local one = page()
    local _, cell = one:at(5, 1)
    assert.equal(0, cell)
    for index = 1, 8 do
      local start = #'a (2)    ' + math.min(index, 3) + math.max(index - 3, 0) * 3
      local line, found = one:at(5, start)
      assert.equal('a', line.row.name)
      assert.equal(index, found)
    end
    assert.equal('1 s to 2 s: 1 events', one:cell_text(one.lines[5].row, 3))
    assert.same({ from = 1, to = 3 }, one:stretch(4, 5))
    assert.is_nil(one:stretch(0, 0))
    assert.is_true(one:is_whole(one:stretch(-3, 90)))
  end)

  it('marks what is selected', function()
    local function selected(selection, number)
      local found, line = {}, page({ selection = selection, selection_text = 'this' }).lines[number]
      for _, mark in ipairs(line.marks) do
        if mark.group == 'GprofSelected' then
          table.insert(found, line.text:sub(mark.first + 1, mark.last))
        end
      end
      return found
    end
    assert.same({}, selected(nil, 5))
    assert.same({ 'a (2)   ' }, selected({ threads = { 2 } }, 5))
    assert.same({}, selected({ threads = { 2 } }, 6))
    assert.same({ '▂▂▄▄' }, selected({ from = 1, to = 3 }, 5))
    assert.same({ 'b?b (3) ', '██' }, selected({ threads = { 'b\nb' }, to = 1 }, 6))
    assert.same({}, selected({ processes = { 9 } }, 5))
  end)

  it('selects threads, and the process where there are several', function()
    local one = page()
    assert.same({ threads = { 2, 3 } }, one:selection_of({ one.lines[5].row, one.lines[6].row }))
    local several = page({
      told = { program = 'p', processes = { {}, {} }, threads = {}, metrics = {}, length = 4, sliceWidth = 1 },
    })
    assert.equal('a (2 of… ', several.lines[5].label)
    assert.same({ threads = { 2 }, processes = { 1 } }, several:selection_of({ several.lines[5].row }))
    assert.same({ processes = { 5 } }, one:selection_of({ { process = 5, name = 'p' } }))
  end)

  it('is none of a profile that does not tell when', function()
    assert.truthy(timeline_text.problem_of({ program = '', sliceWidth = 0, length = 0 }):find('no profile is shown'))
    assert.truthy(timeline_text.problem_of({ program = 'p', sliceWidth = 0, length = 3 }):find('no time line'))
    assert.is_nil(timeline_text.problem_of({ program = 'p', sliceWidth = 0.1, length = 3 }))
  end)
end)

describe('the time line of waiting', function()
  local function row(values, done)
    local total, list = 0, {}
    for _, value in ipairs(values) do
      total = total + value
    end
    for _, name in ipairs({ 'running', 'lock', 'idle' }) do
      if done[name] then
        table.insert(list, { name = name, values = done[name] })
      end
    end
    return { process = 1, thread = 2, name = 'a', total = total, values = values, activities = list }
  end

  local function page(rows)
    return timeline_text.page({
      told = { program = 'prog', processes = { {} }, threads = {}, metrics = {}, length = 4, sliceWidth = 1 },
      result = { program = 'prog', metric = 'wall', unit = 'seconds', from = 0, to = 4, rows = rows },
      kind = 'threads',
      label_width = 5,
      is_narrow = false,
      display_width = cells_in,
    }, 4)
  end

  local function coloured(line)
    local found = {}
    for _, mark in ipairs(line.marks) do
      table.insert(found, { mark.group, line.text:sub(mark.first + 1, mark.last) })
    end
    return found
  end

  local folded = row({ 1, 1, 0, 0 }, { running = { 0.9, 0.3, 0, 0 }, lock = { 0.1, 0.7, 0, 0 }, idle = { 0, 0, 0, 9 } })

  it('has cells in the colour of what most of their time went to', function()
    local one = page({ folded })
    assert.same({
      { 'GprofRunning', '█' },
      { 'GprofLock', '█' },
      { 'GprofIdle', '▁' },
    }, coloured(one.lines[6]))
    assert.equal('a (2) ██ ▁  2.00 s', one.lines[6].text)
    -- As high as any where it counts.
    local shown = row({ 1, 0, 0, 4 }, { running = { 1, 0, 0, 0 }, idle = { 0, 0, 0, 4 } })
    assert.same({ { 'GprofRunning', '▂' }, { 'GprofIdle', '█' } }, coloured(page({ shown }).lines[6]))
  end)

  it('says which colour is what, but for what there is nothing of', function()
    local one = page({ folded })
    assert.equal('█ running  █ lock  █ idle', one.lines[3].text)
    assert.same({ { 'GprofRunning', '█' }, { 'GprofLock', '█' }, { 'GprofIdle', '█' } }, coloured(one.lines[3]))
    assert.equal(4, one.place_line)
    assert.equal('Selected: all', one.lines[one.place_line].text)
    assert.equal(6, one.first_row_line)
  end)

  it('tells what a cell is made of, what is folded away too', function()
    local one = page({ folded })
    assert.equal('1 s to 2 s: 1.00 s (lock 0.70 s, running 0.30 s)', one:cell_text(folded, 2))
    assert.equal('3 s to 4 s: 0.00 s (idle 9.00 s)', one:cell_text(folded, 4))
  end)

  it('is coloured by heat where the server does not tell it', function()
    local plain = { process = 1, thread = 2, name = 'a', total = 4, values = { 4, 0, 0, 0 } }
    local one = page({ plain })
    assert.equal('Selected: all', one.lines[3].text)
    assert.same({ { 'GprofHeat5', '█' } }, coloured(one.lines[5]))
    assert.equal('0 s to 1 s: 4.00 s', one:cell_text(plain, 1))
  end)

  it('is the same in one line, all threads together', function()
    local chunks = timeline_text.echo_chunks({
      told = {},
      result = { program = 'p', metric = 'wall', unit = 'seconds', from = 0, to = 4, rows = { folded, folded } },
      is_narrow = false,
      display_width = cells_in,
    }, #'p wall 0 s ' + 10 + #' 4 s')
    local groups = {}
    for _, chunk in ipairs(chunks) do
      table.insert(groups, chunk[2] or 'none')
    end
    assert.same({ 'none', 'GprofRunning', 'GprofLock', 'GprofCold', 'GprofIdle', 'none' }, groups)
  end)
end)

describe('idle threads', function()
  local function row(thread, name, total)
    return { process = 1, thread = thread, name = name, total = total, values = { total } }
  end

  it('are those that waited longer with what is idle', function()
    local all = { row(1, 'main', 3), row(2, 'pool', 10), row(3, '', 11) }
    local busy = { row(1, 'main', 3), row(2, 'pool', 1) }
    local threads = idle_threads.among(all, busy)
    assert.same({ { name = '', number = 3, time = 11 }, { name = 'pool', number = 2, time = 9 } }, threads)
    assert.equal(': 20.00 s of 2 threads, thread 3, pool (2)', idle_threads.told(threads))
    assert.equal('; no thread of this profile is idle', idle_threads.told(idle_threads.among(all, all)))
  end)

  it('are not all named', function()
    local all = {}
    for thread = 1, 9 do
      table.insert(all, row(thread, 'w', 1))
    end
    local text = idle_threads.told(idle_threads.among(all, {}))
    assert.equal(': 9.00 s of 9 threads, w (1), w (2), w (3), w (4) and 5 more', text)
  end)
end)
