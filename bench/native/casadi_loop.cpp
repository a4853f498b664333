// C that CasADi generated: the values of the functions that are asked for, and the least time of a loop over given
// states.
//
//     casadi_loop FOLDER SECONDS FUNCTION...
//
// FOLDER/traced.so has the functions, each of q, v and a or tau; FOLDER/states.bin has rows of q, v, a, tau. Values go
// to FOLDER/casadi.bin: for each function, for each state, its result. Nanoseconds a call go to stdout.

#include <dlfcn.h>

#include "loop.hpp"

using Integer = long long;

template <typename Pointer>
static Pointer symbol_of(void* library, const std::string& name) {
  void* found = dlsym(library, name.c_str());
  if (!found) throw std::runtime_error(dlerror());
  return reinterpret_cast<Pointer>(found);
}

int main(int count_of_arguments, char** argument) {
  const std::string folder = argument[1];
  const double seconds = std::atof(argument[2]);
  void* library = dlopen((folder + "/traced.so").c_str(), RTLD_NOW);
  if (!library) throw std::runtime_error(dlerror());
  const std::vector<double> numbers = read_doubles(folder + "/states.bin");
  std::vector<double> values;
  for (int k = 3; k < count_of_arguments; ++k) {
    const std::string name = argument[k];
    const auto function =
        symbol_of<int (*)(const double**, double**, Integer*, double*, int)>(library, name);
    const auto shape = symbol_of<const Integer* (*)(Integer)>(library, name + "_sparsity_in");
    const auto sizes = symbol_of<int (*)(Integer*, Integer*, Integer*, Integer*)>(library, name + "_work");
    const std::size_t nq = shape(0)[0], nv = shape(1)[0], width = nq + 3 * nv, count = numbers.size() / width;
    const std::size_t given = name == "inverse_dynamics" ? nq + nv : nq + 2 * nv;
    Integer arguments, results, integers, reals;
    sizes(&arguments, &results, &integers, &reals);
    std::vector<const double*> in(arguments);
    std::vector<double*> out(results);
    std::vector<Integer> integer_work(integers);
    std::vector<double> real_work(reals), result(nv);
    out[0] = result.data();
    const auto call = [&](std::size_t row) {
      const double* state = numbers.data() + row * width;
      in[0] = state;
      in[1] = state + nq;
      in[2] = state + given;
      function(in.data(), out.data(), integer_work.data(), real_work.data(), 0);
    };
    for (std::size_t row = 0; row < count; ++row) {
      call(row);
      values.insert(values.end(), result.begin(), result.end());
    }
    std::printf("%s %.6g\n", argument[k], least_nanoseconds(count, seconds, call));
  }
  write_doubles(folder + "/casadi.bin", values);
}
