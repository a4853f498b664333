// MuJoCo's mj_forward on a given model: accelerations, and the least time of a loop over given states.
//
//     mujoco_loop FOLDER SECONDS
//
// FOLDER/model.xml is the model, FOLDER/states.bin has rows of q, v, a, tau.
// Values go to FOLDER/mujoco.bin, nanoseconds a call to stdout.

#include <mujoco/mujoco.h>

#include <algorithm>

#include "loop.hpp"

int main(int, char** argument) {
  const std::string folder = argument[1];
  const double seconds = std::atof(argument[2]);
  char problem[1000] = "";
  mjModel* model = mj_loadXML((folder + "/model.xml").c_str(), nullptr, problem, sizeof problem);
  if (!model) {
    std::fprintf(stderr, "%s\n", problem);
    return 1;
  }
  mjData* data = mj_makeData(model);
  const std::vector<double> numbers = read_doubles(folder + "/states.bin");
  const int nq = model->nq, nv = model->nv;
  const std::size_t width = nq + 3 * nv, count = numbers.size() / width;
  const auto forward = [&](std::size_t k) {
    const double* row = numbers.data() + k * width;
    std::copy_n(row, nq, data->qpos);
    std::copy_n(row + nq, nv, data->qvel);
    std::copy_n(row + nq + 2 * nv, nv, data->qfrc_applied);
    mj_forward(model, data);
  };
  std::vector<double> values;
  for (std::size_t k = 0; k < count; ++k) {
    forward(k);
    values.insert(values.end(), data->qacc, data->qacc + nv);
  }
  write_doubles(folder + "/mujoco.bin", values);
  std::printf("forward_dynamics %.6g\n", least_nanoseconds(count, seconds, forward));
  mj_deleteData(data);
  mj_deleteModel(model);
}
