// Where everything is at a time.

// The scene's own "up" is turned to z once; everything below draws with z up.
const [ux, uy, uz] = data.up;
const upright = uz > -0.999999 ? turn(1 + uz, uy, -ux, 0) : turn(0, 1, 0, 0);

/** Every body's rotation and position at a time: straight lines and great arcs between frames. */
function posesAt(time) {
  const x = duration > 0 ? clamp((time - start) / data.step, 0, frames - 1) : 0;
  const i = Math.min(Math.floor(x), Math.max(0, frames - 2));
  const j = Math.min(i + 1, frames - 1);
  const s = x - i;
  const poses = [];
  for (let k = 0; k < count; k++) {
    const a = 3 * (i * count + k), b = 3 * (j * count + k);
    const p = [0, 1, 2].map((c) => positions[a + c] * (1 - s) + positions[b + c] * s);
    const qa = 4 * (i * count + k), qb = 4 * (j * count + k);
    let cosine = 0;
    for (let c = 0; c < 4; c++) cosine += quaternions[qa + c] * quaternions[qb + c];
    const sign = cosine < 0 ? -1 : 1;
    const angle = Math.acos(Math.min(1, Math.abs(cosine)));
    const wa = angle < 1e-3 ? 1 - s : Math.sin((1 - s) * angle) / Math.sin(angle);
    const wb = sign * (angle < 1e-3 ? s : Math.sin(s * angle) / Math.sin(angle));
    const q = [0, 1, 2, 3].map((c) => wa * quaternions[qa + c] + wb * quaternions[qb + c]);
    poses.push({ R: after(upright, turn(...q)), p: apply(upright, p) });
  }
  return poses;
}

/** The ends of lines that move by themselves, such as screw axes; not a number where there is none. */
const moving = data.moving.map(({ ends }) => floats(ends));
function movingAt(time) {
  const x = duration > 0 ? clamp((time - start) / data.step, 0, frames - 1) : 0;
  const i = Math.min(Math.floor(x), Math.max(0, frames - 2)), j = Math.min(i + 1, frames - 1), s = x - i;
  return moving.map((ends) => [0, 3].map((at) => apply(upright, [0, 1, 2].map((c) =>
    ends[6 * i + at + c] * (1 - s) + ends[6 * j + at + c] * s))));
}

// An arrow's tip is a cone, this long and wide in radii of its shaft.
const TIP = [9, 3.2];
const rod = (radius) => ({ kind: "cylinder", size: [radius, 1], position: [0, 0, 0.5], rotation: [1, 0, 0, 0] });
const tip = (radius) => ({ kind: "cone", size: [TIP[1] * radius, TIP[0] * radius], position: [0, 0, -0.5 * TIP[0] * radius], rotation: [1, 0, 0, 0] });

const opened = (opening) => ({ kind: "cone", size: [opening, 1], position: [0, 0, 0.5], rotation: [0, 1, 0, 0] });

/** What is drawn of lines: rods of length one along z, stretched from end to end, or cones, and after them the tips of arrows. */
const rods = [...data.lines, ...data.moving].map(({ color, radius, opening }) => ({ color, opening, shapes: [opening ? opened(opening) : rod(radius)] }));
const arrows = data.moving.map((line, i) => [line, i]).filter(([line]) => line.arrow);
const lines = [...rods, ...arrows.map(([{ color, radius }]) => ({ color, shapes: [tip(radius)] }))];
/** Whether what is drawn lets through what is behind it: bodies of other runs, and cones. */
const isFaint = (k) => isGhost(k) || (k >= count && lines[k - count].opening > 0);

/** Axes of which z points along a vector: rows of a matrix whose columns are x, y and z. */
function axesAlong(z, wide, long) {
  const x = unit(cross(Math.abs(z[1]) < 0.9 * Math.hypot(...z) ? [0, 1, 0] : [1, 0, 0], z)), y = cross(unit(z), x);
  return [0, 1, 2].flatMap((i) => [wide * x[i], wide * y[i], long * z[i]]);
}

function linesAt(poses, time) {
  const held = data.lines.map(({ ends }) => ends.map(({ body, point }) => add(poses[body].p, apply(poses[body].R, point))));
  const ends = movingAt(time);
  // A vector shorter than its tip is a smaller tip.
  const shares = ends.map(([a, b], i) => Math.min(1, Math.hypot(...sub(b, a)) / (TIP[0] * data.moving[i].radius)));
  const shafts = ends.map(([a, b], i) => {
    if (!data.moving[i].arrow) return [a, b];
    return [a, sub(b, scale(unit(sub(b, a)), 0.9 * shares[i] * TIP[0] * data.moving[i].radius))];
  });
  const tips = arrows.map(([, i]) => {
    const [a, b] = ends[i];
    return { R: axesAlong(unit(sub(b, a)), shares[i], shares[i]), p: b };
  });
  const wide = ([a, b], i) => (rods[i].opening ? Math.hypot(...sub(b, a)) : 1);
  return [...[...held, ...shafts].map(([a, b], i) => ({ R: axesAlong(sub(b, a), wide([a, b], i), 1), p: a })), ...tips];
}

/** Points whose paths can be drawn: one of each body, then those that were asked for. */
const tracers = [
  ...data.bodies.map((body, k) => ({ name: body.name, body: k, point: body.tracer, color: body.color })),
  ...data.traces.map((trace, i) => ({ ...trace, color: data.palette[(i + 3) % data.palette.length] })),
];

function pathOf({ body, point }) {
  const path = [];
  for (let i = 0; i < frames; i++) {
    const at = 4 * (i * count + body), from = 3 * (i * count + body);
    const p = add(positions.subarray(from, from + 3), apply(turn(...quaternions.subarray(at, at + 4)), point));
    path.push(apply(upright, p));
  }
  return path;
}
