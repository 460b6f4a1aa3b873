--- Differences between the versions of Neovim, from 0.7.2 on; nothing else in this plugin checks the version.

local M = {}

local uv = vim.uv or vim.loop

--- From this version on all of the plugin works; before, a reduced set does (`:help gprof-versions`).
M.is_full = vim.fn.has('nvim-0.10') == 1

--- `vim.lsp.config()` and `vim.lsp.enable()`.
M.has_lsp_config = vim.fn.has('nvim-0.11') == 1

--- Hovers of several servers are shown together; before, each takes the place of the one before.
M.joins_hovers = M.has_lsp_config

--- An autocommand reports that a server was attached; before, only the server's own configuration does.
M.has_attach_event = vim.fn.has('nvim-0.8') == 1

--- The server's choice of a position encoding is honoured; before, the configured one is used.
M.negotiates_encoding = vim.fn.has('nvim-0.9') == 1

---@class gprof.Client: vim.lsp.Client

---@param buffer integer?
---@return gprof.Client[]
function M.clients(buffer)
  if vim.lsp.get_clients then
    return vim.lsp.get_clients({ bufnr = buffer })
  end
  if buffer == nil then
    return vim.lsp.get_active_clients()
  end
  local clients = {}
  for _, client in pairs(vim.lsp.buf_get_clients(buffer)) do
    table.insert(clients, client)
  end
  return clients
end

---@param client gprof.Client
---@param method string
---@param params table
---@param handler fun(error: table?, result: any)
---@param buffer integer?
---@return integer? request
function M.request(client, method, params, handler, buffer)
  local sent, request
  if M.has_lsp_config then
    sent, request = client:request(method, params, handler, buffer)
  else
    sent, request = client.request(method, params, handler, buffer)
  end
  return sent and request or nil
end

--- Waits for the answer: nil if it fails, or takes longer.
---@param client gprof.Client
---@param method string
---@param params table
---@param milliseconds integer
---@return any
function M.request_and_wait(client, method, params, milliseconds)
  local answer
  if M.has_lsp_config then
    answer = client:request_sync(method, params, milliseconds)
  else
    answer = client.request_sync(method, params, milliseconds)
  end
  return answer and not answer.err and answer.result or nil
end

---@param client gprof.Client
---@param request integer
function M.cancel(client, request)
  if M.has_lsp_config then
    client:cancel_request(request)
  else
    client.cancel_request(request)
  end
end

--- Sends a server its settings if Neovim does not do so by itself.
---@param client gprof.Client
function M.tell_settings(client)
  if not M.is_full then
    client.notify('workspace/didChangeConfiguration', { settings = client.config.settings })
  end
end

---@param client gprof.Client
function M.is_stopped(client)
  if M.has_lsp_config then
    return client:is_stopped()
  end
  return client.is_stopped()
end

---@param client gprof.Client
function M.stop(client)
  if M.has_lsp_config then
    client:stop()
  else
    client.stop()
  end
end

---@type table<string, integer> clients by the roots that they were started for
local started_for = {}

-- Neovim's own list only has initialized clients, so one more would be started per buffer.
---@param config table
---@return integer? client
local function start_for_root(config)
  local known = started_for[config.root_dir]
  local client = known and vim.lsp.get_client_by_id(known)
  if not client or client.is_stopped() then
    started_for[config.root_dir] = vim.lsp.start_client(config)
  end
  return started_for[config.root_dir]
end

--- Starts the server for the buffer, or attaches the one that already serves its root. One that is about to end stays
--- in Neovim's list for a moment, but serves no more.
---@param config table of vim.lsp.start_client
---@param buffer integer
---@return integer? client
function M.start(config, buffer)
  if vim.lsp.start then
    return vim.lsp.start(config, {
      bufnr = buffer,
      reuse_client = function(client, wanted)
        local is_same = client.name == wanted.name and client.config.root_dir == wanted.root_dir
        return is_same and not M.is_stopped(client)
      end,
    })
  end
  local client = start_for_root(config)
  if client then
    vim.lsp.buf_attach_client(buffer, client)
  end
  return client
end

--- Sends the text of a buffer to the server again.
---@param client gprof.Client
---@param buffer integer
function M.attach_anew(client, buffer)
  vim.lsp.buf_detach_client(buffer, client.id)
  vim.lsp.buf_attach_client(buffer, client.id)
end

--- Whether Neovim can be asked if it draws lenses. Older versions only show it by the marks that they draw.
M.has_lens_state = vim.lsp.codelens.is_enabled ~= nil

--- Whether Neovim itself draws lenses of this server.
---@param client gprof.Client
---@param buffer integer
---@return boolean
function M.draws_lenses(client, buffer)
  local lenses = vim.lsp.codelens
  if lenses.is_enabled then
    return lenses.is_enabled({ bufnr = buffer })
  end
  local namespace = vim.api.nvim_get_namespaces()['vim_lsp_codelens:' .. client.id]
  return namespace ~= nil and #vim.api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, { limit = 1 }) > 0
end

--- Cells of the virtual text that stands between a line's characters. Before Neovim 0.10, there is none.
---@param buffer integer
---@param line integer from 0
---@return integer
function M.inline_width(buffer, line)
  if not M.is_full then
    return 0
  end
  local width, options = 0, { details = true, type = 'virt_text' }
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, -1, { line, 0 }, { line, -1 }, options)) do
    if mark[4].virt_text_pos == 'inline' then
      for _, chunk in ipairs(mark[4].virt_text) do
        width = width + vim.fn.strdisplaywidth(chunk[1])
      end
    end
  end
  return width
