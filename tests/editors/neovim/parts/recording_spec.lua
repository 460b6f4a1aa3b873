-- Words of command lines, and what records them.

local command_line = require('gprof.recording.command_line')
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

describe('the command line of a recording', function()
  local options = { output = '/s/run', stacks = true, rate = 0 }

  it('names the program and its arguments last', function()
    assert.same(
      { '/b/gprof-lsp', 'record', '--output=/s/run', '--stacks', '--', '/w/prog', '-x', '--', 'y z' },
      command_line.record({ '/b/gprof-lsp', '--stdio' }, options, '/w/prog', { '-x', '--', 'y z' })
    )
    assert.same(
      { 'wrap', 'gprof-lsp', 'record', '--output=/s/run', '--rate=500', '--', 'p' },
      command_line.record(
        { 'wrap', 'gprof-lsp', '--stdio' },
        { output = '/s/run', stacks = false, rate = 500 },
        'p',
        {}
      )
    )
  end)

  it('finds the profile among the files of a run', function()
    assert.equal('gmon.out', command_line.profile_among({ 'gmon.out.gpx', 'gmon.out.12', 'gmon.out', 'gmon.live.3' }))
    assert.equal('gmon.sum', command_line.profile_among({ 'gmon.out', 'gmon.sum' }))
    assert.equal('gmon.out.12', command_line.profile_among({ 'gmon.out.7.libx.so.1', 'gmon.out.7.gpx', 'gmon.out.12' }))
    assert.is_nil(command_line.profile_among({ 'gmon.live.3', 'notes' }))
  end)

  it('makes patterns that match one path', function()
    assert.equal('/a\\[1\\]/\\*x\\?\\{y\\}\\\\.out', command_line.pattern_of('/a[1]/*x?{y}\\.out'))
  end)

  it('says why there is no profile', function()
    assert.truthy(command_line.reason_for_none(126):find('cannot be executed', 1, true))
    assert.truthy(command_line.reason_for_none(0):find('-pg', 1, true))
    assert.truthy(command_line.reason_for_none(1):find('-pg', 1, true))
  end)
end)
