// Our functions in the loop that times the peers: nothing is subtracted, and each state is a call.

#include <cstdint>
#include <utility>

#include "loop.hpp"

template <std::size_t>
using Pointer = double*;

template <std::size_t... I>
static double least_of(std::index_sequence<I...>, void* address, std::size_t count, double seconds,
                       double* const* bases, const std::size_t* widths) {
  const auto function = reinterpret_cast<void (*)(Pointer<I>...)>(address);
  return least_nanoseconds(count, seconds, [&](std::size_t k) { function((bases[I] + k * widths[I])...); });
}

// Nanoseconds a call of a function of 3 to 7 pointers; pointer i of state k is bases[i] + k * widths[i].
extern "C" double least_single(void* address, int arity, std::size_t count, double seconds, double* const* bases,
                               const std::size_t* widths) {
  if (arity == 3) return least_of(std::make_index_sequence<3>(), address, count, seconds, bases, widths);
  if (arity == 4) return least_of(std::make_index_sequence<4>(), address, count, seconds, bases, widths);
  if (arity == 5) return least_of(std::make_index_sequence<5>(), address, count, seconds, bases, widths);
  if (arity == 6) return least_of(std::make_index_sequence<6>(), address, count, seconds, bases, widths);
  if (arity == 7) return least_of(std::make_index_sequence<7>(), address, count, seconds, bases, widths);
  return std::numeric_limits<double>::quiet_NaN();
}

// Nanoseconds a state of a function that takes all states at once, in lanes.
extern "C" double least_batch(void* address, std::int64_t count, double seconds, double* const* inputs,
                              const std::int64_t* strides, double* work, double* const* outputs) {
  using Batch = void (*)(std::int64_t, double* const*, const std::int64_t*, double*, std::int64_t, double* const*);
  const auto function = reinterpret_cast<Batch>(address);
  const double whole =
      least_nanoseconds(1, seconds, [&](std::size_t) { function(count, inputs, strides, work, 0, outputs); });
  return whole / static_cast<double>(count);
}
