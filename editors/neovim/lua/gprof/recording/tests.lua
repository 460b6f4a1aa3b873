--- `:Gprof test`: runs a test alone under the collector: the one under the cursor, or one of CTest's. The server finds
--- tests and says how they are run.

local commands = require('gprof.commands')
local compat = require('gprof.compat')
local requests = require('gprof.server.requests')
local run = require('gprof.recording.run')
local words = require('gprof.selection.words')

local M = {}

-- Milliseconds that a completion waits for the server.
local patience = 2000

local no_tests = 'CTest knows no test here whose program was built, and no test is under the cursor. Programs need -g.'

---@param client gprof.Client
---@param take fun(tests: gprof.TestRun[])
local function ask_ctest(client, take)
  requests.ask_or_tell(client, 'gprof/tests', vim.empty_dict(), function(result)
    take(result.tests)
  end)
end

---@param client gprof.Client
---@param take fun(tests: gprof.TestRun[])
local function ask_buffer(client, take)
  local document = { textDocument = vim.lsp.util.make_text_document_params() }
  requests.ask_or_tell(client, 'gprof/tests', document, function(result)
    take(result.tests)
  end)
end

---@param tests gprof.TestRun[]
---@param row integer from 0 on
---@return gprof.TestRun?
local function test_at(tests, row)
  for _, test in ipairs(tests) do
    local range = test.range
    if range and range.start.line <= row and row <= range['end'].line then
      return test
    end
  end
end

---@param tests gprof.TestRun[]
---@param name string
---@return gprof.TestRun?
local function test_named(tests, name)
  for _, test in ipairs(tests) do
    if test.name == name then
      return test
    end
  end
end

---@param tests gprof.TestRun[]
local function choose_among(tests)
  if #tests == 0 then
    requests.complain(no_tests)
    return
  end
  vim.ui.select(tests, {
    prompt = 'Test to profile',
    format_item = function(test)
      return ('%s  (%s)'):format(test.name, vim.fn.fnamemodify(test.program, ':~:.'))
    end,
  }, function(chosen)
    if chosen then
      run.run_test(chosen)
    end
  end)
end

---@param client gprof.Client
---@param name string
local function run_named(client, name)
  ask_ctest(client, function(of_ctest)
    local test = test_named(of_ctest, name)
    if test then
      run.run_test(test)
      return
    end
    ask_buffer(client, function(of_buffer)
      local here = test_named(of_buffer, name)
      if here then
        run.run_test(here)
      else
        requests.complain(('no test is named %s that a program here is known to contain.'):format(name))
      end
    end)
  end)
end

--- With a name, runs the test of that name: CTest's, else the buffer's. Without one, runs the test under the cursor; if
--- there is none, the user chooses one of CTest's.
---@param client gprof.Client
---@param typed string[]
function M.run(client, typed)
  if typed[1] then
    run_named(client, table.concat(typed, ' '))
    return
  end
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  ask_buffer(client, function(of_buffer)
    local test = test_at(of_buffer, row)
    if test then
      run.run_test(test)
    else
      ask_ctest(client, choose_among)
    end
  end)
end

--- Completes names of CTest's tests. A name may have several words: those in `before` are not repeated.
---@param client gprof.Client?
---@param typed string
---@param before string[]
---@return string[]
function M.complete(client, typed, before)
  local answer = client and compat.request_and_wait(client, 'gprof/tests', vim.empty_dict(), patience)
  local names = vim.tbl_map(function(test)
    return test.name
  end, answer and answer.tests or {})
  local start = #before > 0 and words.unescaped(table.concat(before, ' ')) .. ' ' or ''
  return vim.tbl_map(function(name)
    return words.escaped(name:sub(#start + 1))
  end, commands.beginning_with(names, start .. words.unescaped(typed)))
end

--- The lenses above tests (|vim.lsp.codelens.run()|).
function M.register()
  vim.lsp.commands['gprof.profileTest'] = function(command)
    local test = (command.arguments or {})[1]
    if type(test) == 'table' and type(test.program) == 'string' and type(test.arguments) == 'table' then
      run.run_test(test)
    end
  end
end

return M
