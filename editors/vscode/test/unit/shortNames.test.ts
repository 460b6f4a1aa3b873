// Names of functions where there is no room for all of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { letters, nameInTree, shortName, shortNames } from '../../src/figures/shortNames';

function forms(name: string): string[] {
  const seen: string[] = [];
  for (let most = name.length; most >= 1; most--) {
    const form = shortName(name, letters(most));
    if (form !== seen.at(-1)) seen.push(form);
  }
  return seen;
}

const until = (name: string, count: number): string[] => forms(name).slice(0, count);

test('a name loses its parameters, what is between <>, then its scopes from the outermost on', () => {
  assert.deepEqual(until('leveldb::(anonymous namespace)::Block::Iter::ParseNextKey()', 5), [
    'leveldb::(anonymous namespace)::Block::Iter::ParseNextKey()',
    'leveldb::(anonymous namespace)::Block::Iter::ParseNextKey',
    '…::(anonymous namespace)::Block::Iter::ParseNextKey',
    '…::Block::Iter::ParseNextKey',
    '…::Iter::ParseNextKey',
  ]);
  assert.deepEqual(forms('leveldb::Iter::Next'), ['leveldb::Iter::Next', '…::Iter::Next', '…::Next', 'Next', 'Ne…', 'N…']);
  assert.deepEqual(until('std::vector<int, std::allocator<int> >::push_back(int const&)', 5), [
    'std::vector<int, std::allocator<int> >::push_back(int const&)',
    'std::vector<int, std::allocator<int> >::push_back',
    'std::vector<…>::push_back',
    '…::vector<…>::push_back',
    '…::push_back',
  ]);
});

test('what fits is shown whole', () => {
  assert.equal(shortName('main', letters(4)), 'main');
  assert.equal(shortName('main', letters(3)), 'ma…');
  assert.equal(shortName('', letters(0)), '');
});

test('the own name stays as long as there is room for its beginning', () => {
  assert.equal(shortName('a::b::longest_of_all', letters(17)), '…::longest_of_all');
  assert.equal(shortName('a::b::longest_of_all', letters(14)), 'longest_of_all');
  assert.equal(shortName('a::b::longest_of_all', letters(9)), 'longest_…');
  assert.equal(shortName('a::grow<int, long>', letters(4)), 'grow');
});

test('operators are names', () => {
  assert.equal(shortName('ns::Key::operator<(ns::Key const&) const', letters(20)), 'ns::Key::operator<');
  assert.equal(shortName('ns::Key::operator<<(ns::Key const&) const', letters(15)), '…::operator<<');
  assert.equal(shortName('ns::Less::operator()(int, int) const', letters(22)), 'ns::Less::operator()');
  assert.equal(shortName('ns::Less::operator()(int, int) const', letters(15)), '…::operator()');
  assert.equal(shortName('ns::P<int>::operator->() const', letters(16)), '…::operator->');
  assert.equal(shortName('main::{lambda(int)#1}::operator()(int) const', letters(32)), '…::{lambda(int)#1}::operator()');
});

test('other languages have scopes, too', () => {
  assert.equal(shortName('<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop', letters(12)), '<…>::drop');
  assert.equal(shortName('core::ptr::drop_in_place<alloc::string::String>', letters(28)), 'core::ptr::drop_in_place<…>');
  assert.equal(shortName('shapes.circles.area', letters(15)), '….circles.area');
  assert.equal(shortName('std.stdio.File.writeln!(string).writeln(string)', letters(24)), '….writeln!(…).writeln');
  assert.equal(shortName('std.algorithm.map!(f, g).front', letters(20)), '….map!(…).front');
  assert.equal(shortName('step(int) [.part.0]', letters(10)), 'step');
});

test('the whole name of another module stays in its brackets', () => {
  assert.equal(shortName('[libstdc++.so.6.0.30]', letters(12)), '[libstdc++.…');
});

test('in trees the own name is whole, with scopes where there is room', () => {
  assert.equal(nameInTree('leveldb::Benchmark::DoWrite(leveldb::(anonymous namespace)::ThreadState*, bool)'), '…::DoWrite');
  assert.equal(nameInTree('leveldb::log::Writer::EmitPhysicalRecord(int)'), 'EmitPhysicalRecord');
  assert.equal(nameInTree('leveldb::SkipList<char const*>::FindGreaterOrEqual<int>(int)'), 'FindGreaterOrEqual');
  assert.equal(nameInTree('db::Get'), 'db::Get');
});

test('a list has whole names where short ones leave it open', () => {
  const names = ['f(int)', 'f(long)', 'g(a_long_type)', 'some::scope::function(int)', 'h'];
  assert.deepEqual(shortNames(names, letters(12)), [
    { short: 'f(int)' }, { short: 'f(long)' }, { short: 'g' }, { short: '…::function', whole: names[3] }, { short: 'h' },
  ]);
  assert.deepEqual(shortNames(names, letters(5)), [
    { short: 'f', whole: 'f(int)' }, { short: 'f', whole: 'f(long)' }, { short: 'g' }, { short: 'func…', whole: names[3] }, { short: 'h' },
  ]);
});

test('no form is longer than there is room for, whatever the name', () => {
  const names = ['a<b', 'a>b::c', '::', '::a', 'a::', 'x(((', 'f(void (*)(int))', 'operator', 'operator<', 'a::operator', '…', '𝒇::𝒈𝒈𝒈', '>>>>',
    'a.b.', '.a', '(anonymous namespace)::f()', '<<<<<<::f', 'a::b(c::d)::e', '{}', 'A<&B::operator<>::c'];
  for (const name of names) {
    for (let most = 2; most < 30; most++) {
      const form = shortName(name, letters(most));
      assert.ok(form.length <= Math.max(most, 3), `${name} at ${most}: ${form}`);
      if (name.length <= most) assert.equal(form, name);
    }
  }
});
