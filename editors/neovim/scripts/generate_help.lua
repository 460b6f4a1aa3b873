--- Writes doc/gprof.txt and doc/tags from the tables that the plugin itself works with: settings, commands, maps,
--- highlight groups.
---
---   nvim --headless -u NONE -i NONE --cmd 'set runtimepath^=editors/neovim' \
---     -c 'luafile editors/neovim/scripts/generate_help.lua' -c 'qa!'
---
--- $GPROF_HELP_FILE names another file to write.

local width = 78
local lines = {}

---@param text string?
local function add(text)
  table.insert(lines, text or '')
end

--- Breaks the words of a text so that lines fit, each behind an indentation.
---@param text string
---@param indent integer?
local function paragraph(text, indent)
  local blanks = (' '):rep(indent or 0)
  local line = blanks
  -- What stands between backquotes is not broken.
  local whole = text:gsub('`[^`]*`', function(code)
    return (code:gsub(' ', '\1'))
  end)
  for part in whole:gmatch('[^ ]+') do
    local word = part:gsub('\1', ' ')
    if #line > #blanks and vim.fn.strdisplaywidth(line .. ' ' .. word) > width then
      add(line)
      line = blanks
    end
    line = line == blanks and line .. word or line .. ' ' .. word
  end
  add(line)
end

--- Code, as it is.
---@param code string
local function example(code)
  add('>')
  for _, line in ipairs(vim.split(code, '\n', { plain = true })) do
    add(line == '' and '' or '    ' .. line)
  end
  add('<')
end

