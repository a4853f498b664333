// Meshes of files, and all that is fixed to a body as one mesh.

// Two neighbouring triangles of a mesh that meet at less than this angle look like one smooth surface.
const CREASE = Math.cos(0.6);
// Two normals of a point that agree this well are one.
const ALIKE = 0.9999;
// Many robots are white, which leaves no room for light: they are a little darker, so that their form is seen.
const WHITEST = 0.88;

/** The vertices of a piece: each of its points once for every smooth surface that meets there, and triangles of them. */
function verticesOf({ low, step }, piece) {
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
  const [points, normals, colors] = [0, 1, 2].map(() => new Float32Array(3 * numbers.length));
  const shades = piece.shades && new Uint8Array(bytes(piece.shades));
  const triangles = new Uint32Array(numbers.length);
  // The vertices of each point, as a chain.
  const newest = new Int32Array(count).fill(-1), older = new Int32Array(numbers.length);
  let made = 0;
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
    const length = Math.sqrt(x * x + y * y + z * z) || 1;
    x /= length;
    y /= length;
    z /= length;
    let v = newest[n];
    while (v >= 0 && x * normals[3 * v] + y * normals[3 * v + 1] + z * normals[3 * v + 2] < ALIKE) v = older[v];
    if (v < 0) {
      v = made++;
      older[v] = newest[n];
      newest[n] = v;
      for (let c = 0; c < 3; c++) points[3 * v + c] = at[3 * n + c];
      normals[3 * v] = x;
      normals[3 * v + 1] = y;
      normals[3 * v + 2] = z;
      for (let c = 0; shades && c < 3; c++) colors[3 * v + c] = (WHITEST * shades[3 * n + c]) / 255;
    }
    triangles[i] = v;
  }
  const filled = (list) => list.subarray(0, 3 * made);
  return { points: filled(points), normals: filled(normals), colors: shades ? filled(colors) : [], triangles, color: piece.color };
}

const levels = data.meshes.map((mesh) => ({ mesh }));
/** The pieces of a mesh as vertices, worked out when they are first needed. */
function piecesOf(number, level) {
  const held = levels[number];
  held[level] ??= held.mesh[level].pieces.map((piece) => verticesOf(held.mesh[level], piece));
  return held[level];
}

/** A mesh where it sits in its body: turn, scale and shift of points, turn of normals, and whether it is mirrored. */
function seat(shape) {
  const R = turn(...shape.rotation), s = shape.size;
  return { S: R.map((x, i) => x * s[i % 3]), N: R.map((x, i) => x / s[i % 3]), p: shape.position, mirrored: s[0] * s[1] * s[2] < 0 };
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
      const { S, N, p, mirrored } = seat(shape);
      for (const { points, normals, colors, triangles, color } of piecesOf(shape.mesh, "coarse")) {
        const first = mesh.points.length, own = scale(rgb(color || shape.color), WHITEST);
        for (let i = 0; i < points.length; i += 3) {
          mesh.points.push(add(apply(S, points.subarray(i, i + 3)), p));
          mesh.normals.push(unit(apply(N, normals.subarray(i, i + 3))));
          mesh.colors.push(colors.length ? [...colors.subarray(i, i + 3)] : own);
        }
        for (let i = 0; i < triangles.length; i += 3) {
          const [a, b, c] = triangles.subarray(i, i + 3);
          mesh.triangles.push(mirrored ? [first + a, first + c, first + b] : [first + a, first + b, first + c]);
        }
      }
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
