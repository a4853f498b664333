// Strip charts of channels over time.

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