---@param title string
---@param tag string
local function section(title, tag)
  add()
  add(('='):rep(width))
  local mark = '*' .. tag .. '*'
  add(title .. (' '):rep(math.max(1, width - #title - #mark)) .. mark)
  add()
end

---@param mark string
local function right(mark)
  add((' '):rep(math.max(0, width - vim.fn.strdisplaywidth(mark))) .. mark)
end

--- A value as it is written in Lua, on one line.
---@param value any
---@return string
local function written(value)
  if type(value) == 'table' then
    return '{ ' .. table.concat(vim.tbl_map(written, value), ', ') .. ' }'
  elseif type(value) == 'string' then
    return "'" .. value .. "'"
  end
  return tostring(value)
end

local function introduction()
  add('*gprof.txt*  Call-graph profiles in the source, by gprof-lsp')
  section('gprof', 'gprof')
  paragraph(
    'A profile (gmon.out) tells where the time of a program went, and who called whom; how often, if the program was '
      .. 'built with -pg. This plugin shows '
      .. 'that at the ends of lines, leads to callers and hot spots, and opens the reports of gprof. It is a client '
      .. 'of the language server gprof-lsp, and works beside clangd and other servers.'
  )
  add()
  paragraph(
    'Build with `-g`, and with `-pg` if calls are to be counted. Run the program (best by |:GprofRun|, which runs any '
      .. 'program), and open a source file:'
  )
  example('gcc -O2 -g -pg -o prog prog.c && ./prog\nnvim prog.c')
  paragraph('There is nothing to set up. If nothing is shown, |:checkhealth| says what is wrong:')
  example(':checkhealth gprof')
  paragraph('Messages are one line; it also has the whole text of those that were cut.')
end

local function installation()
  section('INSTALLATION', 'gprof-installation')
  paragraph(
    'The branch neovim of the repository is the plugin, as of the last release; neovim-v0.1.0 and so on are the tags '
      .. 'of releases. With |vim.pack|, lazy.nvim or packer.nvim:'
  )
  example(
    "vim.pack.add({ { src = 'https://github.com/gprof-lsp/gprof-lsp', version = 'neovim' } })\n"
      .. "{ 'gprof-lsp/gprof-lsp', branch = 'neovim', lazy = false, opts = {} }\n"
      .. "use { 'gprof-lsp/gprof-lsp', branch = 'neovim' }"
  )
  paragraph(
    'In a clone of gprof-lsp the folder editors/neovim is the plugin. Install it as an entry of the runtime path,'
  )
  example("vim.opt.runtimepath:append('/path/to/gprof-lsp/editors/neovim')")
  paragraph('as a package of |packages|,')
  example('cd ~/.local/share/nvim/site/pack/gprof/start &&\n  ln -s /path/to/gprof-lsp/editors/neovim gprof')
  paragraph('or, where gprof-lsp is installed, by')
  example('vim.cmd.packadd("gprof")')
  paragraph(
    "(`opts` may be left out: `require('gprof').setup()` need not be called.) The server, gprof-lsp, is found on the "
      .. 'PATH, or in `build/release/bin` of the clone that the plugin is in.'
  )
  add()
  paragraph(
    'The plugin starts the server by itself, one for each workspace. With Neovim 0.11 or newer you can switch that '
      .. 'off and use |vim.lsp.enable()|; what |vim.lsp.config()| sets for it applies either way:'
  )
  example("vim.g.gprof = { autostart = false }\nvim.lsp.enable('gprof')")
end

---@param setting table
local function setting_default(setting)
  if setting.default == nil then
    return 'none'
  end
  return written(setting.default)
end

local function settings()
  section('SETTINGS', 'gprof-settings')
  paragraph('Pass them to `setup()`, or set a variable before the first file is opened:')
  example(
    "require('gprof').setup({\n  annotations = { column = 100 },\n  settings = { threshold = 0.01 },\n})\n"
      .. 'vim.g.gprof = { annotations = { column = 100 } }'
  )
  paragraph('What is below `settings` is read by the server, and has the same name in every editor.')
  local config = require('gprof.config')
  for _, setting in ipairs(config.schema) do
    add()
    right('*gprof-setting-' .. setting.name .. '*')
    add(setting.name)
    paragraph(setting.text, 8)
    paragraph(('Expected: %s. Default: %s.'):format(config.expected(setting), setting_default(setting)), 8)
  end
end

local function annotations()
  section('ANNOTATIONS', 'gprof-annotations')
  paragraph(
    "The end of a line shows, in columns: its share of the program's time; that time, by default with what the line "
      .. 'called and what was inlined into it, where stacks were recorded (the setting `settings.metric` chooses); and '
      .. 'how often it ran or called.'
  )
  example(
    '→ 1,200     calls that the line makes, exactly\n1,200×      how often the line ran, if blocks were counted\n'
      .. "≈           an estimate: by gprof's propagation, or calls that may be another line's\n"
      .. '0.31 ±0.06 s  with one standard deviation\n'
      .. '< 0.03 s    no sample: less than this, with a probability of 95 %\n'
      .. '8.2 s lock  how long threads were blocked in calls of the line, and for what\n'
      .. 'changed     the line differs from the one that was compiled\n+0.12 s ▲   compared with the base of '
      .. '|:GprofDiff|: slower'
  )
  paragraph('After the line that a function begins on come its calls, its times and its rank.')
  add()
  paragraph(
    'Figures move with their lines. A line that is edited loses them, and undo brings them back. Only what is on the '
      .. 'screen is requested. With `annotations.enable` off, or if `vim.lsp.codelens` draws the lenses of a buffer, '
      .. 'Neovim shows the same itself, and the plugin does not.'
  )
  add()
  right('*gprof-highlights*')
  paragraph('The colours come from these groups. They are links unless you or your colour scheme define them:')
  add()
  for _, group in ipairs(require('gprof.annotations.highlights').groups) do
    right('*hl-' .. group[1] .. '*')
    add(('%-16s-> %s'):format(group[1], group[2]))
    if group[3] ~= '' then
      paragraph(group[3], 8)
    end
  end
end

local function commands()
  section('COMMANDS', 'gprof-commands')
  local tables = require('gprof.commands')
  for _, command in ipairs(tables.commands) do
    right('*:' .. command.name .. '*')
    local count = command.has_count and '[count]' or ''
    local usage = command.usage and ' ' .. command.usage or ''
    add((':%s%s%s%s'):format(count, command.name, command.has_bang and '[!]' or '', usage))
    paragraph(command.text, 8)
    add()
  end
  section(':Gprof {what}', 'gprof-control')
  for _, control in ipairs(require('gprof.control').controls) do
    right('*:Gprof-' .. control.name .. '*')
    add((':Gprof %s%s'):format(control.name, control.usage and ' ' .. control.usage or ''))
    paragraph(control.text, 8)
    add()
  end
  section('MAPS', 'gprof-maps')
  paragraph(
    'No keys are mapped, except in the windows of reports and of the time line. Use these names for maps of your own:'
  )
  example("vim.keymap.set('n', ']g', '<Plug>(gprof-next)')\nvim.keymap.set('n', 'gC', '<Plug>(gprof-callers)')")
  for _, map in ipairs(tables.maps) do
    add(('<Plug>(gprof-%s)'):format(map.name))
    paragraph(map.text, 8)
  end
end

local function timeline()
  section('A PART OF THE RUN', 'gprof-timeline')
  paragraph(
    '`:Gprof select` and the time line choose a part of the run: threads, processes, a stretch of time. Figures on '
      .. 'lines, lenses, hovers, lists and reports are of that part then, and the status line names it. The server '
      .. 'remembers it until `:Gprof select`, or x in the time line, shows all again.'
  )
  add()
  paragraph(
    '`:Gprof timeline` opens a float with a row for each thread: its name and number, the cost of each moment as a '
      .. 'block, coloured by the groups GprofHeat1 to GprofHeat5, and the sum. A full block is the most that any '
      .. 'thread took in a moment. What is selected has the colour of GprofSelected. Behind "Selected:" stands what '
      .. 'the moment under the cursor took. By the metrics `wait` and `wall`, blocks are coloured by what most of that '
      .. 'time went to, from GprofRunning to GprofIdle; a moment of nothing but idle waiting that is folded away has '
      .. 'the lowest block. Keys there:'
  )
  example(
    'v          and a motion begin a stretch, <CR> selects it\n<CR>       on the name of a row selects the thread; '
      .. 'once more, it is given up\nV          and a motion choose several rows, <CR> selects their threads\n'
      .. 'x          shows all again\nq, <Esc>   close the float, as leaving it does'
  )
  paragraph(
    'A thread and a stretch that are selected one after the other go together. Which threads there were, and when '
      .. 'samples were taken, is known of profiles that |:GprofRun| or `gprof-lsp record` has made; where that is not '
      .. 'known, or the server is older than this plugin, the commands say so.'
  )
end

local function reports()
  section('REPORTS', 'gprof-reports')
  paragraph(
    '|:GprofFlat|, |:GprofGraph| and |:GprofAnnotate| show exactly what GNU gprof prints, in buffers with names such '
      .. 'as `gprof-report:///call-graph`. They are updated when the profile is. <CR>, CTRL-] or a double click on a '
      .. 'name goes to its definition, in the window that was used before; on a number of the index it goes to the '
      .. 'entry. Entries and sources are folds, open at first. Modifiers such as |:vertical| and |:tab| choose the '
      .. 'window.'
  )
end

local function beyond()
  section('STATUS LINE, EVENTS, LUA', 'gprof-lua')
  right('*gprof.statusline()*')
  paragraph(
    "`require('gprof').statusline()` is a short text: the program, how old its profile is, which part of it is "
      .. 'selected, and what is wrong. In a buffer with the figures of another program than the one that is shown, it '
      .. 'is the name of that one. It is empty if there is no server. A % in a name is shown as ?, so that the '
      .. 'text can be used in any status line.'
  )
  example('vim.o.statusline = "%f %= %{v:lua.require\'gprof\'.statusline()} %l:%c"')
  right('*GprofLoaded*')
  paragraph(
    'The |User| autocommand GprofLoaded is executed after each load that changed what is shown. Its data has '
      .. 'client_id, state, program, profiles and generation (Neovim 0.8 and newer).'
  )
  example(
    "vim.api.nvim_create_autocmd('User', {\n  pattern = 'GprofLoaded',\n  callback = function(event)\n"
      .. '    print(event.data.program)\n  end,\n})'
  )
  paragraph(
    'Choices are made with |vim.ui.select()|, so that pickers such as Telescope and fzf-lua show them if set up to. '
      .. 'Hovers (|vim.lsp.buf.hover()|), call hierarchies (|vim.lsp.buf.incoming_calls()|) and workspace symbols '
      .. 'show the profile, too. Beside another server, such as clangd, a hover has what both say.'
  )
end

local function versions()
  section('VERSIONS OF NEOVIM', 'gprof-versions')
  paragraph('The whole plugin works with Neovim 0.10 and newer. With 0.7.2 to 0.9, a reduced set does:')
  add()
  for _, text in ipairs({
    'When Neovim begins to draw lenses, the plugin notices as the cursor rests (|CursorHold|).',
    "There are no inlay hints of Neovim's own to fall back on if `annotations.enable` is off.",
    '`lsp/gprof.lua`, for |vim.lsp.enable()|, needs 0.11.',
    'Before 0.9, positions are counted in UTF-16, unless another server was attached to the buffer first.',
    'Before 0.8, the autocommand |GprofLoaded| has no data, and WinScrolled covers only the current window: other '
      .. 'windows of a buffer show the figures of newly visible lines when they are entered.',
  }) do
    paragraph('- ' .. text, 2)
  end
end

introduction()
installation()
settings()
annotations()
commands()
timeline()
reports()
beyond()
versions()
add()
add('vim:tw=78:ts=8:noet:ft=help:norl:')

local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h')
local file = os.getenv('GPROF_HELP_FILE') or here .. '/doc/gprof.txt'
local folder = vim.fn.fnamemodify(file, ':h')
vim.fn.mkdir(folder, 'p')
vim.fn.writefile(lines, file)
-- With its tags, so that the page is found where the plugin is nothing but an entry of the run path.
vim.cmd('helptags ' .. vim.fn.fnameescape(folder))
