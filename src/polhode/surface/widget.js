// Sliders beside a motion. A slider that is released sends its value; Python runs the mechanism and sends the page.

const TITLES = { parameters: "Parameters", inputs: "Inputs", start: "Start" };

function written(slider, value) {
  return `${Number(value).toPrecision(4)} ${slider.unit}`.trim();
}

function row(slider, value, release) {
  const label = document.createElement("label");
  const name = document.createElement("span");
  name.textContent = slider.name;
  const range = document.createElement("input");
  Object.assign(range, { type: "range", min: slider.low, max: slider.high, step: "any", value });
  range.setAttribute("aria-label", slider.name);
  const shown = document.createElement("output");
  shown.textContent = written(slider, value);
  range.addEventListener("input", () => (shown.textContent = written(slider, range.value)));
  range.addEventListener("change", release);
  label.append(name, range, shown);
  return { label, range, shown };
}

function render({ model, el }) {
  const box = document.createElement("div");
  box.className = "polhode";
  const form = document.createElement("form");
  form.addEventListener("submit", (event) => event.preventDefault());
  const sliders = model.get("sliders");
  const rows = [];
  const send = () => {
    model.set("values", rows.map(({ range }) => Number(range.value)));
    model.save_changes();
  };
  for (const group of Object.keys(TITLES)) {
    if (!sliders.some((slider) => slider.group === group)) continue;
    const fieldset = document.createElement("fieldset");
    const legend = document.createElement("legend");
    legend.textContent = TITLES[group];
    fieldset.append(legend);
    sliders.forEach((slider, place) => {
      if (slider.group !== group) return;
      rows[place] = row(slider, model.get("values")[place], send);
      fieldset.append(rows[place].label);
    });
    form.append(fieldset);
  }
  const reset = document.createElement("button");
  reset.type = "button";
  reset.textContent = "Reset";
  reset.addEventListener("click", () => {
    sliders.forEach((slider, place) => (rows[place].range.value = slider.value));
    send();
    follow();
  });
  const told = document.createElement("p");
  told.setAttribute("role", "status");
  form.append(reset, told);
  const motion = document.createElement("div");
  motion.className = "motion";
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.title = "the mechanism in motion";
  motion.append(frame);
  box.append(form, motion);
  el.append(box);

  const follow = () =>
    model.get("values").forEach((value, place) => {
      rows[place].range.value = value;
      rows[place].shown.textContent = written(sliders[place], value);
    });
  const tell = () => {
    told.textContent = model.get("told");
    told.className = model.get("failed") ? "failed" : "";
  };
  const draw = () => (frame.srcdoc = model.get("page"));
  model.on("change:values", follow);
  model.on("change:told", tell);
  model.on("change:failed", tell);
  model.on("change:page", draw);
  tell();
  draw();
  return () => {
    model.off("change:values", follow);
    model.off("change:told", tell);
    model.off("change:failed", tell);
    model.off("change:page", draw);
  };
}

export default { render };
