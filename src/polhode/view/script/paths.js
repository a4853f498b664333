// The paths that points of bodies take.

function toggleTrace(k) {
  state.traced[state.traced.has(k) ? "delete" : "add"](k);
  showTraces();
}

/** Draw the chosen paths; that of a body also as other runs have it. */
function showTraces() {
  const twins = (k) => data.bodies.map((_, n) => n).filter((n) => k < count && isGhost(n) && data.bodies[n].name === data.bodies[k].name);
  renderer.setTraces([...state.traced].flatMap((k) => [
    ...twins(k).map((n) => ({ path: pathOf(tracers[n]), color: tracers[k].color, pale: true })),
    { path: pathOf(tracers[k]), color: tracers[k].color, pale: false },
  ]));
  [...$("bodies").children].forEach((made, k) => made.querySelector("button:last-of-type").setAttribute("aria-pressed", state.traced.has(k)));
  ask();
}

/** The paths that were asked for; else that of the last body whose traced point travels. */
function firstTraces() {
  if (data.traces.length) return data.traces.map((_, i) => count + i);
  for (let k = count - 1; k >= 0; k--) {
    const path = isGhost(k) ? [] : pathOf(tracers[k]);
    if (path.some((p) => Math.hypot(...sub(p, path[0])) > 0.05 * radius)) return [k];
  }
  return [];
}
