--- Turns the output of `gprof-lsp check` for a workspace into entries of a health report. Pure.

local M = {}

---@class gprof.HealthEntry
---@field kind 'ok'|'info'|'warn'|'error'
---@field text string
---@field advice string[]?

-- The server's own messages, one sentence each, already say what to do; these lines are figures.
---@param line string
---@return gprof.HealthEntry?
local function sources_entry(line)
  if line:match('^sources: not known') then
    return {
      kind = 'warn',
      text = 'The program has no debug information: functions are known, lines and sources are not.',
      advice = { 'Compile with -g, beside -pg, and run the program again.' },
    }
  end
  local changed, unknown, missing = line:match('(%d+) changed, (%d+) changed beyond recognition, (%d+) missing')
  if not changed then
    return nil
  end
  local advice = {}
  if tonumber(changed) + tonumber(unknown) > 0 then
    table.insert(advice, 'Sources changed since the build: build the program and run it again.')
  end
  if tonumber(missing) > 0 then
    table.insert(
      advice,
      'Sources are not where they were compiled: say where they are now by `pathMap`, in the setting settings.programs.'
    )
  end
  local is_fine = #advice == 0
  return { kind = is_fine and 'ok' or 'warn', text = line, advice = not is_fine and advice or nil }
end

local prefixes = { error = 'error', warning = 'warn', note = 'warn' }

---@param output string
---@return gprof.HealthEntry[]
function M.entries(output)
  local entries = {}
  for line in output:gmatch('[^\n]+') do
    local text = line:match('^%s*(.-)%s*$')
    local kind, message = text:match('^(%a+): (.*)$')
    local sources = sources_entry(text)
    if sources then
      table.insert(entries, sources)
    elseif prefixes[kind] then
      table.insert(entries, { kind = prefixes[kind], text = message })
    elseif kind == 'program' or kind == 'library' then
      table.insert(entries, { kind = 'ok', text = ('%s: %s'):format(kind, message) })
    elseif kind ~= 'watched' and kind ~= 'workspace' and not text:match('would be shown') then
      table.insert(entries, { kind = 'info', text = text })
    end
  end
  return entries
end

return M
