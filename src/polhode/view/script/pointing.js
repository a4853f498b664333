// Pointing at bodies, and moving the camera by hand.

let coarse = null;

/** The nearest visible body under a point of the view, or -1. */
function bodyAt(x, y) {
  const view = eyes(size.width, size.height), half = (view.f * size.height) / 2;
  const ray = unit(add(add(scale(view.right, (x - size.width / 2) / half), scale(view.up, (size.height / 2 - y) / half)), scale(view.back, -1)));
  let found = -1, nearest = Infinity;
  // Few triangles are enough to point at; they are worked out when something is first pointed at.
  coarse ??= data.bodies.map((body) => meshOf(body, 12));
  coarse.forEach((mesh, k) => {
    if (!state.shown[k] || isGhost(k)) return;
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
    if (k < 0) return;
    if ($("equations").hidden) toggleTrace(k);
    else showEquations(k);
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
