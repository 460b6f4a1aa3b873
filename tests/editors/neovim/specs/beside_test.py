"""Beside another server, and beside what Neovim draws by itself: nothing disagrees, nothing twice."""
import collections

from session import FIGURES, SUMMARIES, NeovimTest, since_0_10, since_0_11
from skipping import require_or_skip

# As users have it: clangd says in an answer of its own in which encoding it counts.
CLANGD = """
_G.start_clangd = function(buffer)
  local id = vim.lsp.start_client({
    name = 'clangd',
    cmd = { 'clangd', '--background-index=false', '--offset-encoding=%(encoding)s' },
    root_dir = vim.fn.getcwd(),
    offset_encoding = '%(encoding)s',
    capabilities = vim.tbl_deep_extend('force', vim.lsp.protocol.make_client_capabilities(),
      { offsetEncoding = { '%(encoding)s' } }),
    on_init = function(client, result)
      client.offset_encoding = result.offsetEncoding or client.offset_encoding
    end,
  })
  vim.lsp.buf_attach_client(buffer, id)
end
"""
AT_ONCE = """
vim.api.nvim_create_autocmd('FileType', { pattern = 'c', callback = function(event)
  _G.start_clangd(event.buf)
end })
"""
# Name and encoding of each server that is ready.
ENCODINGS = """
local found = {}
for _, client in ipairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
  if client.initialized then
    table.insert(found, client.name .. ' ' .. client.offset_encoding)
  end
end
table.sort(found)
return found
"""
ALL_ANSWERED = """
return #vim.tbl_filter(function(client)
  return next(client.requests) ~= nil
end, (vim.lsp.get_clients or vim.lsp.get_active_clients)()) == 0
"""
# What stands in each floating window.
FLOATS = """
local found = {}
for _, window in ipairs(vim.api.nvim_list_wins()) do
  if vim.api.nvim_win_get_config(window).relative ~= '' then
    local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
    table.insert(found, table.concat(lines, '\\n'))
  end
end
return found
"""
IS_IN_FLOAT = "return vim.api.nvim_win_get_config(0).relative ~= ''"
# All that stands in a buffer and is not its text, by whomever.
VIRTUAL_TEXTS = """
local found = {}
local function add(row, chunks)
  local text = ''
  for _, chunk in ipairs(chunks) do
    text = text .. chunk[1]
  end
  table.insert(found, { row + 1, vim.trim(text) })
end
for _, namespace in pairs(vim.api.nvim_get_namespaces()) do
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
    if mark[4].virt_text then
      add(mark[2], mark[4].virt_text)
    end
    for _, line in ipairs(mark[4].virt_lines or {}) do
      add(mark[2], line)
    end
  end
end
return found
"""


# A server, within Neovim itself, that has a hint within every second line.
HINTING = """
local function answer(method, params)
  if method == 'initialize' then
    return { capabilities = { inlayHintProvider = true } }
  elseif method ~= 'textDocument/inlayHint' then
    return nil
  end
  local hints = {}
  for line = params.range.start.line, params.range['end'].line - 1, 2 do
    table.insert(hints, { position = { line = line, character = 0 }, label = 'hint: ' })
  end
  return hints
end
_G.start_hinting = function()
  vim.lsp.start({ name = 'hinting', root_dir = vim.fn.getcwd(), cmd = function()
    local is_closing = false
    return {
      request = function(method, params, callback)
        vim.schedule(function()
          callback(nil, answer(method, params))
        end)
        return true, 1
      end,
      notify = function() end,
      is_closing = function()
        return is_closing
      end,
      terminate = function()
        is_closing = true
      end,
    }
  end })
end
"""
# Where the figures of each line begin on the screen: behind its text, what others put into it, and a margin.
FIGURES_BEGIN = """
local found = {}
for row, text in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
  local width, margin = vim.fn.strdisplaywidth(text), nil
  local marks = vim.api.nvim_buf_get_extmarks(0, -1, { row - 1, 0 }, { row - 1, -1 }, { details = true })
  for _, mark in ipairs(marks) do
    if mark[4].virt_text_pos == 'inline' then
      for _, chunk in ipairs(mark[4].virt_text) do
        width = width + vim.fn.strdisplaywidth(chunk[1])
      end
    elseif mark[4].ns_id == vim.api.nvim_get_namespaces().gprof and mark[4].virt_text then
      margin = #mark[4].virt_text[1][1]
    end
  end
  table.insert(found, margin and width + margin or nil)
end
return found
"""
HAS_HINTS = """
local marks = vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true })
return vim.tbl_count(vim.tbl_filter(function(mark)
  return mark[4].virt_text_pos == 'inline'
end, marks)) > 0
"""


