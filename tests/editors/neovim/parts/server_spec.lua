-- How often a server is started again, and what the status line says of it.

local restarts = require('gprof.server.restarts')

local minute = 60 * 1000

local function delays_of(one, now)
  local delays = {}
  for _ = 1, 20 do
    local delay = one:next(now)
    if not delay then
      break
    end
    table.insert(delays, delay)
  end
  return delays
end

describe('restarts', function()
  it('are five, each after a longer wait', function()
    local delays = delays_of(restarts.new(), 0)
    assert.are.equal(5, #delays)
    assert.are.equal(5, restarts.most)
    for index = 2, #delays do
      assert.is_true(delays[index] > delays[index - 1])
    end
  end)

  it('begin anew after a server that ran for long', function()
    local one = restarts.new()
    delays_of(one, 0)
    one:started(minute)
    assert.is_nil(one:next(2 * minute))
    one:started(3 * minute)
    assert.are.equal(5, #delays_of(one, 13 * minute))
  end)

  it('of two workspaces know nothing of each other', function()
    delays_of(restarts.new(), 0)
    assert.are.equal(5, #delays_of(restarts.new(), 0))
  end)
end)

describe('the status line', function()
  -- What it is made of asks Neovim, what it says does not.
  local statusline
  local unused = { 'gprof.annotations', 'gprof.server.client', 'gprof.compat', 'gprof.server.status' }

  setup(function()
    for _, name in ipairs(unused) do
      package.loaded[name] = {}
    end
    statusline = require('gprof.statusline')
  end)

  teardown(function()
    for _, name in ipairs(unused) do
      package.loaded[name] = nil
    end
    package.loaded['gprof.statusline'] = nil
  end)

  local function status(more)
    local all = { state = 'ready', program = '/projects/my build/prog', profiles = {}, generation = 1 }
    for name, value in pairs(more or {}) do
      all[name] = value
    end
    return all
  end

  it('is empty without a server', function()
    assert.are.equal('', statusline.of({}))
  end)

  it('says what there is not', function()
    assert.are.equal('gprof: no profile', statusline.of({ status = status({ program = '' }) }))
    assert.are.equal('gprof: loading', statusline.of({ status = status({ program = '', state = 'loading' }) }))
  end)

  it('has the program and the age of its profile', function()
    assert.are.equal('prog · 3 min ago', statusline.of({ status = status(), age = 200 }))
    assert.are.equal('prog', statusline.of({ status = status() }))
    local unavailable = { unavailable = '/project/other', message = 'other: no function symbols' }
    assert.are.equal('other is not shown', statusline.of({ status = status(unavailable) }))
    assert.are.equal('prog · loading', statusline.of({ status = status({ state = 'loading' }), age = 200 }))
    assert.are.equal('prog · running', statusline.of({ status = status({ live = true }), age = 200 }))
  end)

  it('calls the metric by what is counted where that is no time', function()
    local shown = status({ metric = 'self', metricText = 'self Ir' })
    assert.are.equal('prog · self Ir', statusline.of({ status = shown }))
  end)

  it('has the program of a file that is not of the one that is shown', function()
    local shown = status({ metric = 'time', live = true })
    assert.are.equal('other · time', statusline.of({ status = shown, age = 200, of_file = 'other' }))
    assert.are.equal(
      'other · time · source changed',
      statusline.of({ status = shown, of_file = 'other', source = 'changed' })
    )
    for _, name in ipairs({ 'prog', 'my build/prog', '' }) do
      assert.are.equal('prog · time · running', statusline.of({ status = shown, of_file = name }))
    end
  end)

  it('says what became of the time of a program that is compared', function()
    local function compared(verdict)
      return statusline.of({ status = status({ comparison = { text = '0.51 → 0.77 s', verdict = verdict } }) })
    end
    assert.are.equal('prog · ▲ regressed', compared('regressed'))
    assert.are.equal('prog · ▼ improved', compared('improved'))
    assert.are.equal('prog · compared', compared('noise'))
    assert.are.equal('prog · compared', compared(nil))
  end)

  it('says which part of the run is selected', function()
    local selected = status({ selection = { threads = { 12 } }, selectionText = 'thread 100% (12), 1.2 s to 3.4 s' })
    assert.are.equal('prog · thread 100? (12), 1.2 s to 3.4 s', statusline.of({ status = selected }))
    assert.are.equal('prog · a part is selected', statusline.of({ status = status({ selection = { from = 1 } }) }))
  end)

  it('says what is wrong', function()
    assert.are.equal(
      'prog · just now · rebuilt since',
      statusline.of({ status = status({ state = 'stale' }), age = 2 })
    )
    assert.are.equal('prog · not loaded', statusline.of({ status = status({ state = 'error' }) }))
    local evaluated = "/bin/%{system('x')} %!x\n%#Error#"
    assert.are.equal("?{system('x')} ?!x??#Error#", statusline.of({ status = status({ program = evaluated }) }))
    assert.are.equal('prog · source changed', statusline.of({ status = status(), source = 'stale' }))
    assert.are.equal('prog · source changed', statusline.of({ status = status(), source = 'changed' }))
    assert.are.equal('prog', statusline.of({ status = status(), source = 'inStep' }))
  end)
end)

describe('a message', function()
  local messages = require('gprof.messages')
  local function within(columns)
    return function(text)
      return #text:gsub('…', '.') <= columns
    end
  end

  it('is one line, with names of files for paths', function()
    local text = '/project/build/gmon.out: offset 20: cut off ("/tmp/x/y").\nThe second line.'
    assert.are.equal('gmon.out: offset 20: cut off ("y").', messages.line(text, within(60)))
    assert.are.equal('1/2 of a/b', messages.line('1/2 of a/b', within(60)))
  end)

  it('has the words that fit', function()
    assert.are.equal('one two…', messages.line('one two three', within(12)))
    assert.are.equal('one two three', messages.line('one two three', within(13)))
    assert.are.equal('indivisible…', messages.line('indivisible text', within(5)))
  end)
end)
