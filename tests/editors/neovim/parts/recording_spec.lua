-- Words of command lines, and what records them.

local command_line = require('gprof.recording.command_line')
local elf = require('gprof.recording.elf')
local libtool = require('gprof.recording.libtool')
local outcome = require('gprof.recording.outcome')
local processes = require('gprof.recording.processes')
local program_order = require('gprof.recording.program_order')
local words = require('gprof.words')

local around = {
  keyword = function(word)
    return '{' .. word .. '}'
  end,
  variable = function(name)
    return ({ HOME = '/users/u', EMPTY = '' })[name]
  end,
  home = '/users/u',
  files = function(pattern)
    return ({ ['*.txt'] = { 'a.txt', 'b.txt' }, ['x?'] = {} })[pattern] or { 'A SHELL WAS ASKED' }
  end,
}

local function expanded(...)
  return words.expand({ ... }, around)
end

describe('words', function()
  it('are expanded as those of Vim are', function()
    assert.same({ '{%}', '{%:p:h}/prog', '{#2:t}.c', '{<cfile>}' }, expanded('%', '%:p:h/prog', '#2:t.c', '<cfile>'))
    assert.same({ '/users/u', '/users/u/x', '~other', 'a~' }, expanded('~', '~/x', '~other', 'a~'))
    assert.same(
      { '/users/u/y', 'z/users/u', '', '$NONE/${NONE}' },
      expanded('$HOME/y', 'z${HOME}', '$EMPTY', '$NONE/${NONE}')
    )
    assert.same({ 'a.txt', 'b.txt', 'x?' }, expanded('*.txt', 'x?'))
  end)

  it("stay as they are where they would be a shell's", function()
    local foreign = { '`touch *`', '$(touch *)', '{a,*}', "'*'", '"*"', '*;ls', 'a|b*', '*&', '>*', '!*', '50%', 'a#b' }
    assert.same(foreign, words.expand(foreign, around))
  end)

  it('mean themselves behind a backslash', function()
    assert.same({ '%', '#', '~/x', '$HOME' }, expanded('\\%', '\\#', '\\~/x', '\\$HOME'))
  end)
end)

describe('processes that run already', function()
  it('are sampled by their number', function()
    local options = { output = '/s/run', stacks = true, rate = 0 }
    assert.equal(
      '/b/gprof-lsp record --output=/s/run --summary=/s/run/summary.json --keep-executable --pid=4242 --stacks',
      table.concat(command_line.attach({ '/b/gprof-lsp', '--stdio' }, options, 4242), ' ')
    )
    options.rate, options.stacks = 250, false
    assert.equal(
      'gprof-lsp record --output=/s/run --summary=/s/run/summary.json --keep-executable --pid=1 --time=30 '
        .. '--no-stacks --rate=250',
      table.concat(command_line.attach({ 'gprof-lsp' }, options, 1, 30), ' ')
    )
    assert.equal('--time=0.5', command_line.attach({ 'gprof-lsp' }, options, 1, 0.5)[7])
  end)

  it('are offered with those of the workspace first', function()
    local found = {}
    for id, program in pairs({ [7] = '/bin/vi', [9] = '/w/prog', [12] = '/w/prog', [30] = '/work/x' }) do
      table.insert(found, { id = id, program = program, words = {} })
    end
    local ids = {}
    for _, process in ipairs(processes.in_order(found, '/w')) do
      table.insert(ids, process.id)
    end
    assert.same({ 12, 9, 30, 7 }, ids)
  end)

  it('are named by their program, number and words', function()
    local words_found = processes.words_of('./prog\0--name\0a b\0\0')
    assert.same({ './prog', '--name', 'a b', '' }, words_found)
    assert.same({}, processes.words_of(''))
    assert.equal('/w/prog', processes.program_of('/w/prog (deleted)'))
    assert.equal('/w/prog', processes.program_of('/w/prog'))
    assert.equal(
      'prog (process 7): ./prog -x',
      processes.describe({ id = 7, program = '/w/prog', words = { './prog', '-x' } })
    )
  end)
end)

