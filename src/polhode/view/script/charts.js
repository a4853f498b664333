// Strip charts of channels over time: which lines are shown, and which times.

const GUTTER = 84, EDGE = 10;
const charts = [];

/** The first and last frame that are drawn of a zoomed range, one beyond each of its ends. */
function framesShown() {
  const [first, last] = range();
  if (!(duration > 0)) return [0, frames - 1];
  return [Math.max(0, Math.floor((first - start) / data.step)), Math.min(frames - 1, Math.ceil((last - start) / data.step))];
}

/** The lowest and highest value of lines within frames; none where there is no number. */
function extentOf(lists, base, [from, to]) {
  let low = Infinity, high = -Infinity;
  for (const values of lists)
    for (let i = from; i <= to; i++) {
      if (values[i] < low) low = values[i];
      if (values[i] > high) high = values[i];
    }
  return [base + low, base + high];
}

/** Long names without the words that all of them begin and end with, and without "joint" or "link" at their ends; what
 * tells an effort, a reference or an error ("tau_", "ref_", "e_") stays. */
function shortNames(names) {
  const wordsOf = (name) => name.split(/(?<=[_.:\/])|(?=[_.:\/])/), isLong = (name) => name.length > 9 && !/[\s(]/.test(name);
  const markOf = (name) => /^(?:tau|ref|e)_|/.exec(name)[0];
  const words = names.filter(isLong).map((name) => wordsOf(name.slice(markOf(name).length).replace(/'+$/, "")));
  const common = (from) => {
    let n = 0;
    while (words.length > 1 && words.every((list) => list.length > n + 1 && list[from(list, n)] === words[0][from(words[0], n)])) n++;
    return n;
  };
  const first = common((_, n) => n), last = common((list, n) => list.length - 1 - n);
  return (name) => {
    const mark = markOf(name), [, body, primes] = /^(.*?)('*)$/s.exec(name.slice(mark.length)), list = wordsOf(body);
    if (!isLong(name) || list.length <= first + last) return name;
    const made = mark + list.slice(first, list.length - last).join("").replace(/^[_.:\/]+|[_.:\/]+$/g, "").replace(/[_.:\/](joint|link)$/, "") + primes;
    return names.includes(made) ? name : made;
  };
}

/** A line of the legend: a button that hides or shows its channel, and the value at the moment. */
function legend(member, members, chart) {
  const button = element("button", { type: "button", textContent: member.short, title: `${member.name}: click to hide or show, double-click or Shift+Enter for this one alone` });
  button.setAttribute("aria-label", member.name);
  const value = element("dd"), line = element("div", {}, element("dt", {}, button), value);
  const alone = () => {
    const only = members.every((m) => m.shown === (m === member));
    members.forEach((m) => (m.shown = only || m === member));
    chart.choose();
  };
  button.addEventListener("click", (event) => {
    if (event.shiftKey) return alone();
    member.shown = !member.shown;
    chart.choose();
  });
  button.addEventListener("dblclick", alone);
  return { line, value, tell: () => button.setAttribute("aria-pressed", member.shown) };
}

/** Lines on the left, their names and values at the moment on the right. */
function strip(members, isLast) {
  const canvas = element("canvas", { tabIndex: 0, title: "Click for a moment, drag for a span of time" });
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${members.map((m) => m.name).join(", ")} over time; drag, or plus, minus and zero, to zoom in time`);
  const pen = canvas.getContext("2d"), backdrop = document.createElement("canvas");
  const list = element("dl"), words = element("p", { className: "flat", hidden: true });
  let width = 1, height = 1, density = 1, foot = 8, bottom = -1, top = 1, dragged = null;
  const head = 10;
  const X = (t) => GUTTER + ((t - range()[0]) / (range()[1] - range()[0] || 1)) * (width - GUTTER - EDGE);
  const Y = (v) => head + ((top - v) / (top - bottom)) * (height - head - foot);
  const timeAt = (x) => range()[0] + clamp((x - GUTTER) / (width - GUTTER - EDGE), 0, 1) * (range()[1] - range()[0]);
  const lists = (m) => [m.values, ...m.beside.filter((_, g) => !m.hiddenBeside.has(g))];

  function fit() {
    const seen = members.filter((m) => m.shown), span = framesShown();
    bottom = Math.min(...seen.map((m) => extentOf(lists(m), m.base, span)[0]));
    top = Math.max(...seen.map((m) => extentOf(lists(m), m.base, span)[1]));
    words.hidden = true;
    if (!(bottom <= top)) return ([bottom, top] = [-1, 1]);
    const largest = Math.max(Math.abs(bottom), Math.abs(top));
    let room = 0.06 * (top - bottom);
    // A quantity that keeps to four figures is drawn as the level line it is, and its small change is told.
    if (top - bottom <= 1e-4 * largest || largest === 0) {
      if (seen.length === 1 && largest > 0) {
        const [low, high] = extentOf([seen[0].values], 0, span);
        words.hidden = false;
        words.textContent = high > low ? `varies by ${figure(high - low)} ${seen[0].unit}` : "constant";
      }
      room = largest > 0 ? 0.05 * largest : 1;
    }
    return ([bottom, top] = [bottom - room, top + room]);
  }

  function line(b, values, base, stepped) {
    const [from, to] = framesShown();
    b.beginPath();
    let down = false;
    for (let i = from; i <= to; i++) {
      if (Number.isNaN(values[i])) down = false;
      else {
        if (down && stepped) b.lineTo(X(start + i * data.step), Y(base + values[i - 1]));
        b[down ? "lineTo" : "moveTo"](X(start + i * data.step), Y(base + values[i]));
        down = true;
      }
    }
    b.stroke();
  }

  /** All but the moment: axes, ticks and lines. */
  function prepare() {
    const { css } = state.theme;
    fit();
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
    const named = members[0].words.map((word, i) => [i, word]).filter(([i]) => i >= bottom && i <= top);
    for (const [v, text] of named.length ? named : ticks(bottom, top, Math.max(3, Math.floor(height / 30)))) {
      const y = Math.round(Y(v)) + 0.5;
      b.beginPath();
      b.moveTo(GUTTER, y);
      b.lineTo(width - EDGE, y);
      b.stroke();
      b.fillText(text, GUTTER - 8, y);
    }
    b.textAlign = "center";
    const [first, last] = range();
    for (const [t, text] of ticks(first, last > first ? last : first + 1, Math.max(2, Math.floor(width / 110)))) {
      const x = Math.round(X(t)) + 0.5;
      b.beginPath();
      b.moveTo(x, head);
      b.lineTo(x, height - foot);
      b.stroke();
      if (isLast()) b.fillText(text, x, height - 10);
    }
    b.textAlign = "left";
    if (members[0].unit) b.fillText(members[0].unit, 0, head + 3);
    if (isLast()) b.fillText("time, s", 0, height - 10);
    b.save();
    b.beginPath();
    b.rect(GUTTER - 1, 0, width - GUTTER - EDGE + 2, height);
    b.clip();
    b.lineJoin = "round";
    for (const m of members.filter((each) => each.shown)) {
      b.strokeStyle = vivid(m.color);
      b.setLineDash([5, 4]);
      b.lineWidth = 1.2;
      m.beside.forEach((values, g) => m.hiddenBeside.has(g) || line(b, values, m.base, m.words.length));
      b.setLineDash([]);
      b.lineWidth = 1.6;
      line(b, m.values, m.base, m.words.length);
    }
    b.restore();
  }

  const chart = {
    prepare,
    choose() {
      legends.forEach((each) => each.tell());
      prepare();
      ask();
    },
    measure() {
      density = Math.min(devicePixelRatio || 1, 2);
      foot = isLast() ? 24 : 8;
      height = Math.max(members.length * 18 + 16, 66) + foot - 8;
      canvas.style.height = `${height}px`;
      width = Math.max(120, canvas.clientWidth);
      canvas.width = Math.round(width * density);
      canvas.height = Math.round(height * density);
      prepare();
    },
    draw() {
      const { css } = state.theme, x = X(state.time), [first, last] = range();
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(backdrop, 0, 0);
      pen.setTransform(density, 0, 0, density, 0, 0);
      if (dragged) {
        pen.globalAlpha = 0.16;
        pen.fillStyle = css.accent;
        pen.fillRect(Math.min(...dragged), head - 4, Math.abs(dragged[1] - dragged[0]), height - foot - head + 4);
        pen.globalAlpha = 1;
      }
      const within = state.time >= first && state.time <= last;
      if (within) {
        pen.strokeStyle = css.ink;
        pen.lineWidth = 1;
        pen.beginPath();
        pen.moveTo(x, head - 4);
        pen.lineTo(x, height - foot);
        pen.stroke();
      }
      const at = duration > 0 ? clamp((state.time - start) / data.step, 0, frames - 1) : 0;
      const i = Math.floor(at), j = Math.min(i + 1, frames - 1);
      members.forEach((m, n) => {
        const value = m.base + (j > i && !m.words.length ? m.values[i] * (i + 1 - at) + m.values[j] * (at - i) : m.values[i]);
        legends[n].value.textContent = m.words[value] ?? `${figure(value)}${m.unit ? ` ${m.unit}` : ""}`;
        if (Number.isNaN(value) || !m.shown || !within) return;
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
  const legends = members.map((m) => legend(m, members, chart));
  list.append(...legends.map((each) => each.line), words);
  legends.forEach((each) => each.tell());
  $("charts").append(element("div", { className: "strip" }, canvas, list));

  // A click is a moment, a drag a span of time; with Shift a drag moves the moment.
  let pressed = null;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pressed = event.offsetX;
    if (event.shiftKey) seek(timeAt(event.offsetX));
  });
  canvas.addEventListener("pointermove", (event) => {
    if (pressed === null) return;
    if (event.shiftKey) return seek(timeAt(event.offsetX));
    const edge = (x) => clamp(x, GUTTER, width - EDGE);
    dragged = Math.abs(event.offsetX - pressed) > 6 ? [edge(pressed), edge(event.offsetX)] : null;
    ask();
  });
  const lift = (event) => {
    if (pressed !== null && event.type === "pointerup") {
      if (dragged) zoomInto(...dragged.map(timeAt).sort((a, b) => a - b));
      else seek(timeAt(event.offsetX));
    }
    pressed = dragged = null;
    ask();
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("dblclick", () => zoomInto(start, start + duration));
  canvas.addEventListener("keydown", (event) => {
    const doing = { "+": () => zoomBy(0.5), "=": () => zoomBy(0.5), "-": () => zoomBy(2), 0: () => zoomBy(Infinity), Escape: () => zoomBy(Infinity) }[event.key];
    if (!doing || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    doing();
  });
  charts.push(chart);
}

function listCharts() {
  const short = shortNames(channels.map((c) => c.name));
  channels.forEach((c) => Object.assign(c, { hiddenBeside: new Set(), short: short(c.name) }));
  const all = data.charts.map((numbers) => numbers.map((n) => channels[n]));
  // Colours start afresh in each strip, so that neighbours within one differ the most.
  all.forEach((members) => members.forEach((m, i) => (m.color = data.palette[i % data.palette.length])));
  $("charts").classList.toggle("many", all.length > 3);
  const columns = () => getComputedStyle($("charts")).gridTemplateColumns.split(" ").length;
  all.forEach((members, i) => strip(members, () => i >= all.length - columns()));
}