end

---@return integer milliseconds that only rise
function M.now()
  return uv.now()
end

---@return integer seconds since 1970
---@return integer milliseconds beyond them
function M.time_of_day()
  local seconds, microseconds = uv.gettimeofday()
  return seconds, math.floor(microseconds / 1000)
end

---@param path string
---@return integer? seconds since 1970
function M.modified(path)
  local status = uv.fs_stat(path)
  return status and status.mtime.sec
end

--- The same in fractions of seconds, to tell files apart that were written one after the other.
---@param path string
---@return number?
function M.modified_exactly(path)
  local status = uv.fs_stat(path)
  return status and status.mtime.sec + status.mtime.nsec / 1e9
end

---@param path string
---@return boolean
function M.exists(path)
  return uv.fs_stat(path) ~= nil
end

---@param path string
---@return string resolved, or unchanged if there is no such file
function M.real_path(path)
  return uv.fs_realpath(path) or path
end

--- The entries of a folder, unordered; empty if it does not exist.
---@param path string
---@return string[] names
---@return table<string, string> types by name: 'file', 'directory', 'link'
function M.names_in(path)
  local names, types = {}, {}
  local handle = uv.fs_scandir(path)
  while handle do
    local name, kind = uv.fs_scandir_next(handle)
    if not name then
      break
    end
    table.insert(names, name)
    types[name] = kind
  end
  return names, types
end

--- The beginning of a file of the kernel, which does not say its size; nil if it cannot be read.
---@param path string
---@return string?
local function text_of_kernel(path)
  local file = uv.fs_open(path, 'r', 0)
  local text = file and uv.fs_read(file, 4096, 0)
  if file then
    uv.fs_close(file)
  end
  return text or nil
end

--- A process of this user that runs a program; nil if there is none of that number.
---@param id integer
---@return gprof.Process?
function M.process(id)
  local folder = '/proc/' .. id
  local status = uv.fs_stat(folder)
  local link = status and status.uid == uv.getuid() and uv.fs_readlink(folder .. '/exe')
  local line = link and text_of_kernel(folder .. '/cmdline')
  if not link or not line then
    return nil
  end
  local processes = require('gprof.recording.processes')
  return { id = id, program = processes.program_of(link), words = processes.words_of(line) }
end

--- All of them, but this one.
---@return gprof.Process[]
function M.own_processes()
  local found = {}
  for _, name in ipairs(M.names_in('/proc')) do
    local id = tonumber(name)
    local process = id and id ~= uv.os_getpid() and M.process(id)
    if process then
      table.insert(found, process)
    end
  end
  return found
end

--- A regular, executable file, opened for reading; nil for anything else.
---@param path string
---@return integer? to be closed
function M.open_executable(path)
  local status = uv.fs_stat(path)
  local is_wanted = status and status.type == 'file' and uv.fs_access(path, 'X')
  return is_wanted and uv.fs_open(path, 'r', 0) or nil
end

---@param file integer
---@param offset number
---@param size number
---@return string fewer bytes at the end of the file, and none where there are none
function M.read_at(file, offset, size)
  if offset >= 2 ^ 53 or size <= 0 then
    return ''
  end
  return uv.fs_read(file, size, offset) or ''
end

---@param file integer
function M.close(file)
  uv.fs_close(file)
end

--- Where a plugin keeps persistent data.
---@return string
function M.state_folder()
  return vim.fn.stdpath(M.has_attach_event and 'state' or 'data')
end

--- Runs the command, without a shell, in a terminal that the current buffer becomes.
---@param command string[]
---@param options { cwd: string, on_exit: fun(job: integer, status: integer) }
---@return integer job 0 or less if it could not be started
function M.open_terminal(command, options)
  if M.has_lsp_config then
    return vim.fn.jobstart(command, vim.tbl_extend('force', options, { term = true }))
  end
  return vim.fn.termopen(command, options)
end

--- Calls the function on the main loop after a delay; `close()` cancels it.
---@param milliseconds integer
---@param work fun()
---@return { close: fun() }
function M.after(milliseconds, work)
  local timer = assert(uv.new_timer())
  local function close()
    if not timer:is_closing() then
      timer:close()
    end
  end
  timer:start(
    milliseconds,
    0,
    vim.schedule_wrap(function()
      if not timer:is_closing() then
        timer:close()
        work()
      end
    end)
  )
  return { close = close }
end

--- With data if autocommands support it.
---@param pattern string
---@param data table
function M.emit(pattern, data)
  local options = { pattern = pattern, modeline = false }
  if M.has_attach_event then
    options.data = data
  end
  vim.api.nvim_exec_autocmds('User', options)
end

---@class gprof.Health
---@field start fun(name: string)
---@field ok fun(text: string)
---@field info fun(text: string)
---@field warn fun(text: string, advice: string[]?)
---@field error fun(text: string, advice: string[]?)

--- The functions of health reports, by their names in Neovim 0.10.
---@return gprof.Health
function M.health()
  local health = vim.health or require('health')
  if health.start then
    return health
  end
  -- Older ones do not accept nil for advice.
  return {
    start = health.report_start,
    ok = health.report_ok,
    info = health.report_info,
    warn = function(text, advice)
      health.report_warn(text, advice or {})
    end,
    error = function(text, advice)
      health.report_error(text, advice or {})
    end,
  }
end

return M
