// Pinocchio's RNEA, CRBA and ABA on a given tree: their values, and the least time of a loop over given states.
//
//     pinocchio_loop FOLDER SECONDS
//
// FOLDER/tree.txt has the gravity, then a line for each joint: parent, kind, axis, placement, mass, centre, inertia.
// FOLDER/states.bin has rows of q, v, a, tau. Values go to FOLDER/pinocchio.bin, nanoseconds a call to stdout.

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#include "loop.hpp"

namespace pin = pinocchio;
using Vector = Eigen::VectorXd;

static pin::JointModel joint_of(const std::string& kind, const Eigen::Vector3d& axis) {
  if (kind == "RX") return pin::JointModelRX();
  if (kind == "RY") return pin::JointModelRY();
  if (kind == "RZ") return pin::JointModelRZ();
  if (kind == "PX") return pin::JointModelPX();
  if (kind == "PY") return pin::JointModelPY();
  if (kind == "PZ") return pin::JointModelPZ();
  if (kind == "R") return pin::JointModelRevoluteUnaligned(axis);
  if (kind == "P") return pin::JointModelPrismaticUnaligned(axis);
  if (kind == "free") return pin::JointModelFreeFlyer();
  throw std::runtime_error("no joint of kind " + kind);
}

static pin::Model read_model(const std::string& path) {
  std::ifstream file(path);
  pin::Model model;
  file >> model.gravity.linear()[0] >> model.gravity.linear()[1] >> model.gravity.linear()[2];
  std::size_t parent;
  std::string kind;
  while (file >> parent >> kind) {
    Eigen::Vector3d axis, p, c;
    Eigen::Matrix3d R, I;
    double mass;
    for (int k = 0; k < 3; ++k) file >> axis[k];
    for (int k = 0; k < 9; ++k) file >> R(k / 3, k % 3);
    for (int k = 0; k < 3; ++k) file >> p[k];
    file >> mass;
    for (int k = 0; k < 3; ++k) file >> c[k];
    for (int k = 0; k < 9; ++k) file >> I(k / 3, k % 3);
    const auto made = model.addJoint(parent, joint_of(kind, axis), pin::SE3(R, p), "j" + std::to_string(model.njoints));
    model.appendBodyToJoint(made, pin::Inertia(mass, c, I), pin::SE3::Identity());
  }
  return model;
}

int main(int, char** argument) {
  const std::string folder = argument[1];
  const double seconds = std::atof(argument[2]);
  const pin::Model model = read_model(folder + "/tree.txt");
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
  const auto inverse = [&](std::size_t k) { pin::rnea(model, data, q[k], v[k], a[k]); };
  const auto mass = [&](std::size_t k) { pin::crba(model, data, q[k], pin::Convention::LOCAL); };
  const auto forward = [&](std::size_t k) { pin::aba(model, data, q[k], v[k], tau[k], pin::Convention::WORLD); };

  std::vector<double> values;
  for (std::size_t k = 0; k < count; ++k) {
    inverse(k);
    values.insert(values.end(), data.tau.data(), data.tau.data() + model.nv);
    mass(k);
    for (int i = 0; i < model.nv; ++i)
      for (int j = 0; j < model.nv; ++j) values.push_back(data.M(std::min(i, j), std::max(i, j)));
    forward(k);
    values.insert(values.end(), data.ddq.data(), data.ddq.data() + model.nv);
  }
  write_doubles(folder + "/pinocchio.bin", values);
  std::printf("inverse_dynamics %.6g\n", least_nanoseconds(count, seconds, inverse));
  std::printf("mass_matrix %.6g\n", least_nanoseconds(count, seconds, mass));
  std::printf("forward_dynamics %.6g\n", least_nanoseconds(count, seconds, forward));
}