describe('the command line of a recording', function()
  local options = { output = '/s/run', stacks = true, rate = 0, wait = false }

  it('names the program and its arguments last', function()
    local command = command_line.record({ '/b/gprof-lsp', '--stdio' }, options, '/w/prog', { '-x', '--', 'y z' })
    assert.equal(
      '/b/gprof-lsp record --output=/s/run --summary=/s/run/summary.json --keep-executable --stacks '
        .. '-- /w/prog -x -- y z',
      table.concat(command, ' ')
    )
    assert.equal('y z', command[#command])
    local wrapped = command_line.record(
      { 'wrap', 'gprof-lsp', '--stdio' },
      { output = '/s/run', stacks = false, rate = 500, wait = true },
      'p',
      {}
    )
    assert.equal(
      'wrap gprof-lsp record --output=/s/run --summary=/s/run/summary.json --keep-executable --no-stacks '
        .. '--rate=500 --wait -- p',
      table.concat(wrapped, ' ')
    )
  end)

  it('finds the profile among the files of a run', function()
    assert.equal('gmon.out', command_line.profile_among({ 'gmon.out.gpx', 'gmon.out.12', 'gmon.out', 'gmon.live.3' }))
    assert.equal('gmon.sum', command_line.profile_among({ 'gmon.out', 'gmon.sum' }))
    assert.equal('gmon.out.12', command_line.profile_among({ 'gmon.out.7.libx.so.1', 'gmon.out.7.gpx', 'gmon.out.12' }))
    assert.equal('perf.data', command_line.profile_among({ 'perf.data', 'perf.data.old', 'summary.json' }))
    assert.is_nil(command_line.profile_among({ 'gmon.live.3', 'notes' }))
  end)

  it('finds the profile of the run before', function()
    local times = { ['/a/gmon.out'] = 1.25, ['/b/gmon.out'] = 1.5, ['/c/gmon.out'] = 3, ['/gmon.live.7'] = 2 }
    local all = { '/c/gmon.out', '/gmon.live.7', '/gone/gmon.out', '/a/gmon.out', '/b/gmon.out' }
    local function previous(...)
      return command_line.previous({ ... }, all, function(profile)
        return times[profile]
      end)
    end
    assert.equal('/b/gmon.out', previous('/c/gmon.out'))
    assert.equal('/a/gmon.out', previous('/b/gmon.out', '/c/gmon.out'))
    assert.is_nil(previous('/a/gmon.out'))
    assert.is_nil(previous('/gone/gmon.out'))
    assert.is_nil(previous())
  end)

  it('makes patterns that match one path', function()
    assert.equal('/a\\[1\\]/\\*x\\?\\{y\\}\\\\.out', command_line.pattern_of('/a[1]/*x?{y}\\.out'))
  end)

  it('tells counters that have not become a profile', function()
    assert.is_true(command_line.has_counters({ 'summary.json', 'gmon.live.3' }))
    assert.is_false(command_line.has_counters({ 'gmon.out', 'gmon.out.gpx' }))
    assert.same({ 'gprof-lsp', 'recover', '/s/run' }, command_line.recover({ 'gprof-lsp', '--stdio' }, '/s/run'))
  end)
end)

describe('the end of a run', function()
  local summary = {
    status = 0,
    headline = '3.2 s CPU of 3.9 s',
  }
  local function with(changes)
    local changed = {}
    for _, members in ipairs({ summary, changes }) do
      for name, value in pairs(members) do
        changed[name] = value
      end
    end
    return changed
  end

  it('is reported in one line, with the hottest function', function()
    local function within(width)
      return function(text)
        return #text <= width
      end
    end
    local hottest = { name = 'internshrstr', share = 0.214 }
    assert.equal('prog: 3.2 s CPU of 3.9 s.', outcome.describe('prog', summary, within(60)))
    assert.equal(
      'prog: 3.2 s CPU of 3.9 s. Hottest: internshrstr 21 %. Try it.',
      outcome.describe('prog', summary, within(61), hottest, 'Try it.')
    )
    assert.equal('prog: 3.2 s CPU of 3.9 s. Try it.', outcome.describe('prog', summary, within(50), hottest, 'Try it.'))
    assert.equal(
      'prog was killed by SIGSEGV; its profile was kept. 3.2 s CPU of 3.9 s.',
      outcome.describe('prog', with({ signal = 'SIGSEGV' }), within(100))
    )
    local crash = { path = '/w/src/parse.c', line = 12, ['function'] = 'parse' }
    assert.equal(
      'prog was killed by SIGSEGV at parse.c:12. 3.2 s CPU of 3.9 s.',
      outcome.describe('prog', with({ signal = 'SIGSEGV', crash = crash }), within(100))
    )
    assert.equal(
      'prog was terminated; its profile was kept.',
      outcome.describe('prog', with({ signal = 'SIGHUP' }), within(50))
    )
    assert.truthy(outcome.describe('prog', with({ status = 3 }), within(50)):find('^prog ended with status 3%. 3'))
    assert.truthy(outcome.describe('prog', nil, within(50)):find('counted until then was kept', 1, true))
  end)

  it('without a profile, says why', function()
    assert.equal('prog: not found. See the terminal.', outcome.failure('prog', { problem = 'prog: not found' }))
    assert.truthy(outcome.failure('prog', nil):find('killed before anything was counted', 1, true))
  end)
end)

describe('the list of runs', function()
  local run_text = require('gprof.recording.run_text')

  it('says of each what it was run with, and what it took', function()
    local run = {
      time = 1000,
      date = '2026-11-30 09:30',
      arguments = { '-n', 'two words' },
      summary = { headline = '3.2 s CPU of 3.9 s', status = 3 },
      size = 1536,
      is_of_older_build = true,
      is_shown = true,
    }
    local said = "2026-11-30 09:30 · 5 min ago · -n 'two words' · 3.2 s CPU of 3.9 s · status 3 · older build"
    assert.equal(said .. ' · 1.5 KiB · shown now', run_text.row(run, 1300))
    local bare = { time = 1000, date = 'now', arguments = {}, size = 20 }
    assert.equal('now · just now · no arguments · 20 bytes', run_text.row(bare, 1000))
    assert.equal('3.0 GiB', run_text.size(3 * 2 ^ 30))
  end)
end)

describe('programs that can be run', function()
  local function paths_of(found)
    local paths = {}
    for _, one in ipairs(found) do
      table.insert(paths, one.path)
    end
    return paths
  end

  local function program(path, modified, has_lines, build_id)
    return { path = path, modified = modified, counts = false, has_lines = has_lines, build_id = build_id }
  end

  it('come with lines first, the newest at the top, one of each build', function()
    local found = {
      program('/p/debian/p/usr/bin/p', 9, false, 'aa'),
      program('/p/p', 2, true, 'aa'),
      program('/p/out/bin/p', 7, true, 'aa'),
      program('/p/new', 5, true),
      program('/p/bare', 8, false),
    }
    assert.same({ '/p/new', '/p/p', '/p/bare' }, paths_of(program_order.in_order(found)))
  end)

  it('are told by their headers', function()
    local file = io.open('/proc/self/exe', 'rb')
    local facts = elf.program_facts(function(offset, size)
      file:seek('set', offset)
      return file:read(size) or ''
    end)
    file:close()
    assert.equal('boolean', type(facts and facts.has_lines))
    local function facts_of(bytes)
      return elf.program_facts(function(offset, size)
        return bytes:sub(offset + 1, offset + size)
      end)
    end
    assert.is_nil(facts_of('#!/bin/sh\n'))
    local header = '\127ELF\2\1\1' .. ('\0'):rep(9)
    assert.is_nil(facts_of(header .. '\3\0' .. ('\255'):rep(46)))
    assert.same({ has_lines = false }, facts_of(header .. '\2\0' .. ('\255'):rep(46)))
  end)

  it("may stand behind libtool's scripts", function()
    local script = '#! /bin/sh\n\n# hello - temporary wrapper script for .libs/hello\n'
    assert.equal('/b/.libs/hello', libtool.wrapped_program('/b/hello', script .. "  program='hello'\n"))
    assert.equal('/b/.libs/lt-hello', libtool.wrapped_program('/b/hello', script .. "  program=lt-'hello'\n"))
    assert.is_nil(libtool.wrapped_program('/b/hello', '\127ELF'))
  end)
end)
