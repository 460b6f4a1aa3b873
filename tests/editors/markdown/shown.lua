-- Called with samples of markup_samples: opens them as Neovim opens hovers. Each name is seen on the screen, whole,
-- in a title, a paragraph and a link. Returns the number of those looked at, and what is not as it should be.
local samples = ...
local wrong, looked_at = {}, 0

-- What syntax does not conceal: the screen of older versions, as functions tell it, has no floating windows.
---@return string
local function seen_by_syntax()
  local rows = {}
  for number = 1, vim.fn.line('$') do
    local letters = {}
    for column, letter in vim.fn.getline(number):gmatch('()(.)') do
      if vim.fn.synconcealed(number, column)[1] == 0 then
        table.insert(letters, letter)
      end
    end
    table.insert(rows, table.concat(letters))
  end
  return table.concat(rows, '\n')
end

---@param window integer
---@return string
local function seen_in(window)
  if vim.fn.has('nvim-0.10') == 0 then
    return vim.api.nvim_win_call(window, seen_by_syntax)
  end
  vim.cmd('redraw!')
  local place = vim.fn.screenpos(window, 1, 1)
  local rows = {}
  for row = place.row, place.row + vim.api.nvim_win_get_height(window) - 1 do
    local letters = {}
    for column = place.col, place.col + vim.api.nvim_win_get_width(window) - 1 do
      table.insert(letters, vim.fn.screenstring(row, column))
    end
    table.insert(rows, table.concat(letters))
  end
  return table.concat(rows, '\n')
end

---@param sample { name: string, where: string, markdown: string }
local function look_at(sample)
  local lines = vim.lsp.util.convert_input_to_markdown_lines({ kind = 'markdown', value = sample.markdown })
  local _, window = vim.lsp.util.open_floating_preview(lines, 'markdown', { max_width = 230, wrap = false })
  local seen = seen_in(window)
  looked_at = looked_at + 1
  if not seen:find(sample.name, 1, true) then
    table.insert(wrong, ('%s: %s is shown as %s: %s'):format(sample.where, sample.name, seen, sample.markdown))
  end
  vim.api.nvim_win_close(window, true)
end

for _, sample in ipairs(samples) do
  -- A cell is shown as it is written there, with a backslash before a bar; double-width letters take two places.
  local is_name = vim.tbl_contains({ 'title', 'name', 'link' }, sample.where)
  if is_name and not sample.name:find('[\128-\255]') and #sample.name < 150 then
    look_at(sample)
  end
end
return { looked_at, wrong }
