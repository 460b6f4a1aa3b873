--- gprof's reports as text in scratch buffers, whose names lead to the code.

local address = require('gprof.reports.address')
local commands = require('gprof.commands')
local report_buffer = require('gprof.reports.report_buffer')
local requests = require('gprof.server.requests')
local status = require('gprof.server.status')
local words = require('gprof.words')

local M = {}

local options = {
  '--accurate',
  '--error',
  '--inline-file-names',
  '--no-demangle',
  '-D',
  '-L',
  '-T',
  '-a',
  '-c',
  '-i',
  '-l',
  '-m',
  '-t',
  '-w',
  '-x',
  '-z',
}

-- With a slash: without one it would be matched against the last part of names.
local pattern = 'gprof-report:///*'

--- The first window of this tab page whose buffer satisfies the predicate.
---@param is_wanted fun(buffer: integer): boolean
---@return integer?
local function window_with(is_wanted)
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if is_wanted(vim.api.nvim_win_get_buf(window)) then
      return window
    end
  end
end

---@param buffer integer
---@return integer?
local function window_of(buffer)
  return window_with(function(other)
    return other == buffer
  end)
end

---@param buffer integer
---@return boolean
local function is_report(buffer)
  return address.parse(vim.api.nvim_buf_get_name(buffer)) ~= nil
end

--- Enters the window of the report, or that of another report, or a new one if there is none or modifiers are given.
---@param buffer integer
---@param modifiers string
local function enter_window_for(buffer, modifiers)
  local window = window_of(buffer) or modifiers == '' and window_with(is_report) or nil
  if window then
    vim.api.nvim_set_current_win(window)
  else
    vim.cmd(('%s split'):format(modifiers))
  end
  vim.api.nvim_win_set_buf(0, buffer)
end

--- Shows the report, and calls `ready` with its buffer when the text has arrived.
---@param client gprof.Client
---@param report gprof.ReportParams
---@param modifiers string such as "vertical"
---@param ready fun(buffer: integer)?
local function show(client, report, modifiers, ready)
  local buffer = vim.fn.bufadd(address.name_of(report))
  vim.b[buffer].gprof_client = client.id
  enter_window_for(buffer, modifiers)
  report_buffer.read(buffer, function()
    if ready then
      ready(buffer)
    end
  end)
end

---@param given string[]
---@return string? options
---@return string[] others
local function options_among(given)
  local chosen, others = { '-b' }, {}
  for _, word in ipairs(given) do
    table.insert(vim.startswith(word, '-') and chosen or others, word)
  end
  return #chosen > 1 and table.concat(chosen, ' ') or nil, others
end

---@param call gprof.CommandCall
function M.flat_profile(call)
  local client = requests.current_client()
  if client then
    show(client, { kind = 'flat-profile', options = (options_among(call.fargs)) }, call.mods)
  end
end

--- The definition of the function at the cursor, as links name it.
---@param client gprof.Client
---@param answer fun(target: string?)
local function definition_at_cursor(client, answer)
  if vim.bo.buftype ~= '' then
    answer(nil)
    return
  end
  local params = vim.tbl_extend('force', requests.place(client), { depth = 1 })
  requests.ask(client, 'gprof/callGraph', params, function(graph)
    local node = graph and type(graph.root) == 'number' and graph.nodes[graph.root + 1]
    answer(node and node.uri and ('%s#L%d'):format(node.uri, node.range.start.line + 1) or nil)
  end)
end

---@param call gprof.CommandCall
function M.call_graph(call)
  local client = requests.current_client()
  if not client then
    return
  end
  definition_at_cursor(client, function(target)
    show(client, { kind = 'call-graph', options = (options_among(call.fargs)) }, call.mods, function(buffer)
      local line, window = target and report_buffer.entry_of(buffer, target), window_of(buffer)
      if line and window then
        vim.api.nvim_win_set_cursor(window, { line, 0 })
        vim.api.nvim_win_call(window, function()
          vim.cmd('normal! zvzz')
        end)
      end
    end)
  end)
end

