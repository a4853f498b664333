// Solids as triangles: points, normals, and which points make a triangle.

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
  /** A rectangle that is seen from above alone. */
  patch([a, b]) {
    const points = [[-a, -b], [a, -b], [a, b], [-a, b]].map(([x, y]) => [x / 2, y / 2, 0]);
    return { points, normals: points.map(() => [0, 0, 0.25]), triangles: [[0, 1, 2], [0, 2, 3]] };
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
