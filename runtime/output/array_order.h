// Sorting and searching arrays, and merging equal elements.
//
// The standard algorithm headers do not compile for general registers only (clang), and std::sort
// takes more stack than a signal handler may have.
//
// Thread contract: functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/output/anonymous_array.h"

namespace gprof_runtime {

template <typename Number>
constexpr Number smaller(Number a, Number b) {
  return b < a ? b : a;
}

template <typename Number>
constexpr Number larger(Number a, Number b) {
  return a < b ? b : a;
}

// The first element for which `holds` is false; it must be true for all before and false for all
// after.
template <typename Element, typename Predicate>
Element* partition_point(Element* begin, Element* end, Predicate holds) {
  while (begin != end) {
    Element* middle = begin + (end - begin) / 2;
    if (holds(*middle)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

// Merges the sorted ranges [from, middle) and [middle, end) into `to`.
template <typename Element, typename Less>
void merge_runs(const Element* from, const Element* middle, const Element* end, Element* to,
                Less less) {
  const Element* left = from;
  const Element* right = middle;
  // Often the ranges are in order already.
  if (left != middle && right != end && less(*right, middle[-1])) {
    while (left != middle && right != end) *to++ = less(*right, *left) ? *right++ : *left++;
  }
  while (left != middle) *to++ = *left++;
  while (right != end) *to++ = *right++;
}

template <typename Element, typename Less>
void sort_short_run(Element* begin, Element* end, Less less) {
  for (Element* next = begin; next != end; ++next) {
    const Element element = *next;
    Element* place = next;
    for (; place != begin && less(element, place[-1]); --place) *place = place[-1];
    *place = element;
  }
}

// Stable sort. Temporarily needs as much memory again; if there is none, the array is no longer
// complete().
template <typename Element, typename Less>
void sort(AnonymousArray<Element>& array, Less less) {
  constexpr std::size_t short_run = 16;
  const std::size_t size = array.size();
  for (std::size_t i = 0; i < size; i += short_run) {
    sort_short_run(array.data() + i, array.data() + smaller(i + short_run, size), less);
  }
  if (size <= short_run) return;
  AnonymousArray<Element> merged;
  if (!merged.reserve(size)) return array.give_up();
  for (std::size_t run = short_run; run < size; run *= 2) {
    const Element* from = array.data();
    for (std::size_t i = 0; i < size; i += 2 * run) {
      merge_runs(from + i, from + smaller(i + run, size), from + smaller(i + 2 * run, size),
                 merged.data() + i, less);
    }
    array.exchange_memory(merged);
  }
}

template <typename Element>
void add_counts(Element& sum, const Element& element) {
  sum.count = saturating_sum(sum.count, element.count);
  if constexpr (requires { sum.excess_variance; }) {
    sum.excess_variance = saturating_sum(sum.excess_variance, element.excess_variance);
  }
  if constexpr (requires { sum.kernel_count; }) {
    add_saturating(sum.kernel_count, element.kernel_count);
  }
}

// Merges equal neighbours into the first of them, summing their counts.
template <typename Element, typename Same>
void sum_neighbours(AnonymousArray<Element>& array, Same same) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (kept != 0 && same(array[kept - 1], array[i])) {
      add_counts(array[kept - 1], array[i]);
    } else {
      array[kept++] = array[i];
    }
  }
  array.shrink(kept);
}

// Keeps the first of equal neighbours.
template <typename Element, typename Same>
void drop_equal_neighbours(AnonymousArray<Element>& array, Same same) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (kept == 0 || !same(array[kept - 1], array[i])) array[kept++] = array[i];
  }
  array.shrink(kept);
}

}  // namespace gprof_runtime
