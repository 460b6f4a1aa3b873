--- `:checkhealth gprof`: why figures are not shown, and what to do about it.

local check_output = require('gprof.health.check_output')
local client_of = require('gprof.server.client')
local compat = require('gprof.compat')
local config = require('gprof.config')
local encoding = require('gprof.server.encoding')
local idle = require('gprof.selection.idle')
local locate = require('gprof.server.locate')
local messages = require('gprof.messages')
local status = require('gprof.server.status')

local M = {}

local health = compat.health()

---@param entry gprof.HealthEntry
local function tell(entry)
  if entry.kind == 'warn' or entry.kind == 'error' then
    health[entry.kind](entry.text, entry.advice)
  else
    health[entry.kind](entry.text)
  end
end

local function check_neovim()
  health.start('gprof: Neovim')
  local version = vim.version()
  local name = ('Neovim %d.%d.%d'):format(version.major, version.minor, version.patch)
  if compat.is_full then
    health.ok(name)
  else
    health.warn(name .. ': a reduced set of the plugin works (:help gprof-versions).', {
      'Neovim 0.10 or newer has all of it.',
    })
  end
end

local function check_settings()
  health.start('gprof: settings')
  local problems = config.problems()
  for _, problem in ipairs(problems) do
    health.error(problem, { 'The default holds instead. :help gprof-settings has all of them.' })
  end
  if #problems == 0 then
    health.ok('All settings are understood.')
  end
  if not config.get().annotations.enable then
    health.info("Annotations are off (annotations.enable): Neovim's own inlay hints show figures.")
  elseif config.get().annotations.signs and vim.o.signcolumn == 'no' then
    health.info("The marks of hot lines are not shown: 'signcolumn' is no.")
  end
end

---@return string? path of the server
local function check_server()
  health.start('gprof: server')
  local place = locate.server()
  if not place.path then
    health.error(('There is no gprof-lsp. It was looked for by %s.'):format(place.origin), {
      'Install it (the README of gprof-lsp tells how), so that it is on the PATH,',
      "or name it: require('gprof').setup({ cmd = { '/path/to/gprof-lsp', '--stdio' } }).",
    })
    return nil
  end
  local version = vim.trim(vim.fn.system({ place.path, '--version' }))
  if vim.v.shell_error ~= 0 or not version:match('^gprof%-lsp ') then
    health.error(('%s does not run: %s'):format(place.path, version), {
      'Build or install gprof-lsp anew, or name another one in the setting cmd.',
    })
    return nil
  end
  health.ok(('%s: %s, by %s.'):format(version, place.path, place.origin))
  return place.path
end

---@param client gprof.Client
local function check_encodings(client)
  for _, buffer in ipairs(client_of.buffers_of(client.id)) do
    local other = encoding.of_others(buffer)
    if other and other ~= client.offset_encoding then
      health.warn(
        ('Another server of %s counts characters in %s, this one in %s.'):format(
          vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ':t'),
          other,
          client.offset_encoding
        ),
        { ':Gprof restart makes them agree, where the other servers agree among themselves.' }
      )
      return
    end
  end
end

---@param client gprof.Client
local function check_client(client)
  local told = status.of(client.id)
  local buffers = #client_of.buffers_of(client.id)
  health.ok(('It serves %s, %d buffer%s.'):format(client.config.root_dir or '?', buffers, buffers == 1 and '' or 's'))
  if told and told.program ~= '' then
    health.ok(('It shows %s, %s.'):format(told.program, table.concat(told.profiles, ', ')))
  elseif told then
    health.warn('It shows no profile: ' .. (told.message or 'none was found.'), {
      'What the workspace holds is told below. `:Gprof load EXECUTABLE` shows a program that is elsewhere.',
    })
  end
  if told and type(told.selection) == 'table' then
    health.info(
      ('Figures are those of a part of the run: %s. `:Gprof select` shows all of it.'):format(
        told.selectionText or 'it was selected'
      )
    )
  end
  if idle.of(client) == 'shown' then
    health.info('Waiting of idle threads is part of the figures. `:Gprof idle folded` leaves it out.')
  end
  check_encodings(client)
end

--- Loaded files of our types without a server.
---@return integer[]
local function unserved_buffers()
  return vim.tbl_filter(function(buffer)
    return vim.api.nvim_buf_is_loaded(buffer)
      and vim.bo[buffer].buftype == ''
      and vim.api.nvim_buf_get_name(buffer) ~= ''
      and vim.tbl_contains(config.get().filetypes, vim.bo[buffer].filetype)
      and client_of.of_buffer(buffer) == nil
  end, vim.api.nvim_list_bufs())
end

local function check_clients()
  health.start('gprof: what runs')
  local clients = client_of.all()
  for _, client in ipairs(clients) do
    check_client(client)
  end
  for _, buffer in ipairs(unserved_buffers()) do
    local advice = config.get().autostart and ':Gprof restart starts one; `:lua =vim.lsp.get_log_path()` names the log.'
      or ':Gprof start starts one: the setting autostart is off.'
    health.warn(('No server runs for %s.'):format(vim.api.nvim_buf_get_name(buffer)), { advice })
  end
  if #clients == 0 and #unserved_buffers() == 0 then
    health.info(
      'No server runs: no file of the types that it is started for is open ('
        .. table.concat(config.get().filetypes, ', ')
        .. ').'
    )
  end
end

---@return string[]
local function roots()
  local found = {}
  for _, client in ipairs(client_of.all()) do
    found[client.config.root_dir] = true
  end
  for _, buffer in ipairs(unserved_buffers()) do
    found[locate.root(vim.api.nvim_buf_get_name(buffer))] = true
  end
  local list = vim.tbl_keys(found)
  table.sort(list)
  return #list > 0 and list or { vim.fn.getcwd() }
end

---@param server string
---@param root string
local function check_workspace(server, root)
  health.start('gprof: workspace ' .. root)
  local settings = vim.fn.tempname()
  vim.fn.writefile({ vim.json.encode(config.get().settings) }, settings)
  local output = vim.fn.system({ server, 'check', '--config=' .. settings, root })
  vim.fn.delete(settings)
  local entries = check_output.entries(output)
  for _, entry in ipairs(entries) do
    tell(entry)
  end
  if #entries == 0 then
    health.error('gprof-lsp check says nothing of it: ' .. vim.trim(output), { 'Is the folder there, and readable?' })
  end
end

local function list_messages()
  local cut = messages.cut()
  if #cut > 0 then
    health.start('gprof: messages that were too long for a line')
  end
  for _, text in ipairs(cut) do
    health.info(text)
  end
end

function M.check()
  require('gprof').register()
  check_neovim()
  check_settings()
  local server = check_server()
  check_clients()
  list_messages()
  if server then
    for _, root in ipairs(roots()) do
      check_workspace(server, root)
    end
  end
end

return M
