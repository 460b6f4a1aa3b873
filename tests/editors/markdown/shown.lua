-- Opens samples of markup_samples as Neovim opens hovers: each name is seen on the screen, whole, in a title, a
-- paragraph and a link. SAMPLES names the file, SEEN the one to write to: what is not as it should be.

local samples = vim.fn.json_decode(vim.fn.readfile(vim.env.SAMPLES))
local wrong, looked_at = {}, 0
vim.o.columns, vim.o.lines = 240, 40

---@param window integer
---@return string
local function seen_in(window)
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

for _, sample in ipairs(samples) do
  -- A cell is shown as it is written there, with a backslash before a bar; double-width letters take two places.
  local is_name = vim.tbl_contains({ 'title', 'name', 'link' }, sample.where)
  if is_name and not sample.name:find('[\128-\255]') and #sample.name < 150 then
    local lines = vim.lsp.util.convert_input_to_markdown_lines({ kind = 'markdown', value = sample.markdown })
    local buffer, window = vim.lsp.util.open_floating_preview(lines, 'markdown', { max_width = 230, wrap = false })
    local seen = seen_in(window)
    looked_at = looked_at + 1
    if not seen:find(sample.name, 1, true) then
      table.insert(wrong, ('%s: %s is shown as %s: %s'):format(sample.where, sample.name, seen, sample.markdown))
    end
    vim.api.nvim_win_close(window, true)
    vim.api.nvim_buf_delete(buffer, { force = true })
  end
end
table.insert(wrong, 1, ('%d of %d samples looked at are wrong'):format(#wrong, looked_at))
vim.fn.writefile(vim.split(table.concat(wrong, '\n'), '\n'), vim.env.SEEN)
vim.cmd('qa!')
