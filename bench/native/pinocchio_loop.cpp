// Pinocchio on a given tree: the values of the functions that are asked for, and the least time of a loop over given
// states.
//
//     pinocchio_loop FOLDER SECONDS FUNCTION...
//
// FOLDER/tree.txt is the tree, FOLDER/states.bin has rows of q, v, a, tau. Values go to FOLDER/pinocchio.bin: for each
// function, for each state, its results by rows. Nanoseconds a call go to stdout.

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <functional>
#include <map>

#include "loop.hpp"
#include "tree.hpp"

namespace pin = pinocchio;
using Vector = Eigen::VectorXd;

// A matrix by rows; of a symmetric one Pinocchio writes the upper triangle only.
template <typename Matrix>
static void append(std::vector<double>& values, const Matrix& matrix, bool symmetric = false) {
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
      values.push_back(symmetric ? matrix(std::min(i, j), std::max(i, j)) : matrix(i, j));
}

int main(int count_of_arguments, char** argument) {
  const std::string folder = argument[1];
  const double seconds = std::atof(argument[2]);
  std::ifstream tree(folder + "/tree.txt");
  const pin::Model model = read_tree<pin::Model>(tree);
  pin::Data data(model);
  const std::vector<double> numbers = read_doubles(folder + "/states.bin");
  const std::size_t width = model.nq + 3 * model.nv, count = numbers.size() / width;
  std::vector<Vector> q, v, a, tau;
  for (std::size_t k = 0; k < count; ++k) {
    const double* row = numbers.data() + k * width;
    q.push_back(Eigen::Map<const Vector>(row, model.nq));
    v.push_back(Eigen::Map<const Vector>(row + model.nq, model.nv));
    a.push_back(Eigen::Map<const Vector>(row + model.nq + model.nv, model.nv));
    tau.push_back(Eigen::Map<const Vector>(row + model.nq + 2 * model.nv, model.nv));
  }
  std::vector<double> values;
  // A template, so that the timed loop holds the call itself and no pointer to it.
  const auto measure = [&](const auto& call, const auto& keep) {
    return [&, call, keep] {
      for (std::size_t k = 0; k < count; ++k) {
        call(k);
        keep();
      }
      return least_nanoseconds(count, seconds, call);
    };
  };
  const std::map<std::string, std::function<double()>> functions = {
      {"inverse_dynamics",
       measure([&](std::size_t k) { pin::rnea(model, data, q[k], v[k], a[k]); }, [&] { append(values, data.tau); })},
      {"mass_matrix",
       measure([&](std::size_t k) { pin::crba(model, data, q[k], pin::Convention::LOCAL); },
               [&] { append(values, data.M, true); })},
      {"forward_dynamics",
       measure([&](std::size_t k) { pin::aba(model, data, q[k], v[k], tau[k], pin::Convention::WORLD); },
               [&] { append(values, data.ddq); })},
      {"inverse_dynamics_derivatives",
       measure([&](std::size_t k) { pin::computeRNEADerivatives(model, data, q[k], v[k], a[k]); },
               [&] {
                 append(values, data.dtau_dq);
                 append(values, data.dtau_dv);
                 append(values, data.M, true);
               })},
      {"forward_dynamics_derivatives",
       measure([&](std::size_t k) { pin::computeABADerivatives(model, data, q[k], v[k], tau[k]); },
               [&] {
                 append(values, data.ddq_dq);
                 append(values, data.ddq_dv);
                 append(values, data.Minv, true);
               })},
  };
  for (int k = 3; k < count_of_arguments; ++k)
    std::printf("%s %.6g\n", argument[k], functions.at(argument[k])());
  write_doubles(folder + "/pinocchio.bin", values);
}
