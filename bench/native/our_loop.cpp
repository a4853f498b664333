// Our functions in the loop that times the peers: nothing is subtracted, and each state is a call.

#include <cstdint>

#include "loop.hpp"

// Nanoseconds a call of a function of `arity` pointers (3 or 5); pointer i of state k is bases[i] + k * widths[i].
extern "C" double least_single(void* address, int arity, std::size_t count, double seconds, double* const* bases,
                               const std::size_t* widths) {
  const auto at = [&](int i, std::size_t k) { return bases[i] + k * widths[i]; };
  if (arity == 3) {
    const auto function = reinterpret_cast<void (*)(double*, double*, double*)>(address);
    return least_nanoseconds(count, seconds, [&](std::size_t k) { function(at(0, k), at(1, k), at(2, k)); });
  }
  const auto function = reinterpret_cast<void (*)(double*, double*, double*, double*, double*)>(address);
  return least_nanoseconds(count, seconds, [&](std::size_t k) {
    function(at(0, k), at(1, k), at(2, k), at(3, k), at(4, k));
  });
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