class ClangdTest(NeovimTest):
    def start_with_clangd(self, encoding, is_first):
        require_or_skip("clangd")
        workspace = self.known_program()
        settings = CLANGD % {"encoding": encoding}
        neovim = self.open(workspace, settings=settings + (AT_ONCE if is_first else ""))
        if not is_first:
            neovim.wait_for_texts(FIGURES)
            neovim.lua("_G.start_clangd(vim.api.nvim_get_current_buf())")
        self.wait_for_agreement(neovim, encoding)
        neovim.wait_for_texts(FIGURES)
        return neovim

    def wait_for_agreement(self, neovim, encoding):
        def look():
            # Neovim 0.7.2 tells nobody of other servers: the plugin looks when the user rests.
            neovim.command("doautocmd CursorHold")
            return neovim.lua(ENCODINGS)
        neovim.wait_for(look, lambda found: found == [f"clangd {encoding}", f"gprof {encoding}"],
                        "servers that agree")

    def check_agreement(self, neovim):
        """Requests to both, which Neovim warns of where they disagree."""
        neovim.keys("7G0fl:lua vim.lsp.buf.hover()<CR>:lua vim.lsp.buf.document_highlight()<CR>")
        neovim.keys(":lua vim.lsp.buf.references()<CR>:let g:taken = 1<CR>")
        neovim.wait_for_lua("return vim.g.taken == 1")
        neovim.wait_for_lua(ALL_ANSWERED)
        self.assertNotRegex(neovim.messages(), r"encoding|E\d+:")
        self.assertEqual(1, len(neovim.servers()))

    def test_clangd_comes_first_and_counts_in_utf_8(self):
        self.check_agreement(self.start_with_clangd("utf-8", True))

    def test_clangd_comes_first_and_counts_in_utf_16(self):
        self.check_agreement(self.start_with_clangd("utf-16", True))

    def test_clangd_comes_later_and_counts_in_utf_8(self):
        self.check_agreement(self.start_with_clangd("utf-8", False))

    def test_clangd_comes_later_and_counts_in_utf_16(self):
        self.check_agreement(self.start_with_clangd("utf-16", False))

    def test_a_server_that_was_killed_agrees_again(self):
        neovim = self.start_with_clangd("utf-8", True)
        killed = self.kill(neovim)
        neovim.wait_for(neovim.servers, lambda found: found and killed not in found,
                        "another server")
        self.wait_for_agreement(neovim, "utf-8")
        self.check_agreement(neovim)

    def test_nothing_of_clangd_s_is_touched(self):
        """Its diagnostics stay, and so does its going to definitions."""
        neovim = self.start_with_clangd("utf-8", True)
        neovim.keys("ggOint other(void) { return undefined_name; }<Esc>")
        neovim.wait_for_lua("return #vim.diagnostic.get(0) > 0")
        neovim.keys("8G0fl:lua vim.lsp.buf.definition()<CR>")
        neovim.wait_for_lua("return vim.api.nvim_win_get_cursor(0)[1] == 2")
        self.assertEqual({line + 1: text for line, text in FIGURES.items()}, neovim.texts())

    def hover(self, neovim, keys, *words):
        """Goes there, asks, and waits for the one window, which has the words."""
        neovim.keys(keys + ":lua vim.lsp.buf.hover()<CR>")
        return neovim.wait_for(
            lambda: neovim.lua(FLOATS),
            lambda found: len(found) == 1 and all(word in found[0] for word in words),
            f"one window with {words}")[0]

    def test_a_hover_has_what_both_say(self):
        neovim = self.start_with_clangd("utf-8", True)
        both = self.hover(neovim, "gg0fl", "30,000 calls", "Parameters:")
        self.assertEqual(1, both.count("30,000 calls."), both)
        self.assertEqual(1, both.count("Parameters:"), both)
        self.assertFalse(neovim.lua(IS_IN_FLOAT))
        # As with one server: asked for once more, the cursor goes there.
        neovim.keys(":lua vim.lsp.buf.hover()<CR>")
        neovim.wait_for_lua(IS_IN_FLOAT)
        neovim.wait_for_lua(ALL_ANSWERED)
        self.assertTrue(neovim.lua(IS_IN_FLOAT))
        self.assertEqual([both], neovim.lua(FLOATS))
        neovim.keys("<C-w>p")

    def test_a_hover_has_what_one_of_them_says(self):
        neovim = self.start_with_clangd("utf-8", True)
        figures = self.hover(neovim, "9G0", "0.36 s")
        self.assertNotIn("clangd", figures)
        neovim.keys("gg0")
        neovim.wait_for(lambda: neovim.lua(FLOATS), lambda found: found == [], "no window")
        definition = self.hover(neovim, "6G0fs", "Type: ")
        self.assertNotIn("CPU time", definition)


