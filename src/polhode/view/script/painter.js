// The renderer for browsers without WebGL: triangles painted from far to near.

function painter() {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d");
  const meshes = [...data.bodies, ...lines].map((body) => meshOf(body, 16));
  let traces = [];

  function draw({ poses, shown, lit, view, theme, now, around }) {
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
    for (let i = 0; data.floor && i <= 2 * cells; i++) {
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
        const order = area > 0 ? [a, b, c] : [a, c, b], isPatch = dot(mesh.normals[a], mesh.normals[a]) < 0.1;
        if (data.floor && !isFaint(k) && !isPatch) {
          order.forEach((i, n) => (n ? shadow.lineTo(...cast[i]) : shadow.moveTo(...cast[i])));
          shadow.closePath();
        }
        const N = unit(apply(R, add(add(mesh.normals[a], mesh.normals[b]), mesh.normals[c])));
        const middle = scale(add(add(world[a], world[b]), world[c]), 1 / 3);
        if (dot(N, sub(view.eye, middle)) <= 0) return;
        const light = 0.5 + 0.16 * N[2] + 0.42 * Math.max(0, dot(N, SUN));
        const base = mesh.colors[a].map((x) => Math.min(1, x * light + 0.05 + (k === lit ? 0.2 : 0)));
        // What is seen of a patch from in front is behind all that touches it.
        faces.push([isPatch ? Infinity : Math.hypot(...sub(view.eye, middle)), [eyed[a], eyed[b], eyed[c]].map(flat), ink(base, isFaint(k) ? 0.22 : 1)]);
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
    const split = Math.round((now - start) / (data.step || 1));
    for (const { path, color, pale } of traces) {
      pen.lineWidth = pale ? 1.3 : 2;
      for (const [first, last, alpha] of [[0, split, 0.95], [split, path.length - 1, 0.24]]) {
        pen.beginPath();
        pen.strokeStyle = ink(rgb(vivid(color)), pale ? alpha / 2 : alpha);
        for (let i = first; i < last; i++) segment(path[i], path[i + 1]);
        pen.stroke();
      }
    }
  }

  return { name: "painter", canvas, draw, setTraces: (given) => (traces = given), finest: 1 };
}
