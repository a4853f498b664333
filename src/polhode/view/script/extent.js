// How large the scene is, where the ground lies, and what travels.

const coarse = data.bodies.map((body) => meshOf(body, 12));
// A body's outline, well enough for framing: its farthest points in twenty-six directions.
const outlines = coarse.map((mesh, k) => {
  if (!mesh.points.length) return [data.bodies[k].tracer];
  const steps = [-1, 0, 1];
  const directions = steps.flatMap((x) => steps.flatMap((y) => steps.map((z) => [x, y, z]))).filter((d) => dot(d, d));
  return directions.map((d) => mesh.points.reduce((far, p) => (dot(p, d) > dot(far, d) ? p : far)));
});
data.lines.forEach(({ ends }) => ends.forEach(({ body, point }) => outlines[body].push(point)));
const cloud = [];
for (let n = 0, most = Math.min(frames, clamp(Math.round(2400 / count), 24, 120)); n < most; n++)
  posesAt(start + (duration * n) / Math.max(1, most - 1)).forEach(({ R, p }, k) =>
    outlines[k].forEach((point) => cloud.push(add(apply(R, point), p))));
for (let n = 0; arrows.length && n < 40; n++)
  movingAt(start + (duration * n) / 39).forEach((ends, i) => {
    if (data.moving[i].arrow && !Number.isNaN(ends[0][0])) cloud.push(...ends);
  });
if (!cloud.length) cloud.push([0, 0, 0], [1, 1, 1]);
const low = [0, 1, 2].map((c) => cloud.reduce((m, p) => Math.min(m, p[c]), Infinity));
const high = [0, 1, 2].map((c) => cloud.reduce((m, p) => Math.max(m, p[c]), -Infinity));
const centre = scale(add(low, high), 0.5);
const radius = Math.hypot(...sub(high, low)) / 2 || 1;
const floating = low[2] < -0.002 * radius || low[2] > 2 * radius;
// Without a floor there is no ground to throw shadows on, or to come near to.
const ground = !data.floor ? low[2] - 20 * radius : data.ground ?? (floating ? low[2] - 0.12 * radius : 0);

/** The nearest of 1, 2, 5 times a power of ten that is not below x. */
function nice(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * [1, 2, 5, 10].find((m) => m * power >= x * 0.9999);
}

// What travels far for its size is better followed than watched from afar.
const from = posesAt(start);
const movers = data.bodies.map((_, k) => k).filter((k) => {
  if (data.bodies[k].ghost >= 0) return false;
  for (let i = 0; i < frames; i++) {
    const at = 3 * (i * count + k);
    if (Math.hypot(...[0, 1, 2].map((c) => positions[at + c] - positions[3 * k + c])) > 0.05 * radius) return true;
  }
  return false;
});
const middleOf = (poses) => scale(movers.reduce((sum, k) => add(sum, poses[k].p), [0, 0, 0]), 1 / (movers.length || 1));
const gathered = movers.reduce((far, k) => Math.max(far, Math.hypot(...sub(from[k].p, middleOf(from))) + coarse[k].reach), 0);
const travels = movers.length > 0 && gathered > 0 && radius > 3 * gathered;
/** Whether a body turns where it is, as one does that hangs on the ground. */
function staysAndTurns(k) {
  if (isGhost(k) || movers.includes(k)) return false;
  for (let i = 1; i < frames; i++) {
    let cosine = 0;
    for (let c = 0; c < 4; c++) cosine += quaternions[4 * (i * count + k) + c] * quaternions[4 * k + c];
    if (Math.abs(cosine) < 0.9999) return true;
  }
  return false;
}

/** Whether all of it goes far over the ground, as a vehicle does; what falls or swings is watched from where it is. */
const roams = (() => {
  if (data.bodies.some((_, k) => staysAndTurns(k))) return false;
  let far = 0;
  for (let i = 0; i < frames; i += Math.max(1, frames >> 7)) {
    const [x, y] = sub(middleOf(posesAt(start + i * data.step)), middleOf(from));
    far = Math.max(far, Math.hypot(x, y));
  }
  return travels && data.floor && far > 3 * gathered;
})();

/** The size of what is looked at, the point of the ground below it, and the grid that suits both. */
function setting() {
  const reach = state.follow ? gathered : radius, around = state.follow ? camera.target : centre;
  return { reach, middle: [around[0], around[1], ground], cell: nice(reach / 3) };
}