class HintsTest(NeovimTest):
    @since_0_10
    def test_figures_stay_in_their_column_beside_hints_within_lines(self):
        neovim = self.open(self.known_program(), settings=HINTING)
        neovim.wait_for_texts(FIGURES)
        before = set(neovim.lua(FIGURES_BEGIN))
        self.assertEqual(1, len(before), before)
        neovim.lua("_G.start_hinting()")
        neovim.wait_for_lua("return #vim.lsp.get_clients({ bufnr = 0, name = 'hinting' }) == 1")
        neovim.lua("vim.lsp.inlay_hint.enable(true, { bufnr = 0 })")
        neovim.wait_for_lua(HAS_HINTS)
        neovim.wait_for(lambda: set(neovim.lua(FIGURES_BEGIN)), lambda found: found == before, "one column")
        neovim.lua("vim.lsp.inlay_hint.enable(false, { bufnr = 0 })")
        neovim.wait_for_lua(f"return not (function() {HAS_HINTS} end)()")
        neovim.keys("ggOint other;<Esc>u")
        neovim.wait_for(lambda: set(neovim.lua(FIGURES_BEGIN)), lambda found: found == before, "one column")


class NativeTest(NeovimTest):
    """Where Neovim draws lenses or hints by itself."""

    def shown(self, neovim):
        """Of each text that stands on a line: how often."""
        texts = collections.Counter()
        for line, text in neovim.lua(VIRTUAL_TEXTS):
            texts.update((line, part) for part in known_parts(text))
        return texts

    def check_once(self, neovim):
        """Everything is shown, and once."""
        wanted = {*FIGURES.values(), *SUMMARIES.values()}
        neovim.wait_for(lambda: {text for _, text in self.shown(neovim)},
                        lambda found: found == wanted, f"texts, which should be {wanted}")
        neovim.wait_until_at_rest()
        shown = self.shown(neovim)
        self.assertEqual(wanted, {text for _, text in shown})
        self.assertEqual({1}, set(shown.values()), shown)

    def refresh(self, neovim):
        neovim.lua("vim.lsp.codelens[vim.lsp.codelens.enable and 'enable' or 'refresh'](...)",
                   *([True] if neovim.lua("return vim.lsp.codelens.enable ~= nil") else []))

    def test_lenses_that_neovim_draws_are_not_shown_twice(self):
        neovim = self.open(self.known_program())
        neovim.wait_for_texts(FIGURES)
        self.assertEqual(SUMMARIES, neovim.summaries())
        self.refresh(neovim)
        neovim.command("doautocmd CursorHold")
        neovim.wait_for(neovim.summaries, lambda said: said == {}, "summaries")
        self.check_once(neovim)

    @since_0_11
    def test_lenses_that_are_switched_off_come_back_here(self):
        neovim = self.open(self.known_program(), settings="vim.lsp.codelens.enable(true)")
        neovim.wait_for_texts(FIGURES)
        neovim.wait_for(neovim.summaries, lambda said: said == {}, "summaries")
        self.check_once(neovim)
        neovim.lua("vim.lsp.codelens.enable(false)")
        neovim.keys("j")
        neovim.wait_for(neovim.summaries, lambda said: said == SUMMARIES, "summaries")
        self.check_once(neovim)

    @since_0_10
    def test_hints_that_neovim_draws_are_not_shown_twice(self):
        neovim = self.open(self.known_program(), settings="vim.lsp.inlay_hint.enable(true)")
        neovim.wait_for_texts(FIGURES)
        neovim.keys("ggOint other;<Esc>u")
        neovim.wait_for_texts(FIGURES)
        self.check_once(neovim)

    @since_0_10
    def test_hints_in_the_place_of_annotations(self):
        neovim = self.open(self.known_program(), settings="""
            require('gprof').setup { annotations = { enable = false } }
            vim.lsp.inlay_hint.enable(true)
        """)
        neovim.wait_for(lambda: neovim.lua(VIRTUAL_TEXTS),
                        lambda found: any("0.60 s" in text for _, text in found), "hints")
        self.assertEqual({}, neovim.marks())


def known_parts(text):
    """What is known of the text: figures of a line, or of a function."""
    return [known for figures in (FIGURES, SUMMARIES) for known in figures.values() if known in text]
