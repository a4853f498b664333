// Pinocchio's RNEA and ABA of a given tree, run on CasADi's symbols instead of numbers, as C source.
//
//     casadi_trace < TREE > SOURCE
//
// ABA is that with Convention::LOCAL, which takes a third fewer operations here than the one with Convention::WORLD, and
// CasADi removes what is computed twice.

#include <pinocchio/autodiff/casadi.hpp>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <iostream>

#include "tree.hpp"

namespace pin = pinocchio;
using casadi::SX;

// The joints that a tree may have, and the mimic joint that Pinocchio's Model names: with all of Pinocchio's joints this
// file would take minutes to compile.
template <typename S, int O>
struct Joints {
  using Scalar = S;
  static constexpr int Options = O;
  using JointModelRX = pin::JointModelRevoluteTpl<S, O, 0>;
  using JointModelRY = pin::JointModelRevoluteTpl<S, O, 1>;
  using JointModelRZ = pin::JointModelRevoluteTpl<S, O, 2>;
  using JointModelRevoluteUnaligned = pin::JointModelRevoluteUnalignedTpl<S, O>;
  using JointModelPX = pin::JointModelPrismaticTpl<S, O, 0>;
  using JointModelPY = pin::JointModelPrismaticTpl<S, O, 1>;
  using JointModelPZ = pin::JointModelPrismaticTpl<S, O, 2>;
  using JointModelPrismaticUnaligned = pin::JointModelPrismaticUnalignedTpl<S, O>;
  using JointModelFreeFlyer = pin::JointModelFreeFlyerTpl<S, O>;
  using JointModelMimic = pin::JointModelMimicTpl<S, O, Joints>;
  using JointModelVariant =
      boost::variant<JointModelRX, JointModelRY, JointModelRZ, JointModelRevoluteUnaligned, JointModelPX, JointModelPY,
                     JointModelPZ, JointModelPrismaticUnaligned, JointModelFreeFlyer,
                     boost::recursive_wrapper<JointModelMimic>>;
  using JointDataVariant =
      boost::variant<typename JointModelRX::JointDataDerived, typename JointModelRY::JointDataDerived,
                     typename JointModelRZ::JointDataDerived, typename JointModelRevoluteUnaligned::JointDataDerived,
                     typename JointModelPX::JointDataDerived, typename JointModelPY::JointDataDerived,
                     typename JointModelPZ::JointDataDerived, typename JointModelPrismaticUnaligned::JointDataDerived,
                     typename JointModelFreeFlyer::JointDataDerived,
                     boost::recursive_wrapper<pin::JointDataMimicTpl<S, O, Joints>>>;
};

using Vector = Eigen::Matrix<SX, Eigen::Dynamic, 1>;
using Model = pin::ModelTpl<SX, 0, Joints>;
using Data = pin::DataTpl<SX, 0, Joints>;

static Vector entries_of(const SX& symbols) {
  Vector entries(symbols.size1());
  for (Eigen::Index i = 0; i < entries.size(); ++i) entries[i] = symbols(i);
  return entries;
}

static SX column_of(const Vector& entries) {
  return SX::vertcat(std::vector<SX>(entries.data(), entries.data() + entries.size()));
}

int main() {
  const Model model = read_tree<Model>(std::cin);
  Data data(model);
  const SX q = SX::sym("q", model.nq), v = SX::sym("v", model.nv);
  const SX a = SX::sym("a", model.nv), tau = SX::sym("tau", model.nv);
  casadi::CodeGenerator code("traced");
  const auto add = [&](const std::string& name, const SX& given, const Vector& result) {
    code.add(casadi::Function(name, {q, v, given}, SX::cse({column_of(result)})));
  };
  add("inverse_dynamics", a, pin::rnea(model, data, entries_of(q), entries_of(v), entries_of(a)));
  add("forward_dynamics", tau,
      pin::aba(model, data, entries_of(q), entries_of(v), entries_of(tau), pin::Convention::LOCAL));
  std::cout << code.dump();
}
