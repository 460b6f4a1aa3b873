--- `:Gprof timeline`: the cost of each thread by time, in a float in which threads and a stretch are selected.

local annotations = require('gprof.annotations.highlights')
local catalogue = require('gprof.server.catalogue')
local requests = require('gprof.server.requests')
local selection = require('gprof.selection')
local status = require('gprof.server.status')
local timeline_text = require('gprof.selection.timeline_text')

local M = {}

local namespace = vim.api.nvim_create_namespace('gprof.timeline')
local place_namespace = vim.api.nvim_create_namespace('gprof.timeline.place')
-- Cells of a row, at most, and what a float needs at least.
local most_cells, least_columns, least_lines = 400, 60, 12

---@class gprof.Timeline that is open
---@field client gprof.Client
---@field kind 'threads'|'processes' of rows
---@field buffer integer
---@field window integer
---@field page gprof.TimelinePage? what it shows
---@field cancel fun()?

---@type gprof.Timeline?
local open
local is_listening = false

---@return boolean
local function is_narrow()
  return vim.fn.strdisplaywidth('█') ~= 1
end

local function close()
  local one = open
  open = nil
  if not one then
    return
  end
  if one.cancel then
    one.cancel()
  end
  if one.window and vim.api.nvim_win_is_valid(one.window) then
    vim.api.nvim_win_close(one.window, true)
  end
end

-- At the bottom, so that the code whose figures follow is seen.
---@param width integer
---@param height integer
---@return table of nvim_open_win()
local function placed(width, height)
  local below = vim.o.cmdheight + (vim.o.laststatus > 0 and 1 or 0)
  return {
    relative = 'editor',
    width = width,
    height = height,
    row = math.max(vim.o.lines - below - height - 2, 0),
    col = math.max(math.floor((vim.o.columns - width - 2) / 2), 0),
    style = 'minimal',
    border = 'rounded',
  }
end

