// How large the scene is, where the ground lies, and what travels.

// A body's outline, well enough for framing: its farthest points in twenty-six directions. Those of meshes are given.
const STEPS = [-1, 0, 1];
const DIRECTIONS = STEPS.flatMap((x) => STEPS.flatMap((y) => STEPS.map((z) => [x, y, z]))).filter((d) => dot(d, d));
const outlines = data.bodies.map((body) => {
  const { points } = meshOf({ ...body, shapes: body.shapes.filter(({ kind }) => kind !== "patch") }, 12, false);
  for (const shape of body.shapes.filter(({ kind }) => kind === "mesh")) {
    const { S, p } = seat(shape), outline = floats(data.meshes[shape.mesh].outline);
    for (let i = 0; i < outline.length; i += 3) points.push(add(apply(S, outline.subarray(i, i + 3)), p));
  }
  if (!points.length) return [body.tracer];
  return DIRECTIONS.map((d) => points.reduce((far, p) => (dot(p, d) > dot(far, d) ? p : far)));
});
const reaches = outlines.map((points) => points.reduce((far, p) => Math.max(far, Math.hypot(...p)), 0));
data.lines.forEach(({ ends }) => ends.forEach(({ body, point }) => outlines[body].push(point)));
// Where these points come to in the course of time, one number after the other.
const gathering = [];
for (let n = 0, most = Math.min(frames, clamp(Math.round(2400 / count), 24, 120)); n < most; n++)
  posesAt(start + (duration * n) / Math.max(1, most - 1)).forEach(({ R, p }, k) =>
    outlines[k].forEach((point) => gathering.push(...add(apply(R, point), p))));
// Arrows, and the bars without a name by which bodies that bend are drawn; axes go on for ever.
const inFrame = data.moving.map(({ arrow, name }) => arrow || !name);
for (let n = 0; inFrame.includes(true) && n < 40; n++)
  movingAt(start + (duration * n) / 39).forEach((ends, i) => {
    if (inFrame[i] && !Number.isNaN(ends[0][0])) gathering.push(...ends.flat());
  });
const cloud = new Float32Array(gathering.length ? gathering : [0, 0, 0, 1, 1, 1]);
const low = [Infinity, Infinity, Infinity], high = low.map((x) => -x);
cloud.forEach((x, i) => {
  low[i % 3] = Math.min(low[i % 3], x);
  high[i % 3] = Math.max(high[i % 3], x);
});
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
const gathered = movers.reduce((far, k) => Math.max(far, Math.hypot(...sub(from[k].p, middleOf(from))) + reaches[k]), 0);
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

/** Whether all of it goes so far that it would look small: over the ground, as a vehicle does, or anywhere, as what falls. */
const roams = (() => {
  if (!travels || data.bodies.some((_, k) => staysAndTurns(k))) return false;
  let over = 0, away = 0;
  for (let i = 0; i < frames; i += Math.max(1, frames >> 7)) {
    const d = sub(middleOf(posesAt(start + i * data.step)), middleOf(from));
    over = Math.max(over, Math.hypot(d[0], d[1]));
    away = Math.max(away, Math.hypot(...d));
  }
  return (data.floor && over > 3 * gathered) || away > 8 * gathered;
})();

/** The size of what is looked at, the point of the ground below it, and the grid that suits both. */
function setting() {
  const reach = state.follow ? gathered : radius, around = state.follow ? camera.target : centre;
  return { reach, middle: [around[0], around[1], ground], cell: nice(reach / 3) };
}
