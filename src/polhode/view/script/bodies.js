// The lists at the side: bodies, other runs, arrows and axes, paths.

/** A row of a list: a box that shows or hides, a name (as text, which may be shorter), and buttons. */
function row(list, name, color, shown, change, buttons = [], text = name) {
  const box = element("input", { type: "checkbox", checked: shown });
  box.addEventListener("change", () => {
    change(box.checked);
    ask();
  });
  const made = element("li", {}, element("label", { title: name }, box, element("span", { textContent: text })), ...buttons);
  made.style.setProperty("--swatch", color);
  $(list).append(made);
  $(list).hidden = false;
  $(`${list}-title`).hidden = false;
  return made;
}

function listBodies() {
  const short = shortNames(data.bodies.filter((body) => body.ghost < 0 && body.listed).map((body) => body.name));
  data.bodies.forEach((body, k) => {
    if (body.ghost >= 0 || !body.listed) return;
    const trace = element("button", { type: "button", textContent: "trace", title: "Draw the path of this body" });
    trace.setAttribute("aria-label", `Trace ${body.name}`);
    trace.addEventListener("click", () => toggleTrace(k));
    const buttons = [trace];
    if (sheetOf(k)) {
      const formulas = element("button", { type: "button", textContent: "\u0192", title: "Show the equations of this body and its joint" });
      formulas.setAttribute("aria-label", `Equations of ${body.name}`);
      formulas.addEventListener("click", () => showEquations(formulas.getAttribute("aria-pressed") === "true" ? -1 : k));
      formulas.setAttribute("aria-pressed", false);
      buttons.unshift(formulas);
    }
    const made = row("bodies", body.name, body.color, true, (on) => (state.shown[k] = on), buttons, short(body.name));
    for (const [type, lit] of [["pointerenter", k], ["pointerleave", -1], ["focusin", k], ["focusout", -1]])
      made.addEventListener(type, () => light(lit));
  });
  data.ghosts.forEach((name, g) => row("ghosts", name, "#7a8088", true, (on) => {
    data.bodies.forEach((body, k) => body.ghost === g && (state.shown[k] = on));
    channels.forEach((channel) => channel.hiddenBeside[on ? "delete" : "add"](g));
    charts.forEach((chart) => chart.prepare());
  }));
  for (const name of new Set(data.moving.map((line) => line.name).filter(Boolean))) {
    const { color, told } = data.moving.find((line) => line.name === name);
    const made = row("arrows", name, color, true, (on) => data.moving.forEach((line, i) => line.name === name && (state.acting[i] = on)));
    if (told) made.append(element("small", { textContent: told }));
  }
  data.traces.forEach((trace, i) => row("paths", trace.name, tracers[count + i].color, true, (on) => {
    state.traced[on ? "add" : "delete"](count + i);
    showTraces();
  }));
}
