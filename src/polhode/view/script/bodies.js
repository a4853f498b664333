// The list of bodies, and the paths of their points.

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
