--- `:Gprof runs`: what was recorded of the program that is shown, to be shown, compared with, pinned and deleted.

local compare = require('gprof.recording.compare')
local compat = require('gprof.compat')
local requests = require('gprof.server.requests')
local run_text = require('gprof.recording.run_text')
local status = require('gprof.server.status')
local storage = require('gprof.recording.storage')

local M = {}

---@param client gprof.Client
---@param recording gprof.Recording
---@param pinned boolean
local function select(client, recording, pinned)
  local argument = { executable = recording.program, profiles = { recording.profile }, pinned = pinned or nil }
  requests.execute(client, 'gprof.select', { argument })
end

---@type { text: string, run: fun(client: gprof.Client, recording: gprof.Recording, window: integer) }[]
local actions = {
  {
    text = 'show it',
    run = function(client, recording)
      select(client, recording, false)
    end,
  },
  {
    text = 'compare with it',
    run = function(client, recording, window)
      compare.compare_with_profile(client, recording.profile, window)
    end,
  },
  {
    text = 'pin it: show it whatever is recorded later',
    run = function(client, recording)
      select(client, recording, true)
    end,
  },
  {
    text = 'delete it',
    run = function(_, recording)
      storage.remove(recording)
    end,
  },
}

---@param client gprof.Client
function M.show(client)
  local told = status.of(client.id)
  local program = told and told.program or ''
  local recordings = program ~= '' and storage.recordings_of(program) or {}
  if #recordings == 0 then
    requests.complain('no run was recorded here of the program that is shown. `:GprofRun` makes one.')
    return
  end
  local window = vim.api.nvim_get_current_win()
  local built, now = compat.modified(program) or 0, os.time()
  vim.ui.select(recordings, {
    prompt = ('Runs of %s'):format(vim.fn.fnamemodify(program, ':t')),
    format_item = function(recording)
      local run = storage.details_of(recording)
      run.time, run.date = recording.time, os.date('%Y-%m-%d %H:%M', recording.time) --[[@as string]]
      run.is_of_older_build = recording.time < built
      run.is_shown = vim.tbl_contains(told and told.profiles or {}, recording.profile)
      return run_text.row(run, now)
    end,
  }, function(recording)
    if not recording then
      return
    end
    vim.ui.select(actions, {
      prompt = 'This run',
      format_item = function(action)
        return action.text
      end,
    }, function(action)
      if action then
        action.run(client, recording, window)
      end
    end)
  end)
end

return M