---@param call gprof.CommandCall
function M.annotated_source(call)
  local client = requests.current_client()
  if not client then
    return
  end
  local chosen, files = options_among(call.fargs)
  local file = nil
  if files[1] then
    file = vim.fn.fnamemodify(words.expand(files, words.surroundings())[1], ':p')
  elseif not call.bang and vim.bo.buftype == '' then
    file = vim.api.nvim_buf_get_name(0)
  end
  show(client, { kind = 'annotated-source', options = chosen, file = file }, call.mods)
end

---@param typed string
---@return string[]
function M.complete_options(typed)
  return commands.beginning_with(options, typed)
end

---@param typed string
---@return string[]
function M.complete_annotate(typed)
  return vim.startswith(typed, '-') and M.complete_options(typed) or words.files_beginning_with(typed)
end

--- Enters the window for code: the previous one if it holds a file, else a new one.
local function enter_code_window()
  local before = vim.fn.win_getid(vim.fn.winnr('#'))
  if before ~= 0 and vim.bo[vim.api.nvim_win_get_buf(before)].buftype == '' then
    vim.api.nvim_set_current_win(before)
  else
    vim.cmd('aboveleft split')
  end
end

-- Not by :edit, which would reload a file that the window already shows, or refuse to.
---@param uri string
local function show_file(uri)
  local buffer = vim.uri_to_bufnr(uri)
  if vim.api.nvim_get_current_buf() == buffer then
    return
  end
  vim.bo[buffer].buflisted = true
  local would_be_lost = vim.bo.modified and not vim.o.hidden
  vim.cmd(('%s %d'):format(would_be_lost and 'sbuffer' or 'buffer', buffer))
end

---@param line integer
local function go_to(line)
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { math.min(line, vim.api.nvim_buf_line_count(0)), 0 })
  vim.cmd('normal! ^zvzz')
end

--- Goes to the target of the name under the cursor.
function M.follow()
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local link = report_buffer.link_at(vim.api.nvim_get_current_buf(), row - 1, column)
  if not link then
    vim.notify('gprof: nothing here leads to code.', vim.log.levels.INFO)
    return
  end
  local uri, line = address.split_target(link.target)
  local report = address.parse(uri)
  if not report then
    enter_code_window()
    show_file(uri)
    go_to(line)
  elseif address.name_of(report) == vim.api.nvim_buf_get_name(0) then
    go_to(line)
  else
    local client = requests.current_client()
    if client then
      show(client, report, '', function()
        go_to(line)
      end)
    end
  end
end

---@param buffer integer
local function define_maps(buffer)
  for _, keys in ipairs({ '<CR>', '<C-]>', '<2-LeftMouse>' }) do
    vim.keymap.set('n', keys, M.follow, { buffer = buffer, desc = 'Go to what the name stands for' })
  end
end

local function set_window_options()
  local window = vim.wo
  window.wrap, window.spell, window.list = false, false, false
  window.foldmethod, window.foldlevel = 'expr', 99
  window.foldexpr = "v:lua.require'gprof.reports.folding'.level(v:lnum)"
end

-- Hidden reports are requested when they are shown.
local function read_again()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and is_report(buffer) then
      if #vim.fn.win_findbuf(buffer) > 0 then
        report_buffer.read(buffer)
      else
        vim.b[buffer].gprof_is_old = true
      end
    end
  end
end

function M.register()
  local group = vim.api.nvim_create_augroup('GprofReports', {})
  local function on(event, work)
    vim.api.nvim_create_autocmd(event, { group = group, pattern = pattern, callback = work })
  end
  on('BufReadCmd', function(event)
    report_buffer.read(event.buf)
  end)
  on('BufWinEnter', function(event)
    set_window_options()
    define_maps(event.buf)
    if vim.b[event.buf].gprof_is_old then
      report_buffer.read(event.buf)
    end
  end)
  on('BufUnload', function(event)
    report_buffer.forget(event.buf)
  end)
  status.listen(function(_, told)
    if told.state ~= 'loading' then
      read_again()
    end
  end)
end

return M
