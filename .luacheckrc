-- What luacheck holds the Lua of this repository against: `luacheck editors/neovim tests/editors/neovim`.
std = 'luajit'
cache = false
max_line_length = 120
-- An argument that is not used says what the caller gives; methods need not look at themselves.
unused_args = false
self = false

-- Neovim's; of its tables those that settings are written to.
read_globals = {
  vim = {
    other_fields = true,
    fields = {
      g = { read_only = false, other_fields = true },
      b = { read_only = false, other_fields = true },
      w = { read_only = false, other_fields = true },
      o = { read_only = false, other_fields = true },
      bo = { read_only = false, other_fields = true },
      wo = { read_only = false, other_fields = true },
      opt = { read_only = false, other_fields = true },
      opt_local = { read_only = false, other_fields = true },
      env = { read_only = false, other_fields = true },
      lsp = { other_fields = true, fields = { commands = { read_only = false, other_fields = true } } },
    },
  },
}

files['**/*_spec.lua'] = { std = '+busted' }
