"use strict";
// Draws the motion that the page carries as data. In order: the data, vectors, meshes, the camera, the two
// renderers (WebGL, and a painter for browsers without it), the charts, the controls, the clock.
(() => {
  const $ = (id) => document.getElementById(id);
  const root = document.documentElement;
  const data = JSON.parse($("data").textContent);

  // ---------------------------------------------------------------- data

  function bytes(text) {
    const letters = atob(text), made = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) made[i] = letters.charCodeAt(i);
    return made.buffer;
  }
  const floats = (text) => new Float32Array(bytes(text));

  const positions = floats(data.positions);
  const quaternions = floats(data.quaternions);
  const count = data.bodies.length;
  const frames = data.frames;
  const start = data.start;
  const duration = data.step * (frames - 1);
  const channels = data.channels.map((c, i) => ({
    name: c.name,
    unit: c.unit,
    base: c.base,
    values: floats(c.values),
    color: data.palette[i % data.palette.length],
  }));

  // ---------------------------------------------------------------- vectors, turns, matrices

  const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
  const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = (a) => scale(a, 1 / (Math.hypot(...a) || 1));
  const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

  /** The 3x3 matrix, by rows, of a quaternion (w, x, y, z) of any length but zero. */
  function turn(w, x, y, z) {
    const s = 2 / (w * w + x * x + y * y + z * z);
    return [
      1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
      s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),
      s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y),
    ];
  }
  const apply = (R, v) => [
    R[0] * v[0] + R[1] * v[1] + R[2] * v[2],
    R[3] * v[0] + R[4] * v[1] + R[5] * v[2],
    R[6] * v[0] + R[7] * v[1] + R[8] * v[2],
  ];
  const applyBack = (R, v) => [
    R[0] * v[0] + R[3] * v[1] + R[6] * v[2],
    R[1] * v[0] + R[4] * v[1] + R[7] * v[2],
    R[2] * v[0] + R[5] * v[1] + R[8] * v[2],
  ];
  const after = (A, B) => [0, 3, 6].flatMap((i) => [0, 1, 2].map((j) => A[i] * B[j] + A[i + 1] * B[j + 3] + A[i + 2] * B[j + 6]));

  /** Product of two 4x4 matrices kept by columns, as WebGL wants them. */
  function times(a, b) {
    const m = new Float32Array(16);
    for (let c = 0; c < 4; c++)
      for (let r = 0; r < 4; r++) {
        let sum = 0;
        for (let k = 0; k < 4; k++) sum += a[k * 4 + r] * b[c * 4 + k];
        m[c * 4 + r] = sum;
      }
    return m;
  }
  const placed = (R, p) => new Float32Array([R[0], R[3], R[6], 0, R[1], R[4], R[7], 0, R[2], R[5], R[8], 0, p[0], p[1], p[2], 1]);

  /** World to camera axes: rows right, up, back, seen from the eye. */
  const lookFrom = (eye, right, up, back) => new Float32Array([
    right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
    -dot(right, eye), -dot(up, eye), -dot(back, eye), 1,
  ]);

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

  /** Lines between points of two bodies, or that move, drawn as rods of length one along z, stretched from end to end. */
  const lines = [...data.lines, ...data.moving].map(({ color, radius }) => ({
    color, shapes: [{ kind: "cylinder", size: [radius, 1], position: [0, 0, 0.5], rotation: [1, 0, 0, 0] }],
  }));
  function linesAt(poses, time) {
    const held = data.lines.map(({ ends }) => ends.map(({ body, point }) => add(poses[body].p, apply(poses[body].R, point))));
    return [...held, ...movingAt(time)].map(([a, b]) => {
      const z = sub(b, a), x = unit(cross(Math.abs(z[1]) < 0.9 * Math.hypot(...z) ? [0, 1, 0] : [1, 0, 0], z)), y = cross(unit(z), x);
      return { R: [0, 1, 2].flatMap((i) => [x[i], y[i], z[i]]), p: a };
    });
  }

  // ---------------------------------------------------------------- meshes

  const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
  const AXIS_COLORS = ["#cc3311", "#009988", "#0077bb"];

  /** A surface of revolution about z; the profile lists radius, height and the normal's two parts. */
  function lathe(profile, segments) {
    const points = [], normals = [], triangles = [];
    for (let s = 0; s <= segments; s++) {
      const c = Math.cos((2 * Math.PI * s) / segments), d = Math.sin((2 * Math.PI * s) / segments);
      for (const [r, z, nr, nz] of profile) {
        points.push([r * c, r * d, z]);
        normals.push([nr * c, nr * d, nz]);
      }
    }
    const n = profile.length;
    for (let s = 0; s < segments; s++)
      for (let k = 0; k + 1 < n; k++) {
        const a = s * n + k;
        triangles.push([a, a + n, a + 1], [a + 1, a + n, a + n + 1]);
      }
    return { points, normals, triangles };
  }

  const arc = (r, middle, from, to, steps) => Array.from({ length: steps + 1 }, (_, i) => {
    const t = from + ((to - from) * i) / steps;
    return [r * Math.cos(t), middle + r * Math.sin(t), Math.cos(t), Math.sin(t)];
  });

  const HALF = Math.PI / 2;
  const turned = {
    sphere: ([r], n) => lathe(arc(r, 0, -HALF, HALF, n / 2), n),
    capsule: ([r, l], n) => lathe([...arc(r, -l / 2, -HALF, 0, n / 4), ...arc(r, l / 2, 0, HALF, n / 4)], n),
    cylinder([r, l], n) {
      const h = l / 2, b = 0.08 * Math.min(r, h);
      return lathe([[0, -h, 0, -1], [r - b, -h, 0, -1], [r, b - h, 1, 0], [r, h - b, 1, 0], [r - b, h, 0, 1], [0, h, 0, 1]], n);
    },
    cone([r, l], n) {
      const s = Math.hypot(r, l);
      return lathe([[0, -l / 2, 0, -1], [r, -l / 2, 0, -1], [r, -l / 2, l / s, r / s], [0, l / 2, l / s, r / s]], n);
    },
    ellipsoid(radii, n) {
      const ball = turned.sphere([1], n);
      ball.normals = ball.points.map((p) => unit(p.map((x, i) => x / radii[i])));
      ball.points = ball.points.map((p) => p.map((x, i) => x * radii[i]));
      return ball;
    },
    /** A box with narrow bevels that catch the light: three corners for each corner, one on each face. */
    box(size) {
      const half = size.map((x) => x / 2), bevel = 0.07 * Math.min(...half);
      const points = [], normals = [], triangles = [];
      const at = (sx, sy, sz, axis) => (sx > 0 ? 12 : 0) + (sy > 0 ? 6 : 0) + (sz > 0 ? 3 : 0) + axis;
      for (const sx of [-1, 1]) for (const sy of [-1, 1]) for (const sz of [-1, 1]) {
        const sign = [sx, sy, sz];
        for (let axis = 0; axis < 3; axis++) {
          points.push(sign.map((s, i) => s * (half[i] - (i === axis ? 0 : bevel))));
          normals.push(sign.map((s, i) => (i === axis ? s : 0)));
        }
        triangles.push([0, 1, 2].map((axis) => at(sx, sy, sz, axis)));
      }
      const quad = (a, b, c, d) => triangles.push([a, b, c], [a, c, d]);
      const corner = (axes, signs, axis) => at(...axes.map((_, i) => signs[axes.indexOf(i)]), axis);
      for (let a = 0; a < 3; a++) {
        const b = (a + 1) % 3, c = (a + 2) % 3, axes = [a, b, c];
        for (const s of [-1, 1]) {
          quad(...[[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([t, u]) => corner(axes, [s, t, u], a)));
          for (const t of [-1, 1])
            quad(corner(axes, [s, t, -1], a), corner(axes, [s, t, 1], a), corner(axes, [s, t, 1], b), corner(axes, [s, t, -1], b));
        }
      }
      return { points, normals, triangles };
    },
  };

  // Two neighbouring triangles of a mesh that meet at less than this angle look like one smooth surface.
  const CREASE = Math.cos(0.6);
  // Many robots are white, which leaves no room for light: they are a little darker, so that their form is seen.
  const WHITEST = 0.88;

  /** The corners of a piece's triangles, three and three: where they are, and which way the surface looks there. */
  function cornersOf({ low, step }, piece) {
    const grid = new Uint16Array(bytes(piece.points)), count = grid.length / 3;
    const numbers = piece.wide ? new Uint32Array(bytes(piece.triangles)) : new Uint16Array(bytes(piece.triangles));
    const at = new Float32Array(grid.length);
    for (let i = 0; i < grid.length; i += 3) for (let c = 0; c < 3; c++) at[i + c] = low[c] + grid[i + c] * step[c];
    const flats = new Float32Array(numbers.length), many = numbers.length / 3;
    const areas = new Float32Array(many), first = new Uint32Array(count + 1), around = new Uint32Array(numbers.length);
    for (let t = 0; t < many; t++) {
      const a = 3 * numbers[3 * t], b = 3 * numbers[3 * t + 1], c = 3 * numbers[3 * t + 2];
      const ex = at[b] - at[a], ey = at[b + 1] - at[a + 1], ez = at[b + 2] - at[a + 2];
      const fx = at[c] - at[a], fy = at[c + 1] - at[a + 1], fz = at[c + 2] - at[a + 2];
      const nx = ey * fz - ez * fy, ny = ez * fx - ex * fz, nz = ex * fy - ey * fx;
      const area = Math.sqrt(nx * nx + ny * ny + nz * nz) || 1e-30;
      areas[t] = area;
      flats[3 * t] = nx / area;
      flats[3 * t + 1] = ny / area;
      flats[3 * t + 2] = nz / area;
    }
    // The triangles around each point, one list after the other.
    for (const n of numbers) first[n + 1]++;
    for (let n = 0; n < count; n++) first[n + 1] += first[n];
    const next = first.slice();
    for (let i = 0; i < numbers.length; i++) around[next[numbers[i]]++] = (i / 3) | 0;
    const points = new Float32Array(3 * numbers.length), normals = new Float32Array(3 * numbers.length);
    for (let i = 0; i < numbers.length; i++) {
      const n = numbers[i], own = 3 * ((i / 3) | 0);
      const ox = flats[own], oy = flats[own + 1], oz = flats[own + 2];
      let x = 0, y = 0, z = 0;
      for (let k = first[n]; k < first[n + 1]; k++) {
        const t = around[k], u = 3 * t;
        if (ox * flats[u] + oy * flats[u + 1] + oz * flats[u + 2] < CREASE) continue;
        x += areas[t] * flats[u];
        y += areas[t] * flats[u + 1];
        z += areas[t] * flats[u + 2];
      }
      const length = Math.sqrt(x * x + y * y + z * z) || 1, to = 3 * i;
      normals[to] = x / length;
      normals[to + 1] = y / length;
      normals[to + 2] = z / length;
      for (let c = 0; c < 3; c++) points[to + c] = at[3 * n + c];
    }
    return { points, normals, color: piece.color };
  }

  const levels = data.meshes.map((mesh) => ({ mesh }));
  /** The pieces of a mesh as corners, worked out when they are first needed. */
  function piecesOf(number, level) {
    const held = levels[number];
    held[level] ??= held.mesh[level].pieces.map((piece) => cornersOf(held.mesh[level], piece));
    return held[level];
  }

  /** A mesh where it sits in its body: turn, scale and shift of points, turn of normals, and whether it is mirrored. */
  function seat(shape) {
    const R = turn(...shape.rotation), s = shape.size;
    return { S: R.map((x, i) => x * s[i % 3]), N: R.map((x, i) => x / s[i % 3]), p: shape.position, mirrored: s[0] * s[1] * s[2] < 0 };
  }

  /** The fine meshes of a body as one: flat lists of numbers, as large as need be. */
  function surfaceOf(body) {
    const shapes = body.shapes.filter((shape) => shape.kind === "mesh");
    const total = shapes.reduce((sum, shape) => piecesOf(shape.mesh, "fine").reduce((n, piece) => n + piece.points.length, sum), 0);
    const made = { points: new Float32Array(total), normals: new Float32Array(total), colors: new Float32Array(total) };
    let to = 0;
    for (const shape of shapes) {
      const { S, N, p } = seat(shape);
      for (const { points, normals, color } of piecesOf(shape.mesh, "fine")) {
        const [r, g, b] = scale(rgb(color || shape.color), WHITEST);
        for (let i = 0; i < points.length; i += 3, to += 3) {
          const x = points[i], y = points[i + 1], z = points[i + 2], u = normals[i], v = normals[i + 1], w = normals[i + 2];
          for (let c = 0; c < 3; c++) {
            made.points[to + c] = S[3 * c] * x + S[3 * c + 1] * y + S[3 * c + 2] * z + p[c];
            made.normals[to + c] = N[3 * c] * u + N[3 * c + 1] * v + N[3 * c + 2] * w;
          }
          made.colors[to] = r;
          made.colors[to + 1] = g;
          made.colors[to + 2] = b;
        }
      }
    }
    return made;
  }

  /** One mesh for a whole body, in its own axes: points, normals and colours as flat lists. */
  function meshOf(body, segments, withMeshes = true) {
    const mesh = { points: [], normals: [], colors: [], triangles: [] };
    const put = (part, R, p, color) => {
      const first = mesh.points.length;
      part.points.forEach((x, i) => {
        mesh.points.push(add(apply(R, x), p));
        mesh.normals.push(apply(R, part.normals[i]));
        mesh.colors.push(color);
      });
      part.triangles.forEach((t) => mesh.triangles.push(t.map((i) => i + first)));
    };
    for (const shape of body.shapes) {
      const R = turn(...shape.rotation);
      if (shape.kind === "mesh") {
        if (!withMeshes) continue;
        const { S, N, p, mirrored } = seat(shape), first = mesh.points.length;
        for (const { points, normals, color } of piecesOf(shape.mesh, "coarse"))
          for (let i = 0; i < points.length; i += 3) {
            mesh.points.push(add(apply(S, points.subarray(i, i + 3)), p));
            mesh.normals.push(unit(apply(N, normals.subarray(i, i + 3))));
            mesh.colors.push(scale(rgb(color || shape.color), WHITEST));
          }
        for (let i = first; i < mesh.points.length; i += 3) mesh.triangles.push(mirrored ? [i, i + 2, i + 1] : [i, i + 1, i + 2]);
        continue;
      }
      if (shape.kind !== "frame") {
        put(turned[shape.kind](shape.size, segments), R, shape.position, rgb(shape.color || body.color));
        continue;
      }
      const l = shape.size[0];
      [turn(1, 0, 1, 0), turn(1, -1, 0, 0), turn(1, 0, 0, 0)].forEach((toAxis, axis) => {
        const Q = after(R, toAxis);
        const along = (z) => add(shape.position, apply(Q, [0, 0, z]));
        put(turned.cylinder([0.022 * l, 0.8 * l], segments / 2), Q, along(0.4 * l), rgb(AXIS_COLORS[axis]));
        put(turned.cone([0.06 * l, 0.2 * l], segments / 2), Q, along(0.9 * l), rgb(AXIS_COLORS[axis]));
      });
    }
    mesh.reach = mesh.points.reduce((far, p) => Math.max(far, Math.hypot(...p)), 0);
    return mesh;
  }

  // ---------------------------------------------------------------- how large the scene is

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
  for (let n = 0, most = Math.min(frames, 120); n < most; n++)
    posesAt(start + (duration * n) / Math.max(1, most - 1)).forEach(({ R, p }, k) =>
      outlines[k].forEach((point) => cloud.push(add(apply(R, point), p))));
  if (!cloud.length) cloud.push([0, 0, 0], [1, 1, 1]);
  const low = [0, 1, 2].map((c) => cloud.reduce((m, p) => Math.min(m, p[c]), Infinity));
  const high = [0, 1, 2].map((c) => cloud.reduce((m, p) => Math.max(m, p[c]), -Infinity));
  const centre = scale(add(low, high), 0.5);
  const radius = Math.hypot(...sub(high, low)) / 2 || 1;
  const floating = low[2] < -0.002 * radius || low[2] > 2 * radius;
  const ground = data.ground ?? (floating ? low[2] - 0.12 * radius : 0);

  /** The nearest of 1, 2, 5 times a power of ten that is not below x. */
  function nice(x) {
    const power = 10 ** Math.floor(Math.log10(x));
    return power * [1, 2, 5, 10].find((m) => m * power >= x * 0.9999);
  }

  // What travels far for its size is better followed than watched from afar.
  const from = posesAt(start);
  const movers = data.bodies.map((_, k) => k).filter((k) => {
    for (let i = 0; i < frames; i++) {
      const at = 3 * (i * count + k);
      if (Math.hypot(...[0, 1, 2].map((c) => positions[at + c] - positions[3 * k + c])) > 0.05 * radius) return true;
    }
    return false;
  });
  const middleOf = (poses) => scale(movers.reduce((sum, k) => add(sum, poses[k].p), [0, 0, 0]), 1 / (movers.length || 1));
  const gathered = movers.reduce((far, k) => Math.max(far, Math.hypot(...sub(from[k].p, middleOf(from))) + coarse[k].reach), 0);
  const travels = movers.length > 0 && gathered > 0 && radius > 3 * gathered;

  /** The size of what is looked at, the point of the ground below it, and the grid that suits both. */
  function setting() {
    const reach = state.follow ? gathered : radius, around = state.follow ? camera.target : centre;
    return { reach, middle: [around[0], around[1], ground], cell: nice(reach / 3) };
  }

  // ---------------------------------------------------------------- camera

  const FIELD = 0.5;
  const VIEWS = { home: [-0.95, 0.36], front: [-HALF, 0.04], side: [0, 0.04], top: [-HALF, HALF] };
  const camera = { azimuth: VIEWS.home[0], elevation: VIEWS.home[1], distance: 4 * radius, target: centre, flight: null };
  let touched = false;

  function basis({ azimuth, elevation }) {
    const back = [Math.cos(elevation) * Math.cos(azimuth), Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation)];
    const right = [-Math.sin(azimuth), Math.cos(azimuth), 0];
    return { right, back, up: cross(back, right) };
  }

  /** The target and distance at which the whole motion just fills the view from a direction. */
  function fitted(azimuth, elevation, aspect) {
    const { right, up, back } = basis({ azimuth, elevation });
    const tall = Math.tan(FIELD / 2) * 0.86, wide = tall * aspect;
    let target = centre, distance = 0;
    for (let pass = 0; pass < 3; pass++) {
      distance = cloud.reduce((far, point) => {
        const d = sub(point, target);
        return Math.max(far, dot(back, d) + Math.max(Math.abs(dot(right, d)) / wide, Math.abs(dot(up, d)) / tall));
      }, 0.1 * radius);
      // Centre what is seen, not what is there: near things look larger.
      const seen = cloud.map((point) => {
        const d = sub(point, target), depth = distance - dot(back, d);
        return [dot(right, d) / depth, dot(up, d) / depth];
      });
      const middle = (c) => (seen.reduce((m, s) => Math.min(m, s[c]), Infinity) + seen.reduce((m, s) => Math.max(m, s[c]), -Infinity)) / 2;
      target = add(target, add(scale(right, middle(0) * distance), scale(up, middle(1) * distance)));
    }
    return { azimuth, elevation, distance, target };
  }

  function eyes(width, height) {
    const { right, up, back } = basis(camera);
    const eye = add(camera.target, scale(back, camera.distance));
    const near = camera.distance * 0.02, far = camera.distance * 4 + radius * 20;
    const f = 1 / Math.tan(FIELD / 2), a = width / height;
    const project = new Float32Array([f / a, 0, 0, 0, 0, f, 0, 0, 0, 0, -(far + near) / (far - near), -1, 0, 0, (-2 * far * near) / (far - near), 0]);
    return { eye, right, up, back, near, f, matrix: times(project, lookFrom(eye, right, up, back)), width, height };
  }

  // ---------------------------------------------------------------- renderer: WebGL

  const SUN = unit([-0.28, -0.62, 1.05]);
  const SHADOW_SIZE = 2048;

  const LIT = `
    uniform highp sampler2DShadow shadow; uniform mat4 sun; uniform float softness;
    float lit(vec3 p) {
      vec3 s = (sun * vec4(p, 1.0)).xyz * 0.5 + 0.5;
      if (any(lessThan(s.xy, vec2(0.0))) || any(greaterThan(s.xy, vec2(1.0)))) return 1.0;
      float sum = 0.0;
      for (int i = -2; i <= 2; i++) for (int j = -2; j <= 2; j++)
        sum += texture(shadow, vec3(s.xy + vec2(i, j) * softness, min(s.z, 1.0)));
      return sum / 25.0;
    }`;
  const HEAD = "#version 300 es\nprecision highp float;\n";

  const SHADERS = {
    solid: [
      `layout(location=0) in vec3 point; layout(location=1) in vec3 normal; layout(location=2) in vec3 color;
      uniform mat4 model, view; out vec3 p, n, c;
      void main() { vec4 w = model * vec4(point, 1.0); p = w.xyz; n = mat3(model) * normal; c = color; gl_Position = view * w; }`,
      `${LIT}
      in vec3 p, n, c; out vec4 pixel;
      uniform vec3 eye, toSun; uniform float bias, ground, reach, day, glow;
      void main() {
        vec3 N = normalize(n), V = normalize(eye - p), H = normalize(V + toSun);
        // The winding of a mesh cannot be trusted: what is seen looks at the eye.
        if (dot(N, V) < 0.0) N = -N;
        vec3 base = pow(mix(c, vec3(1.0), 0.3 * glow), vec3(2.2));
        float shade = lit(p + N * bias), sunny = max(dot(N, toSun), 0.0) * shade;
        float open = mix(0.62, 1.0, smoothstep(0.0, reach, p.z - ground));
        vec3 sky = mix(vec3(0.50, 0.56, 0.66), vec3(0.74, 0.80, 0.88), day), earth = mix(vec3(0.16), vec3(0.40, 0.38, 0.36), day);
        vec3 ambient = mix(earth, sky, 0.5 + 0.5 * N.z) * 0.62 * open;
        float fill = 0.16 * max(dot(N, normalize(vec3(0.8, 0.5, 0.25))), 0.0) + 0.14 * max(dot(N, V), 0.0);
        float shine = pow(max(dot(N, H), 0.0), 60.0) * 0.22 * shade + pow(max(dot(N, H), 0.0), 9.0) * 0.05 * shade;
        float rim = pow(1.0 - max(dot(N, V), 0.0), 4.0) * (0.10 + 0.5 * glow);
        vec3 light = base * (ambient + fill + vec3(1.0, 0.97, 0.92) * sunny * 0.95) + vec3(shine) + sky * rim;
        pixel = vec4(pow(min(light, vec3(1.0)), vec3(1.0 / 2.2)), 1.0);
      }`,
    ],
    depth: [
      `layout(location=0) in vec3 point; uniform mat4 model, sun; void main() { gl_Position = sun * model * vec4(point, 1.0); }`,
      `void main() {}`,
    ],
    floor: [
      `layout(location=0) in vec2 point; uniform mat4 view; uniform vec3 middle; uniform float extent; out vec3 p;
      void main() { p = middle + vec3(point * extent, 0.0); gl_Position = view * vec4(p, 1.0); }`,
      `${LIT}
      in vec3 p; out vec4 pixel;
      uniform vec3 middle, line, shade; uniform float extent, cell, depth;
      float grid(float s, float w) {
        vec2 d = fwidth(p.xy), g = abs(fract(p.xy / s - 0.5) - 0.5) * s;
        vec2 a = (1.0 - smoothstep(vec2(w * 0.5 - 0.5), vec2(w * 0.5 + 0.5), g / d)) * (1.0 - smoothstep(0.12, 0.5, d.x / s + d.y / s));
        return max(a.x, a.y);
      }
      void main() {
        float fade = 1.0 - smoothstep(0.12, 0.98, length(p.xy - middle.xy) / extent);
        fade *= fade;
        float dark = depth * (1.0 - lit(p)) * fade;
        float ink = max(grid(cell / 5.0, 1.0) * 0.11, grid(cell, 1.2) * 0.30) * fade;
        pixel = vec4(line * ink + shade * dark * (1.0 - ink), ink + dark * (1.0 - ink));
      }`,
    ],
    trace: [
      `layout(location=0) in vec3 point; layout(location=1) in vec3 next; layout(location=2) in vec2 mark;
      uniform mat4 view; uniform vec2 size; uniform float width; out float when;
      void main() {
        vec4 a = view * vec4(point, 1.0), b = view * vec4(next, 1.0);
        vec2 d = (b.xy / max(b.w, 1e-6) - a.xy / max(a.w, 1e-6)) * size;
        vec2 side = length(d) > 1e-6 ? normalize(vec2(-d.y, d.x)) : vec2(0.0);
        a.xy += side * mark.x * width / size * a.w; a.z -= 0.0004 * a.w; when = mark.y; gl_Position = a;
      }`,
      `in float when; out vec4 pixel; uniform vec3 color; uniform float now;
      void main() { float a = when <= now ? 0.95 : 0.24; pixel = vec4(color * a, a); }`,
    ],
  };

  function webgl() {
    const canvas = document.createElement("canvas");
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: true, powerPreference: "low-power" });
    if (!gl) return null;

    function program([vertex, fragment]) {
      const made = gl.createProgram();
      for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
        const shader = gl.createShader(type);
        gl.shaderSource(shader, HEAD + source);
        gl.compileShader(shader);
        gl.attachShader(made, shader);
      }
      gl.linkProgram(made);
      if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made) || "shader");
      const set = {};
      for (let i = 0; i < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); i++) {
        const { name, type } = gl.getActiveUniform(made, i), where = gl.getUniformLocation(made, name);
        set[name] = {
          [gl.FLOAT]: (v) => gl.uniform1f(where, v),
          [gl.FLOAT_VEC2]: (v) => gl.uniform2fv(where, v),
          [gl.FLOAT_VEC3]: (v) => gl.uniform3fv(where, v),
          [gl.FLOAT_MAT4]: (v) => gl.uniformMatrix4fv(where, false, v),
          [gl.SAMPLER_2D_SHADOW]: (v) => gl.uniform1i(where, v),
        }[type];
      }
      return (values) => {
        gl.useProgram(made);
        for (const [name, value] of Object.entries(values)) set[name]?.(value);
        return set;
      };
    }

    function arrays(...parts) {
      const made = gl.createVertexArray();
      gl.bindVertexArray(made);
      parts.forEach(([values, width], slot) => {
        gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
        gl.bufferData(gl.ARRAY_BUFFER, values instanceof Float32Array ? values : new Float32Array(values), gl.STATIC_DRAW);
        gl.enableVertexAttribArray(slot);
        gl.vertexAttribPointer(slot, width, gl.FLOAT, false, 0, 0);
      });
      return made;
    }

    let solid, depth, floor, trace, meshes, plane, map, target, ribbon = null;
    try {
      [solid, depth, floor, trace] = ["solid", "depth", "floor", "trace"].map((name) => program(SHADERS[name]));
      meshes = [...data.bodies, ...lines].map((body) => {
        const mesh = meshOf(body, 48, false), surface = surfaceOf(body), own = mesh.points.length, more = surface.points.length / 3;
        const joined = (list, others) => {
          const made = new Float32Array(3 * (own + more));
          made.set(list.flat());
          made.set(others, 3 * own);
          return made;
        };
        const vertices = arrays([joined(mesh.points, surface.points), 3], [joined(mesh.normals, surface.normals), 3], [joined(mesh.colors, surface.colors), 3]);
        const numbers = new Uint32Array(3 * mesh.triangles.length + more);
        numbers.set(mesh.triangles.flat());
        for (let i = 0; i < more; i++) numbers[3 * mesh.triangles.length + i] = own + i;
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
        gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
        return { vertices, length: numbers.length };
      });
      plane = arrays([[-1, -1, 1, -1, -1, 1, 1, 1], 2]);
      map = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, map);
      gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
      for (const [key, value] of [
        [gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
        [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
        [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL],
      ]) gl.texParameteri(gl.TEXTURE_2D, key, value);
      target = gl.createFramebuffer();
      gl.bindFramebuffer(gl.FRAMEBUFFER, target);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, map, 0);
    } catch {
      return null;
    }
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);

    /** The sun's orthographic view of what is visible, as tight as a sphere around it. */
    function sunView(poses, shown) {
      const seen = poses.slice(0, count).map((pose, k) => [pose, coarse[k].reach]).filter((_, k) => shown[k] && meshes[k].length);
      if (!seen.length) return { matrix: placed(turn(1, 0, 0, 0), [9, 9, 9]), size: 1 };
      const middle = scale(seen.reduce((sum, [pose]) => add(sum, pose.p), [0, 0, 0]), 1 / seen.length);
      const size = 1.05 * seen.reduce((far, [pose, reach]) => Math.max(far, Math.hypot(...sub(pose.p, middle)) + reach), 0);
      const right = unit(cross([0, 1, 0], SUN)), up = cross(SUN, right);
      const shrink = new Float32Array([1 / size, 0, 0, 0, 0, 1 / size, 0, 0, 0, 0, -1 / size, 0, 0, 0, 0, 1]);
      return { matrix: times(shrink, lookFrom(middle, right, up, SUN)), size };
    }

    function setTrace(path) {
      if (ribbon) gl.deleteVertexArray(ribbon.vertices);
      ribbon = null;
      if (!path) return;
      const points = [], nexts = [], marks = [];
      path.forEach((p, i) => {
        const next = i + 1 < path.length ? path[i + 1] : add(p, sub(p, path[Math.max(0, i - 1)]));
        for (const side of [-1, 1]) {
          points.push(...p);
          nexts.push(...next);
          marks.push(side, i * data.step);
        }
      });
      ribbon = { vertices: arrays([points, 3], [nexts, 3], [marks, 2]), length: 2 * path.length };
    }

    function draw({ poses, shown, lit, view, theme, color, now, around }) {
      const { matrix: sun, size } = sunView(poses, shown);
      const models = poses.map(({ R, p }) => placed(R, p));
      const each = (use) => meshes.forEach((mesh, k) => {
        if (!shown[k] || !mesh.length) return;
        use(k);
        gl.bindVertexArray(mesh.vertices);
        gl.drawElements(gl.TRIANGLES, mesh.length, gl.UNSIGNED_INT, 0);
      });

      gl.disable(gl.BLEND);
      gl.depthMask(true);
      gl.bindTexture(gl.TEXTURE_2D, null);
      gl.bindFramebuffer(gl.FRAMEBUFFER, target);
      gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(2, 4);
      let set = depth({ sun });
      each((k) => set.model(models[k]));
      gl.disable(gl.POLYGON_OFFSET_FILL);

      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.bindTexture(gl.TEXTURE_2D, map);
      const shared = { shadow: 0, sun, softness: 2.1 / SHADOW_SIZE, view: view.matrix };
      set = solid({
        ...shared, eye: view.eye, toSun: SUN, bias: (8 * size) / SHADOW_SIZE, ground, reach: 0.25 * around.reach, day: theme.day,
      });
      each((k) => {
        set.model(models[k]);
        set.glow(k === lit ? 1 : 0);
      });

      gl.enable(gl.BLEND);
      gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      gl.depthMask(false);
      floor({
        ...shared, middle: around.middle, extent: 6 * around.reach, cell: around.cell,
        line: theme.grid, shade: theme.shade, depth: theme.day ? 0.27 : 0.6,
      });
      gl.bindVertexArray(plane);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
      if (ribbon) {
        trace({ view: view.matrix, size: [canvas.width, canvas.height], width: 2.2 * (canvas.width / view.width), color, now: now - start });
        gl.bindVertexArray(ribbon.vertices);
        gl.drawArrays(gl.TRIANGLE_STRIP, 0, ribbon.length);
      }
      gl.bindVertexArray(null);
    }

    return { name: "webgl2", canvas, draw, setTrace };
  }

  // ---------------------------------------------------------------- renderer: painter

  function painter() {
    const canvas = document.createElement("canvas");
    const pen = canvas.getContext("2d");
    const meshes = [...data.bodies, ...lines].map((body) => meshOf(body, 16));
    let path = null;

    function draw({ poses, shown, lit, view, theme, color, now, around }) {
      const density = canvas.width / view.width;
      pen.setTransform(density, 0, 0, density, 0, 0);
      pen.clearRect(0, 0, view.width, view.height);
      const seen = (p) => {
        const d = sub(p, view.eye);
        return [dot(view.right, d), dot(view.up, d), -dot(view.back, d)];
      };
      const half = (view.f * view.height) / 2;
      const flat = ([x, y, z]) => [view.width / 2 + (half * x) / z, view.height / 2 - (half * y) / z];
      const ink = ([r, g, b], a) => `rgba(${Math.round(255 * r)},${Math.round(255 * g)},${Math.round(255 * b)},${a})`;
      const segment = (a, b) => {
        let p = seen(a), q = seen(b);
        if (p[2] < view.near && q[2] < view.near) return;
        if (p[2] < view.near) [p, q] = [q, p];
        if (q[2] < view.near) q = add(p, scale(sub(q, p), (p[2] - view.near) / (p[2] - q[2])));
        pen.moveTo(...flat(p));
        pen.lineTo(...flat(q));
      };

      const cells = 9, { cell, middle: below } = around, from = (c) => (Math.round(below[c] / cell) - cells) * cell;
      for (let i = 0; i <= 2 * cells; i++) {
        pen.beginPath();
        pen.strokeStyle = ink(theme.grid, 0.4 * (1 - Math.abs(i - cells) / (cells + 1)) ** 1.5);
        const x = from(0) + i * cell, y = from(1) + i * cell, width = 2 * cells * cell;
        segment([x, from(1), ground], [x, from(1) + width, ground]);
        segment([from(0), y, ground], [from(0) + width, y, ground]);
        pen.stroke();
      }

      const faces = [];
      const shadow = new Path2D();
      meshes.forEach((mesh, k) => {
        if (!shown[k]) return;
        const { R, p } = poses[k];
        const world = mesh.points.map((x) => add(apply(R, x), p));
        const eyed = world.map(seen);
        const cast = world.map((x) => flat(seen(sub(x, scale(SUN, (x[2] - ground) / SUN[2])))));
        mesh.triangles.forEach(([a, b, c]) => {
          if (Math.min(eyed[a][2], eyed[b][2], eyed[c][2]) < view.near) return;
          const area = (cast[b][0] - cast[a][0]) * (cast[c][1] - cast[a][1]) - (cast[b][1] - cast[a][1]) * (cast[c][0] - cast[a][0]);
          const order = area > 0 ? [a, b, c] : [a, c, b];
          order.forEach((i, n) => (n ? shadow.lineTo(...cast[i]) : shadow.moveTo(...cast[i])));
          shadow.closePath();
          const N = unit(apply(R, add(add(mesh.normals[a], mesh.normals[b]), mesh.normals[c])));
          const middle = scale(add(add(world[a], world[b]), world[c]), 1 / 3);
          if (dot(N, sub(view.eye, middle)) <= 0) return;
          const light = 0.5 + 0.16 * N[2] + 0.42 * Math.max(0, dot(N, SUN));
          const base = mesh.colors[a].map((x) => Math.min(1, x * light + 0.05 + (k === lit ? 0.2 : 0)));
          faces.push([Math.hypot(...sub(view.eye, middle)), [eyed[a], eyed[b], eyed[c]].map(flat), ink(base, 1)]);
        });
      });
      if (view.eye[2] > ground) {
        pen.fillStyle = ink(theme.shade, theme.day ? 0.16 : 0.45);
        pen.fill(shadow, "nonzero");
      }
      faces.sort((a, b) => b[0] - a[0]);
      pen.lineWidth = 0.7;
      for (const [, points, fill] of faces) {
        pen.beginPath();
        points.forEach((xy, n) => (n ? pen.lineTo(...xy) : pen.moveTo(...xy)));
        pen.closePath();
        pen.fillStyle = pen.strokeStyle = fill;
        pen.fill();
        pen.stroke();
      }
      if (path) {
        pen.lineWidth = 2;
        const split = Math.round((now - start) / (data.step || 1));
        for (const [first, last, alpha] of [[0, split, 0.95], [split, path.length - 1, 0.24]]) {
          pen.beginPath();
          pen.strokeStyle = ink(color, alpha);
          for (let i = first; i < last; i++) segment(path[i], path[i + 1]);
          pen.stroke();
        }
      }
    }

    return { name: "painter", canvas, draw, setTrace: (p) => (path = p) };
  }

  // ---------------------------------------------------------------- state and drawing

  const stage = $("stage");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const state = {
    time: start, playing: false, loop: true, speed: 1, follow: false,
    shown: data.bodies.map(() => true), lit: -1, traced: -1, theme: null, poses: posesAt(start),
  };
  let renderer = null, size = { width: 1, height: 1 }, waiting = false, lastTick = 0, slowness = 0.016, coarseness = 1;

  function readTheme() {
    const style = getComputedStyle(root), read = (name) => style.getPropertyValue(name).trim();
    state.theme = {
      day: Number(read("--light")), grid: rgb(read("--grid")), shade: rgb(read("--shade")),
      css: { ink: read("--ink"), quiet: read("--quiet"), hair: read("--hair"), accent: read("--accent"), paper: read("--paper") },
    };
  }

  /** A colour for thin lines: as given by day, a little lighter by night. */
  function vivid(hex) {
    if (state.theme.day) return hex;
    return "#" + rgb(hex).map((x) => Math.round(255 * (x + 0.32 * (1 - x))).toString(16).padStart(2, "0")).join("");
  }

  function mount(made) {
    renderer = made;
    const { canvas } = made;
    canvas.className = "view";
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${count} moving bodies; drag to orbit, plus and minus to zoom`);
    canvas.addEventListener("webglcontextlost", () => {
      canvas.remove();
      mount(painter());
      measure();
    });
    root.dataset.renderer = made.name;
    stage.prepend(canvas);
    listen(canvas);
    showTrace(state.traced);
  }

  function measure() {
    const box = stage.getBoundingClientRect();
    size = { width: Math.max(1, box.width), height: Math.max(1, box.height) };
    sharpen(1);
    if (!touched) Object.assign(camera, framed("home"));
    charts.forEach((chart) => chart.measure());
    // A new size wipes a canvas, so it is drawn again before the browser shows it.
    draw();
  }

  /** Give the view's canvas its share of the screen's own resolution. */
  function sharpen(share) {
    const { canvas } = renderer, density = share * Math.min(devicePixelRatio || 1, 2);
    const width = Math.round(size.width * density), height = Math.round(size.height * density);
    if (canvas.width === width && canvas.height === height) return;
    canvas.width = width;
    canvas.height = height;
  }

  function ask() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(tick);
  }

  function tick(ms) {
    waiting = false;
    const lasted = lastTick ? (ms - lastTick) / 1000 : 0, passed = Math.min(0.1, lasted);
    const moving = state.playing || camera.flight;
    lastTick = moving ? ms : 0;
    // Where drawing is slow a moving picture is coarser; one at rest is always sharp.
    if (lasted > 0 && lasted < 1) slowness += 0.15 * (lasted - slowness);
    if (slowness > 0.045 && coarseness > 0.5) [coarseness, slowness] = [coarseness - 0.25, 0.03];
    sharpen(moving ? coarseness : 1);
    if (state.playing) {
      state.time += passed * state.speed;
      if (state.time > start + duration) {
        if (state.loop) state.time = start + ((state.time - start) % (duration || 1));
        else {
          state.time = start + duration;
          play(false);
        }
      }
    }
    fly(passed);
    draw();
    if (state.playing || camera.flight) ask();
  }

  function draw() {
    const poses = posesAt(state.time);
    if (state.follow) camera.target = add(camera.target, sub(middleOf(poses), middleOf(state.poses)));
    state.poses = poses;
    const view = eyes(size.width, size.height);
    const color = rgb(vivid(data.bodies[state.traced]?.color || "#000000"));
    const held = data.lines.map(({ ends }) => ends.every(({ body }) => state.shown[body]));
    const shown = [...state.shown, ...held, ...movingAt(state.time).map(([a]) => !Number.isNaN(a[0]))];
    renderer.draw({ ...state, poses: [...poses, ...linesAt(poses, state.time)], shown, view, color, now: state.time, around: setting() });
    drawAxes(view);
    showClock();
    charts.forEach((chart) => chart.draw());
  }

  /** The scene's own axes in the corner, as the camera sees them. */
  function drawAxes(view) {
    const canvas = $("axes"), density = Math.min(devicePixelRatio || 1, 2);
    canvas.width = canvas.height = 72 * density;
    const pen = canvas.getContext("2d");
    pen.scale(density, density);
    pen.font = `600 11px ${getComputedStyle(document.body).fontFamily}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineWidth = 2;
    pen.lineCap = "round";
    const colors = state.theme.day ? AXIS_COLORS : ["#ff7a5c", "#3ccbb9", "#4fb3ee"];
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
      .map((axis, i) => {
        const d = apply(upright, axis);
        return [dot(view.back, d), dot(view.right, d), dot(view.up, d), "xyz"[i], colors[i]];
      })
      .sort((a, b) => a[0] - b[0])
      .forEach(([depth, x, y, letter, color]) => {
        pen.globalAlpha = depth < -0.15 ? 0.55 : 1;
        pen.strokeStyle = pen.fillStyle = color;
        pen.beginPath();
        pen.moveTo(36, 36);
        pen.lineTo(36 + 21 * x, 36 - 21 * y);
        pen.stroke();
        if (Math.hypot(x, y) > 0.2) pen.fillText(letter, 36 + 29 * x, 36 - 29 * y);
      });
  }

  function fly(passed) {
    const { flight } = camera;
    if (!flight) return;
    flight.share = Math.min(1, flight.share + (passed || 0.016) / 0.35);
    const s = flight.share * flight.share * (3 - 2 * flight.share), mix = (a, b) => a + (b - a) * s;
    for (const key of ["azimuth", "elevation", "distance"]) camera[key] = mix(flight.from[key], flight.to[key]);
    camera.target = flight.from.target.map((x, i) => mix(x, flight.to.target[i]));
    if (flight.share === 1) camera.flight = null;
  }

  /** The camera for a named view: of the whole motion, or of what is followed. */
  function framed(name) {
    const [azimuth, elevation] = VIEWS[name], aspect = size.width / size.height;
    if (!state.follow) return fitted(azimuth, elevation, aspect);
    return { azimuth, elevation, target: middleOf(state.poses), distance: gathered / Math.sin(FIELD / 2) / Math.min(1, aspect) };
  }

  function setFollow(on) {
    state.follow = on;
    $("follow").setAttribute("aria-pressed", on);
    const { cell } = setting();
    $("scale").textContent = `Grid ${cell < 0.001 || cell >= 1e5 ? figure(cell) : Number(cell.toPrecision(1))} m`;
    lookFromSide("home");
  }

  function lookFromSide(name) {
    const to = framed(name);
    touched = name !== "home";
    // Take the short way round.
    const from = { ...camera, azimuth: camera.azimuth - 2 * Math.PI * Math.round((camera.azimuth - to.azimuth) / (2 * Math.PI)) };
    if (still.matches || state.follow) Object.assign(camera, to, { flight: null });
    else camera.flight = { from, to, share: 0 };
    ask();
  }

  // ---------------------------------------------------------------- pointing

  /** The nearest visible body under a point of the view, or -1. */
  function bodyAt(x, y) {
    const view = eyes(size.width, size.height), half = (view.f * size.height) / 2;
    const ray = unit(add(add(scale(view.right, (x - size.width / 2) / half), scale(view.up, (size.height / 2 - y) / half)), scale(view.back, -1)));
    let found = -1, nearest = Infinity;
    coarse.forEach((mesh, k) => {
      if (!state.shown[k]) return;
      const { R, p } = state.poses[k];
      const o = applyBack(R, sub(view.eye, p)), d = applyBack(R, ray);
      const along = -dot(o, d);
      if (Math.hypot(...add(o, scale(d, along))) > mesh.reach) return;
      for (const [a, b, c] of mesh.triangles) {
        const e = sub(mesh.points[b], mesh.points[a]), f = sub(mesh.points[c], mesh.points[a]);
        const h = cross(d, f), det = dot(e, h);
        if (Math.abs(det) < 1e-14) continue;
        const s = sub(o, mesh.points[a]), u = dot(s, h) / det;
        if (u < 0 || u > 1) continue;
        const g = cross(s, e), v = dot(d, g) / det, t = dot(f, g) / det;
        if (v < 0 || u + v > 1 || t <= 0 || t >= nearest) continue;
        nearest = t;
        found = k;
      }
    });
    return found;
  }

  function light(k) {
    if (state.lit === k) return;
    state.lit = k;
    [...$("bodies").children].forEach((row, i) => row.classList.toggle("lit", i === k));
    ask();
  }

  function listen(canvas) {
    const fingers = new Map();
    let travelled = 0;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const orbit = (dx, dy) => {
      camera.azimuth -= dx * 0.0075;
      camera.elevation = clamp(camera.elevation + dy * 0.0075, -HALF, HALF);
    };
    const pan = (dx, dy) => {
      const { right, up } = basis(camera), step = (2 * camera.distance * Math.tan(FIELD / 2)) / size.height;
      camera.target = add(camera.target, add(scale(right, -dx * step), scale(up, dy * step)));
    };
    const zoom = (factor) => (camera.distance = clamp(camera.distance * factor, 0.02 * radius, 60 * radius));
    const moved = () => {
      touched = true;
      camera.flight = null;
      ask();
    };

    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, place(event));
      travelled = 0;
      $("tip").hidden = true;
    });
    canvas.addEventListener("pointermove", (event) => {
      const now = place(event), before = fingers.get(event.pointerId);
      if (!before) {
        const k = event.pointerType === "touch" ? -1 : bodyAt(...now);
        light(k);
        $("tip").hidden = k < 0;
        if (k >= 0) {
          $("tip").textContent = data.bodies[k].name;
          $("tip").style.transform = `translate(${Math.min(now[0] + 14, size.width - 120)}px, ${now[1] + 14}px)`;
        }
        return;
      }
      const dx = now[0] - before[0], dy = now[1] - before[1];
      travelled += Math.abs(dx) + Math.abs(dy);
      if (fingers.size >= 2) {
        const [, other] = [...fingers].find(([id]) => id !== event.pointerId);
        const gap = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
        zoom(gap(before) / gap(now));
        pan(dx / 2, dy / 2);
      } else if (event.shiftKey || event.buttons & 6) pan(dx, dy);
      else orbit(dx, dy);
      fingers.set(event.pointerId, now);
      moved();
    });
    const lift = (event) => {
      if (!fingers.delete(event.pointerId) || event.type !== "pointerup" || travelled > 4 || fingers.size) return;
      const k = bodyAt(...place(event));
      if (k >= 0) showTrace(k === state.traced ? -1 : k);
    };
    canvas.addEventListener("pointerup", lift);
    canvas.addEventListener("pointercancel", lift);
    canvas.addEventListener("pointerleave", () => {
      light(-1);
      $("tip").hidden = true;
    });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("dblclick", () => lookFromSide("home"));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoom(Math.exp(clamp(event.deltaY * (event.deltaMode ? 18 : 1), -240, 240) * 0.0016));
      moved();
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      if (event.key !== "+" && event.key !== "=" && event.key !== "-") return;
      zoom(event.key === "-" ? 1.15 : 1 / 1.15);
      moved();
    });
  }

  // ---------------------------------------------------------------- the list of bodies

  function element(tag, properties = {}, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  function listBodies() {
    data.bodies.forEach((body, k) => {
      const box = element("input", { type: "checkbox", checked: true });
      box.addEventListener("change", () => {
        state.shown[k] = box.checked;
        ask();
      });
      const button = element("button", { type: "button", textContent: "trace", title: "Draw the path of this body" });
      button.setAttribute("aria-label", `Trace ${body.name}`);
      button.addEventListener("click", () => showTrace(state.traced === k ? -1 : k));
      const row = element("li", {}, element("label", { title: body.name }, box, element("span", { textContent: body.name })), button);
      row.style.setProperty("--swatch", body.color);
      for (const [type, lit] of [["pointerenter", k], ["pointerleave", -1], ["focusin", k], ["focusout", -1]])
        row.addEventListener(type, () => light(lit));
      $("bodies").append(row);
    });
  }

  function pathOf(k) {
    const path = [], tracer = data.bodies[k].tracer;
    for (let i = 0; i < frames; i++) {
      const at = 4 * (i * count + k), from = 3 * (i * count + k);
      const p = add(positions.subarray(from, from + 3), apply(turn(...quaternions.subarray(at, at + 4)), tracer));
      path.push(apply(upright, p));
    }
    return path;
  }

  function showTrace(k) {
    state.traced = k;
    renderer.setTrace(k >= 0 ? pathOf(k) : null);
    [...$("bodies").children].forEach((row, i) => row.querySelector("button").setAttribute("aria-pressed", i === k));
    ask();
  }

  /** The last body whose traced point travels; there is nothing to see in the path of one that stays. */
  function traveller() {
    for (let k = count - 1; k >= 0; k--) {
      const path = pathOf(k);
      if (path.some((p) => Math.hypot(...sub(p, path[0])) > 0.05 * radius)) return k;
    }
    return -1;
  }

  // ---------------------------------------------------------------- numbers

  const minus = (text) => text.replace("-", "\u2212");
  function figure(x) {
    if (!Number.isFinite(x)) return "\u2013";
    const size = Math.abs(x);
    if (size === 0) return "0";
    if (size >= 1e5 || size < 1e-3) return minus(x.toExponential(2).replace("e+", "e").replace("e-", "e\u2212"));
    return minus(x.toFixed(clamp(3 - Math.floor(Math.log10(size)), 0, 4)));
  }
  const decimals = duration > 0 ? clamp(Math.ceil(3 - Math.log10(duration)), 1, 7) : 2;
  const seconds = (t) => minus(t.toFixed(decimals));

  function ticks(low, high, most) {
    const step = nice((high - low) / most), digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const list = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++)
      list.push([i * step, step >= 1e6 || step < 1e-5 ? figure(i * step) : minus((i * step + 0).toFixed(digits)).replace(/^\u2212(0(\.0+)?)$/, "$1")]);
    return list;
  }

  // ---------------------------------------------------------------- strip charts

  const GUTTER = 58;
  const charts = [];

  /** One strip for each unit: lines on the left, names and values at the cursor on the right. */
  function strip(members, last) {
    const canvas = element("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${members.map((m) => m.name).join(", ")} over time`);
    const pen = canvas.getContext("2d"), backdrop = document.createElement("canvas");
    const list = element("dl");
    const figures = members.map((m) => {
      const value = element("dd");
      list.append(element("div", {}, element("dt", { textContent: m.name, title: m.name }), value));
      return value;
    });
    const extent = (pick, seed) => members.reduce((best, m) => m.values.reduce((b, v) => (Number.isNaN(v) ? b : pick(b, m.base + v)), best), seed);
    let bottom = extent(Math.min, Infinity), top = extent(Math.max, -Infinity);
    if (!(bottom <= top)) [bottom, top] = [-1, 1];
    const largest = Math.max(Math.abs(bottom), Math.abs(top));
    // A quantity that keeps to four figures is drawn as the level line it is, and its small change is told.
    if (top - bottom <= 1e-4 * largest || largest === 0) {
      if (members.length === 1 && largest > 0) {
        const change = members[0].values.reduce(([a, b], v) => (Number.isNaN(v) ? [a, b] : [Math.min(a, v), Math.max(b, v)]), [0, 0]);
        list.append(element("p", { className: "flat", textContent: change[1] > change[0] ? `varies by ${figure(change[1] - change[0])} ${members[0].unit}` : "constant" }));
      }
      const room = largest > 0 ? 0.05 * largest : 1;
      [bottom, top] = [bottom - room, top + room];
    } else {
      const room = 0.06 * (top - bottom);
      [bottom, top] = [bottom - room, top + room];
    }
    const box = element("div", { className: "strip" }, canvas, list);
    $("charts").append(box);

    let width = 1, height = 1, density = 1;
    const foot = last ? 24 : 8, head = 10, span = duration || 1;
    const X = (t) => GUTTER + ((t - start) / span) * (width - GUTTER - 10);
    const Y = (v) => head + ((top - v) / (top - bottom)) * (height - head - foot);
    const timeAt = (x) => start + clamp((x - GUTTER) / (width - GUTTER - 10), 0, 1) * duration;

    function prepare() {
      const { css } = state.theme;
      members.forEach((m, i) => list.children[i].style.setProperty("--swatch", vivid(m.color)));
      backdrop.width = canvas.width;
      backdrop.height = canvas.height;
      const b = backdrop.getContext("2d");
      b.scale(density, density);
      b.font = `11px ${getComputedStyle(document.body).fontFamily}`;
      b.lineWidth = 1;
      b.fillStyle = css.quiet;
      b.strokeStyle = css.hair;
      b.textAlign = "right";
      b.textBaseline = "middle";
      for (const [v, text] of ticks(bottom, top, Math.max(3, Math.floor(height / 30)))) {
        const y = Math.round(Y(v)) + 0.5;
        b.beginPath();
        b.moveTo(GUTTER, y);
        b.lineTo(width - 10, y);
        b.stroke();
        b.fillText(text, GUTTER - 8, y);
      }
      b.textAlign = "center";
      for (const [t, text] of ticks(start, start + span, Math.max(2, Math.floor(width / 110)))) {
        const x = Math.round(X(t)) + 0.5;
        b.beginPath();
        b.moveTo(x, head);
        b.lineTo(x, height - foot);
        b.stroke();
        if (last) b.fillText(text, x, height - 10);
      }
      b.textAlign = "left";
      if (members[0].unit) b.fillText(members[0].unit, 0, head + 3);
      if (last) b.fillText("time, s", 0, height - 10);
      members.forEach((m) => {
        b.strokeStyle = vivid(m.color);
        b.lineWidth = 1.6;
        b.lineJoin = "round";
        b.beginPath();
        let down = false;
        m.values.forEach((v, i) => {
          if (Number.isNaN(v)) down = false;
          else {
            b[down ? "lineTo" : "moveTo"](X(start + i * data.step), Y(m.base + v));
            down = true;
          }
        });
        b.stroke();
      });
    }

    const chart = {
      measure() {
        density = Math.min(devicePixelRatio || 1, 2);
        height = Math.max(members.length * 18 + 16, 78) + (last ? 16 : 0);
        canvas.style.height = `${height}px`;
        width = Math.max(120, canvas.clientWidth);
        canvas.width = Math.round(width * density);
        canvas.height = Math.round(height * density);
        prepare();
      },
      draw() {
        const { css } = state.theme, x = X(state.time);
        pen.setTransform(1, 0, 0, 1, 0, 0);
        pen.clearRect(0, 0, canvas.width, canvas.height);
        pen.drawImage(backdrop, 0, 0);
        pen.setTransform(density, 0, 0, density, 0, 0);
        pen.strokeStyle = css.ink;
        pen.lineWidth = 1;
        pen.beginPath();
        pen.moveTo(x, head - 4);
        pen.lineTo(x, height - foot);
        pen.stroke();
        const at = duration > 0 ? clamp((state.time - start) / data.step, 0, frames - 1) : 0;
        const i = Math.floor(at), j = Math.min(i + 1, frames - 1);
        members.forEach((m, n) => {
          const value = m.base + (j > i ? m.values[i] * (i + 1 - at) + m.values[j] * (at - i) : m.values[i]);
          figures[n].textContent = `${figure(value)}${m.unit ? ` ${m.unit}` : ""}`;
          if (Number.isNaN(value)) return;
          pen.beginPath();
          pen.arc(x, Y(value), 3.6, 0, 2 * Math.PI);
          pen.fillStyle = vivid(m.color);
          pen.strokeStyle = css.paper;
          pen.lineWidth = 1.6;
          pen.fill();
          pen.stroke();
        });
      },
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      seek(timeAt(event.offsetX));
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) seek(timeAt(event.offsetX));
    });
    charts.push(chart);
  }

  function listCharts() {
    const groups = new Map();
    channels.forEach((c) => groups.set(c.unit, [...(groups.get(c.unit) || []), c]));
    const all = [...groups.values()];
    // Colours start afresh in each strip, so that neighbours within one differ the most.
    all.forEach((members) => members.forEach((m, i) => (m.color = data.palette[i % data.palette.length])));
    all.forEach((members, i) => strip(members, i === all.length - 1));
  }

  // ---------------------------------------------------------------- the clock and its controls

  function showClock() {
    const scrub = $("scrub");
    $("now").textContent = seconds(state.time);
    scrub.value = state.time;
    scrub.style.setProperty("--part", `${duration > 0 ? (100 * (state.time - start)) / duration : 0}%`);
    if (!state.playing) scrub.setAttribute("aria-valuetext", `${seconds(state.time)} seconds`);
  }

  function play(on) {
    state.playing = on && duration > 0;
    if (state.playing && state.time >= start + duration) state.time = start;
    root.classList.toggle("playing", state.playing);
    $("play").setAttribute("aria-label", state.playing ? "Pause" : "Play");
    lastTick = 0;
    ask();
  }

  function seek(time) {
    state.time = clamp(time, start, start + duration);
    ask();
  }

  function setLoop(on) {
    state.loop = on;
    $("loop").setAttribute("aria-pressed", on);
  }

  /** `#t=2.5` in the address shows that moment and holds it. */
  function readAddress() {
    const found = /(?:^#|[#&])t=(-?[0-9.]+(?:e-?[0-9]+)?)/i.exec(location.hash);
    if (!found || Number.isNaN(Number(found[1]))) return false;
    play(false);
    seek(Number(found[1]));
    return true;
  }

  function listenToControls() {
    const scrub = $("scrub"), speed = $("speed");
    $("transport").hidden = duration === 0;
    scrub.min = start;
    scrub.max = start + duration;
    scrub.addEventListener("input", () => seek(Number(scrub.value)));
    $("end").textContent = ` / ${seconds(start + duration)} s`;

    const paces = [0.1, 0.25, 0.5, 1, 2, 4];
    for (let slow = 0.01; duration > 0 && duration / slow < 200 && duration < 0.5; slow /= 10) paces.unshift(slow);
    for (let fast = 10; duration / fast > 5; fast *= 10) paces.push(fast);
    // A motion too short or too long to watch starts at a pace that lasts some seconds.
    state.speed = duration > 0.5 && duration < 300 ? 1 : paces.find((p) => duration / p < 30) ?? 1;
    paces.forEach((p) => speed.append(element("option", { value: p, textContent: `${p}\u00d7`, selected: p === state.speed })));
    speed.addEventListener("change", () => (state.speed = Number(speed.value)));

    $("play").addEventListener("click", () => play(!state.playing));
    $("loop").addEventListener("click", () => setLoop(!state.loop));
    $("follow").addEventListener("click", () => setFollow(!state.follow));
    $("views").addEventListener("click", (event) => {
      if (event.target.dataset.view) lookFromSide(event.target.dataset.view);
    });
    addEventListener("hashchange", readAddress);
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const { target } = event, step = (data.step || 0) * (event.shiftKey ? 10 : 1);
      if (target.tagName === "SELECT") return;
      const ownsSpace = target.tagName === "BUTTON" || target.type === "checkbox";
      const doing = {
        " ": ownsSpace ? null : () => play(!state.playing),
        ArrowLeft: () => (play(false), seek(state.time - step)),
        ArrowRight: () => (play(false), seek(state.time + step)),
        Home: () => seek(start),
        End: () => seek(start + duration),
        l: () => setLoop(!state.loop),
        r: () => lookFromSide("home"),
      }[event.key];
      if (!doing) return;
      event.preventDefault();
      doing();
    });
    dark.addEventListener("change", () => {
      readTheme();
      measure();
    });
  }

  // ---------------------------------------------------------------- begin

  readTheme();
  listBodies();
  listCharts();
  listenToControls();
  mount(webgl() || painter());
  showTrace(traveller());
  $("follow").hidden = !travels;
  setFollow(travels && radius > 8 * gathered);
  Object.assign(camera, framed("home"), { flight: null });
  new ResizeObserver(measure).observe(stage);
  measure();
  if (!readAddress()) play(!still.matches);
  root.dataset.state = "ready";
})();
