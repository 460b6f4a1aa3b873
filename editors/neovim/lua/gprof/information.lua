--- `:Gprof info`: what is shown, from which files, and how the buffer relates to what was compiled.

local annotations = require('gprof.annotations')
local compat = require('gprof.compat')
local config = require('gprof.config')
local idle = require('gprof.selection.idle')
local numbers = require('gprof.numbers')
local requests = require('gprof.server.requests')
local status = require('gprof.server.status')

local M = {}

local sources = {
  inStep = 'as it was compiled, but for edits that were followed',
  changed = 'changed since the build; its lines were matched one by one',
  stale = 'changed since the build; its lines show nothing',
  unknown = 'no profile has code of it',
}

local bases = {
  measured = 'measured, from stacks that were sampled',
  estimated = "estimated (≈), by gprof's propagation",
}

---@param path string
---@return string
local function with_age(path)
  local written = compat.modified(path)
  return written and ('%s, %s'):format(path, numbers.age(os.time() - written)) or path
end

---@class gprof.InformationFacts
---@field status gprof.StatusParams
---@field programs table[] of gprof/programs
---@field source string?
---@field basis string?
---@field metric string
---@field threshold number
---@field idle 'shown'|'folded'
---@field with_age fun(path: string): string

--- Pure.
---@param facts gprof.InformationFacts
---@return string[]
function M.lines(facts)
  local lines = {}
  local function add(name, text)
    table.insert(lines, ('%-11s %s'):format(name, text))
  end
  local told = facts.status
  add('Program:', told.program ~= '' and told.program or 'none')
  for _, profile in ipairs(told.profiles) do
    add('Profile:', facts.with_age(profile))
  end
  if told.why then
    add('Why:', told.why)
  end
  if told.live then
    add('State:', 'running; its counts rise')
  elseif told.state == 'stale' then
    add('State:', 'the program was rebuilt since the profile was written')
  elseif told.state ~= 'ready' then
    add('State:', told.state == 'loading' and 'loading' or 'nothing could be loaded')
  end
  if type(told.selection) == 'table' then
    add('Selected:', told.selectionText or 'a part of the run')
  end
  if told.comparison then
    add('Compared:', told.comparison.text)
  end
  if told.ran then
    add('Run:', told.ran)
  end
  for _, sentence in ipairs({ told.waiting or '', told.tick or '' }) do
    if sentence ~= '' then
      add('Note:', sentence)
    end
  end
  if told.message and told.message ~= '' then
    add('Message:', told.message)
  end
  if facts.source then
    add('Buffer:', sources[facts.source] or facts.source)
  end
  if facts.basis then
    add('Times:', ('with what was called are %s'):format(bases[facts.basis] or facts.basis))
  end
  add('Metric:', ('%s; times below %s are not shown'):format(facts.metric, numbers.percent(facts.threshold)))
  if facts.idle == 'shown' then
    add('Idle:', 'waiting of idle threads is part of the figures; `:Gprof idle` folds it away')
  end
  for _, program in ipairs(facts.programs) do
    if not program.selected then
      add('Also loaded:', ('%s'):format(program.executable))
    end
  end
  return lines
end

---@param client gprof.Client
function M.show(client)
  local annotated = annotations.of(vim.api.nvim_get_current_buf())
  local session, settings = status.session(client.id), config.get().settings
  requests.ask_or_tell(client, 'gprof/programs', vim.empty_dict(), function(result)
    local lines = M.lines({
      status = session.status or { state = 'loading', program = '', profiles = {}, generation = 0 },
      programs = result.programs,
      source = annotated and annotated.source,
      basis = annotated and annotated.basis,
      metric = session.metric or settings.metric,
      threshold = session.threshold or settings.threshold,
      idle = idle.of(client),
      with_age = with_age,
    })
    vim.api.nvim_echo({ { table.concat(lines, '\n') } }, false, {})
  end)
end

return M
