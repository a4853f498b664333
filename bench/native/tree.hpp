// A tree of joints as a Pinocchio model over any scalar: a line for the gravity, then one for each joint with its parent,
// kind, axis, placement, mass, centre and inertia.

#pragma once

#include <pinocchio/multibody.hpp>

#include <istream>
#include <stdexcept>
#include <string>

template <typename Model>
typename Model::JointModel joint_of(const std::string& kind, const Eigen::Vector3d& direction) {
  using Joints = typename Model::JointCollection;
  const auto axis = direction.cast<typename Model::Scalar>().eval();
  if (kind == "RX") return typename Joints::JointModelRX();
  if (kind == "RY") return typename Joints::JointModelRY();
  if (kind == "RZ") return typename Joints::JointModelRZ();
  if (kind == "PX") return typename Joints::JointModelPX();
  if (kind == "PY") return typename Joints::JointModelPY();
  if (kind == "PZ") return typename Joints::JointModelPZ();
  if (kind == "R") return typename Joints::JointModelRevoluteUnaligned(axis);
  if (kind == "P") return typename Joints::JointModelPrismaticUnaligned(axis);
  if (kind == "free") return typename Joints::JointModelFreeFlyer();
  throw std::runtime_error("no joint of kind " + kind);
}

template <typename Model>
Model read_tree(std::istream& file) {
  using Scalar = typename Model::Scalar;
  const auto read = [&file](auto& numbers) {
    for (Eigen::Index i = 0; i < numbers.rows(); ++i)
      for (Eigen::Index j = 0; j < numbers.cols(); ++j) file >> numbers(i, j);
  };
  Model model;
  Eigen::Vector3d gravity;
  read(gravity);
  model.gravity.linear() = gravity.cast<Scalar>();
  std::size_t parent;
  std::string kind;
  while (file >> parent >> kind) {
    Eigen::Vector3d axis, p, c;
    Eigen::Matrix3d R, I;
    double mass;
    read(axis);
    read(R);
    read(p);
    file >> mass;
    read(c);
    read(I);
    const typename Model::SE3 placement(R.cast<Scalar>().eval(), p.cast<Scalar>().eval());
    const typename Model::Inertia inertia(Scalar(mass), c.cast<Scalar>().eval(), I.cast<Scalar>().eval());
    const std::string name = "j" + std::to_string(model.njoints);
    const auto made = model.addJoint(parent, joint_of<Model>(kind, axis), placement, name);
    model.appendBodyToJoint(made, inertia, Model::SE3::Identity());
  }
  return model;
}
