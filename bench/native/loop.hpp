// What the loops share: arrays of doubles in files, and the least time of a round.

#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

inline std::vector<double> read_doubles(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<double> numbers(static_cast<std::size_t>(file.tellg()) / sizeof(double));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(numbers.data()), numbers.size() * sizeof(double));
  return numbers;
}

inline void write_doubles(const std::string& path, const std::vector<double>& numbers) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
}

// Nanoseconds a call: rounds over all states until the time is up, the best round counts.
template <typename Call>
double least_nanoseconds(std::size_t count, double seconds, Call call) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  double least = std::numeric_limits<double>::infinity();
  do {
    const auto start = Clock::now();
    for (std::size_t k = 0; k < count; ++k) call(k);
    least = std::min(least, std::chrono::duration<double, std::nano>(Clock::now() - start).count() / count);
  } while (Clock::now() < end);
  return least;
}
