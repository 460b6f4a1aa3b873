-- as_neovim.lua QUESTIONS: what the texts of the Neovim plugin are, one a line, as as_vscode.mjs does it.

local json = require('dkjson')
local heat = require('gprof.annotations.heat')
local line_text = require('gprof.annotations.line_text')
local numbers = require('gprof.annotations.numbers')

local functions = {
  exactCount = numbers.exact_count,
  shortCount = numbers.short_count,
  percent = numbers.percent,
  amount = numbers.amount,
  amountWithError = numbers.amount_with_error,
  unsampled = numbers.unsampled,
  signedAmount = numbers.signed_amount,
  heatLevel = heat.level,
  lineHeat = heat.of_line,
  lineText = function(line, options)
    options.with_errors = options.withErrors
    local texts = {}
    for _, chunk in ipairs(line_text.chunks(line, nil, options)) do
      table.insert(texts, chunk[1])
    end
    return table.concat(texts)
  end,
}

local file = assert(io.open(arg[1]))
for _, question in ipairs(json.decode(file:read('*a'))) do
  -- Arguments that are null are none; there may be some behind them.
  print(functions[question[1]](question[2], question[3], question[4]))
end
