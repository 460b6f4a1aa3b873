-- Counts, times, shares and ages as text.

local numbers = require('gprof.numbers')

describe('numbers', function()
  it('have three digits from ten thousand on, and never four', function()
    local expected = {
      [0] = '0',
      [999] = '999',
      [9999] = '9,999',
      [10000] = '10.0k',
      [26345] = '26.3k',
      [99949] = '99.9k',
      [99951] = '100k',
      [999499] = '999k',
      [999500] = '1.00M',
      [9994000] = '9.99M',
      [9996000] = '10.0M',
      [1346269000] = '1.35G',
      [2 ^ 63] = '9.22E',
    }
    for count, text in pairs(expected) do
      assert.are.equal(text, numbers.short_count(count))
    end
  end)

  it('are grouped by thousands where they are exact', function()
    assert.are.equal('7', numbers.exact_count(7))
    assert.are.equal('100', numbers.exact_count(100))
    assert.are.equal('1,000', numbers.exact_count(1000))
    assert.are.equal('79,960,000', numbers.exact_count(79960000))
    assert.are.equal('9,007,199,254,740,991', numbers.exact_count(2 ^ 53 - 1))
  end)

  it('of shares have two digits, and small ones are not nothing', function()
    local expected = { [0] = '0 %', [0.0004] = '<0.1 %', [0.0051] = '0.5 %', [0.0994] = '9.9 %', [0.0996] = '10 %' }
    for share, text in pairs(expected) do
      assert.are.equal(text, numbers.percent(share))
    end
    assert.are.equal('100 %', numbers.percent(1))
  end)

  it('of sampled times have their error, costs of other units have none', function()
    assert.are.equal('0.31 s', numbers.amount(0.314, 'seconds'))
    assert.are.equal('0.31 ±0.06 s', numbers.amount_with_error(0.314, 0.056, 'seconds'))
    assert.are.equal('0.31 s', numbers.amount_with_error(0.314, nil, 'seconds'))
    assert.are.equal('0.01 ±0.01 s', numbers.amount_with_error(0.01, 0.01, 'seconds'))
    assert.are.equal('3.0 ±1.7 ms', numbers.amount_with_error(0.003, 0.0017, 'seconds'))
    assert.are.equal('26.3k Ir', numbers.amount_with_error(26345, 3, 'Ir'))
    assert.are.equal('2.50 Ir', numbers.amount(2.5, 'Ir'))
  end)

  it('of ages are in the largest unit that is not zero', function()
    local minute = 60
    local expected = {
      { 0, 'just now' },
      { -5, 'just now' },
      { 59 * minute, '59 min ago' },
      { 60 * minute, '1 h ago' },
      { 47 * 60 * minute, '47 h ago' },
      { 48 * 60 * minute, '2 days ago' },
    }
    for _, case in ipairs(expected) do
      assert.are.equal(case[2], numbers.age(case[1]))
    end
  end)

  it('of any size and unit have three digits', function()
    assert.equal('0.25 ±0.05 s', numbers.figure(0.25, 0.05, 'seconds'))
    assert.equal('0.00 s', numbers.figure(0, nil, 'seconds'))
    assert.equal('1.23 ms', numbers.figure(0.001234, nil, 'seconds'))
    assert.equal('45.7 ns', numbers.figure(4.567e-8, nil, 'seconds'))
    assert.equal('12.3 ±0.4 µs', numbers.figure(1.23e-5, 4e-7, 'seconds'))
    assert.equal('0.015 s', numbers.figure(0.015, nil, 'seconds'))
    assert.equal('12.3k events', numbers.figure(12345, nil, 'events'))
    assert.equal('0.0123 misses', numbers.figure(0.012345, 0.001, 'misses'))
    assert.equal('1,234', numbers.figure(1234, nil, 'events', true))
  end)
end)