---@param page gprof.TimelinePage
---@return integer width
---@return integer height
local function size_of(page)
  local width = 1
  for _, line in ipairs(page.lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line.text))
  end
  return math.min(width + 1, vim.o.columns - 2), math.max(1, math.min(#page.lines, vim.o.lines - 6))
end

---@param one gprof.Timeline
local function draw(one)
  local texts = vim.tbl_map(function(line)
    return line.text
  end, one.page.lines)
  if not vim.deep_equal(texts, vim.api.nvim_buf_get_lines(one.buffer, 0, -1, false)) then
    vim.bo[one.buffer].modifiable = true
    vim.api.nvim_buf_set_lines(one.buffer, 0, -1, false, texts)
    vim.bo[one.buffer].modifiable = false
  end
  vim.api.nvim_buf_clear_namespace(one.buffer, namespace, 0, -1)
  for row, line in ipairs(one.page.lines) do
    for _, mark in ipairs(line.marks) do
      vim.api.nvim_buf_set_extmark(one.buffer, namespace, row - 1, mark.first, {
        end_col = mark.last,
        hl_group = mark.group,
        priority = mark.priority,
      })
    end
  end
end

---@param page gprof.TimelinePage
---@param expression string '.' or 'v'
---@return gprof.TimelineLine
---@return integer cell
local function at(page, expression)
  local place = vim.fn.getpos(expression)
  return page:at(place[2], place[3])
end

---@param one gprof.Timeline
local function tell_place(one)
  vim.api.nvim_buf_clear_namespace(one.buffer, place_namespace, 0, -1)
  local line, cell = at(one.page, '.')
  local mode = vim.api.nvim_get_mode().mode
  local text
  if mode == 'v' or mode == '\22' then
    local _, other = at(one.page, 'v')
    text = one.page:stretch_text(math.min(cell, other), math.max(cell, other))
  elseif line.row and cell >= 1 and cell <= one.page.width then
    text = one.page:cell_text(line.row, cell)
  end
  if text then
    vim.api.nvim_buf_set_extmark(one.buffer, place_namespace, one.page.place_line - 1, 0, {
      virt_text = { { ' · ' .. text, 'Comment' } },
    })
  end
end

---@param one gprof.Timeline
---@param change fun(wanted: gprof.Selection)
local function select(one, change)
  local wanted = vim.deepcopy(selection.of(one.client.id) or {})
  change(wanted)
  selection.set(one.client, wanted)
end

-- Chosen once more, it is given up.
---@param one gprof.Timeline
---@param rows gprof.TimelineRow[]
local function select_rows(one, rows)
  local chosen = one.page:selection_of(rows)
  select(one, function(wanted)
    local is_same = vim.deep_equal(wanted.threads, chosen.threads)
      and vim.deep_equal(wanted.processes, chosen.processes)
    wanted.threads = not is_same and chosen.threads or nil
    wanted.processes = not is_same and chosen.processes or nil
  end)
end

---@param one gprof.Timeline
local function choose_visual(one)
  local mode = vim.api.nvim_get_mode().mode
  local page = one.page
  local _, cell = at(page, '.')
  local _, other = at(page, 'v')
  local first, last = vim.fn.line('v'), vim.fn.line('.')
  vim.cmd('normal! \27')
  if mode == 'V' then
    local rows = {}
    for number = math.min(first, last), math.max(first, last) do
      table.insert(rows, page.lines[number].row)
    end
    if #rows > 0 then
      select_rows(one, rows)
    end
    return
  end
  local stretch = page:stretch(math.min(cell, other), math.max(cell, other))
  if stretch then
    local is_whole = page:is_whole(stretch)
    select(one, function(wanted)
      wanted.from = not is_whole and stretch.from or nil
      wanted.to = not is_whole and stretch.to or nil
    end)
  end
end

---@param one gprof.Timeline
local function choose(one)
  local line, cell = at(one.page, '.')
  if not line.row then
    return
  elseif cell < 1 or cell > one.page.width then
    select_rows(one, { line.row })
  else
    vim.notify('gprof: v and a motion choose a stretch; on the name, <CR> chooses the row.', vim.log.levels.INFO)
  end
end

---@param one gprof.Timeline
local function define_maps(one)
  local function map(mode, keys, work, text)
    vim.keymap.set(mode, keys, function()
      if open == one and one.page then
        work(one)
      end
    end, { buffer = one.buffer, nowait = true, silent = true, desc = text })
  end
  map('n', '<CR>', choose, 'Select the row')
  map('n', '<2-LeftMouse>', choose, 'Select the row')
  map('x', '<CR>', choose_visual, 'Select the stretch')
  map({ 'n', 'x' }, 'x', function()
    vim.cmd('normal! \27')
    selection.set(one.client, nil)
  end, 'Show all')
  map('n', 'q', close, 'Close')
  map('n', '<Esc>', close, 'Close')
end

---@param one gprof.Timeline
local function follow_cursor(one)
  local group = vim.api.nvim_create_augroup('GprofTimeline', {})
  local function on(events, work)
    vim.api.nvim_create_autocmd(events, { group = group, buffer = one.buffer, callback = work })
  end
  on('CursorMoved', function()
    if open == one and one.page then
      tell_place(one)
    end
  end)
  on({ 'WinLeave', 'BufWipeout' }, function()
    vim.schedule(function()
      if open == one then
        close()
      end
    end)
  end)
end

---@param one gprof.Timeline
---@param page gprof.TimelinePage
local function show(one, page)
  one.page = page
  local width, height = size_of(page)
  if one.window then
    vim.api.nvim_win_set_config(one.window, placed(width, height))
    draw(one)
    tell_place(one)
    return
  end
  one.buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[one.buffer].bufhidden, vim.bo[one.buffer].filetype = 'wipe', 'gproftimeline'
  vim.b[one.buffer].gprof_client = one.client.id
  draw(one)
  one.window = vim.api.nvim_open_win(one.buffer, true, placed(width, height))
  vim.wo[one.window].wrap, vim.wo[one.window].list, vim.wo[one.window].spell = false, false, false
  vim.wo[one.window].sidescrolloff = 0
  define_maps(one)
  follow_cursor(one)
  local first = page.first_row_line
  if first then
    vim.api.nvim_win_set_cursor(one.window, { first, #page.lines[first].label })
  end
end

--- Asks for what the rows are made of. Without a time line, says so.
---@param client gprof.Client
---@param kind 'threads'|'processes'
---@param by fun(client: gprof.Client, method: string, params: table, answer: fun(result: any)) of requests
---@param columns_for fun(told: gprof.MetricsResult): integer
---@param take fun(told: gprof.MetricsResult, result: gprof.TimelineResult)
---@return fun() cancel
local function ask(client, kind, by, columns_for, take)
  local is_cancelled = false
  catalogue.ask(client, function(told)
    if is_cancelled then
      return
    end
    local problem = timeline_text.problem_of(told)
    if problem then
      close()
      requests.complain(problem)
      return
    end
    -- All of it, whatever is selected: that is marked in it.
    local params = { rows = kind, columns = columns_for(told), selection = vim.NIL }
    by(client, 'gprof/timeline', params, function(result)
      if result and not is_cancelled then
        take(told, result)
      end
    end)
  end, by)
  return function()
    is_cancelled = true
  end
end

---@param one gprof.Timeline
local function ask_for(one)
  if one.cancel then
    one.cancel()
  end
  local label_width, width
  -- Once it is shown, what fails is asked for again with the next profile.
  local by = one.window and requests.ask or requests.ask_or_tell
  one.cancel = ask(one.client, one.kind, by, function(told)
    label_width = timeline_text.label_width(told, one.kind, vim.fn.strdisplaywidth)
    width = vim.o.columns - 6 - label_width - timeline_text.total_width
    width = math.max(math.min(width, most_cells), 10)
    return width
  end, function(told, result)
    if open ~= one then
      return
    end
    show(
      one,
      timeline_text.page({
        told = told,
        result = result,
        kind = one.kind,
        label_width = label_width,
        selection = selection.of(one.client.id),
        selection_text = (status.of(one.client.id) or {}).selectionText,
        is_narrow = is_narrow(),
        display_width = vim.fn.strdisplaywidth,
      }, width)
    )
  end)
end

local function listen()
  if is_listening then
    return
  end
  is_listening = true
  status.listen(function(client, told)
    if open and open.window and open.client.id == client and told.state ~= 'loading' then
      ask_for(open)
    end
  end)
  vim.api.nvim_create_autocmd('VimResized', {
    group = vim.api.nvim_create_augroup('GprofTimelineSize', {}),
    callback = function()
      if open and open.window then
        ask_for(open)
      end
    end,
  })
end

--- The whole run in one line.
---@param client gprof.Client
local function echo(client)
  local room = math.max(vim.v.echospace, 40)
  ask(client, 'threads', requests.ask_or_tell, function()
    return room
  end, function(told, result)
    local chunks = timeline_text.echo_chunks({
      told = told,
      result = result,
      selection = selection.of(client.id),
      is_narrow = is_narrow(),
      display_width = vim.fn.strdisplaywidth,
    }, room)
    vim.api.nvim_echo(chunks, false, {})
  end)
end

--- As `:Gprof timeline` was typed.
---@param client gprof.Client
---@param typed string[]
function M.run(client, typed)
  local kind = typed[1] or 'threads'
  if not vim.tbl_contains(M.words, kind) or #typed > 1 then
    requests.complain(
      (':Gprof timeline %s is not known. There are: %s.'):format(table.concat(typed, ' '), table.concat(M.words, ', '))
    )
    return
  elseif not catalogue.is_told_by_or_complain(client, 'time lines') then
    return
  end
  annotations.define()
  if kind == 'echo' or vim.o.columns < least_columns or vim.o.lines < least_lines then
    echo(client)
    return
  end
  close()
  listen()
  open = { client = client, kind = kind }
  ask_for(open)
end

M.words = { 'threads', 'processes', 'echo' }

return M
