// The state of the page, and its drawing.

const stage = $("stage");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const dark = matchMedia("(prefers-color-scheme: dark)");
const state = {
  time: start, playing: false, loop: true, speed: 1, follow: false, zoom: null,
  shown: data.bodies.map(() => true), acting: data.moving.map(() => true), lit: -1, traced: new Set(), theme: null, poses: posesAt(start),
};
/** The times that are played and drawn in charts: all, or those that are zoomed into. */
const range = () => state.zoom ?? [start, start + duration];
let renderer = null, size = { width: 1, height: 1 }, waiting = false, lastTick = 0, slowness = 0.016, coarseness = 1;

function readTheme() {
  const style = getComputedStyle(root), read = (name) => style.getPropertyValue(name).trim();
  state.theme = {
    day: Number(read("--light")), grid: rgb(read("--grid")), shade: rgb(read("--shade")),
    css: { ink: read("--ink"), quiet: read("--quiet"), hair: read("--hair"), accent: read("--accent"), paper: read("--paper") },
  };
}

/** A colour for thin lines: as given by day unless it is too pale to be seen, a little lighter by night. */
function vivid(hex) {
  if (state.theme.day) return dot(rgb(hex), [0.3, 0.59, 0.11]) > 0.72 ? data.palette[0] : hex;
  return "#" + rgb(hex).map((x) => Math.round(255 * (x + 0.32 * (1 - x))).toString(16).padStart(2, "0")).join("");
}

function mount(made) {
  renderer = made;
  const { canvas } = made;
  canvas.className = "view";
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${data.bodies.filter((body) => body.ghost < 0).length} moving bodies; drag to orbit, plus and minus to zoom`);
  canvas.addEventListener("webglcontextlost", () => {
    canvas.remove();
    mount(painter());
    refit();
  });
  root.dataset.renderer = made.name;
  stage.prepend(canvas);
  listen(canvas);
  showTraces();
}

function sizeOfStage() {
  const box = stage.getBoundingClientRect();
  return { width: Math.max(1, box.width), height: Math.max(1, box.height) };
}

function measure() {
  size = sizeOfStage();
  sharpen(state.playing ? coarseness : renderer.finest);
  if (!touched) Object.assign(camera, framed("home"));
  charts.forEach((chart) => chart.measure());
}

/** Measure, and draw before the browser shows anything: a new size wipes a canvas. */
function refit() {
  measure();
  draw();
}

/** How many points across and down the view's canvas has, with a share of the screen's own resolution. */
function resolution(share) {
  const density = share * Math.min(devicePixelRatio || 1, 2);
  return [Math.round(size.width * density), Math.round(size.height * density)];
}

function sharpen(share) {
  const { canvas } = renderer, [width, height] = resolution(share);
  if (canvas.width === width && canvas.height === height) return;
  canvas.width = width;
  canvas.height = height;
}

function ask() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(tick);
}

function tick(ms) {
  waiting = false;
  const lasted = lastTick ? (ms - lastTick) / 1000 : 0, passed = Math.min(0.1, lasted);
  const moving = state.playing || camera.flight;
  lastTick = moving ? ms : 0;
  // Where drawing is slow a moving picture is coarser; one at rest is always sharp.
  if (lasted > 0 && lasted < 1) slowness += 0.15 * (lasted - slowness);
  if (slowness > 0.045 && coarseness > 0.5) [coarseness, slowness] = [coarseness - 0.25, 0.03];
  sharpen(moving ? coarseness : renderer.finest);
  if (state.playing) {
    const [first, last] = range();
    state.time = Math.max(first, state.time + passed * state.speed);
    if (state.time > last) {
      if (state.loop) state.time = first + ((state.time - first) % (last - first || 1));
      else {
        state.time = last;
        play(false);
      }
    }
  }
  fly(passed);
  draw();
  if (state.playing || camera.flight) ask();
}

function draw() {
  const poses = posesAt(state.time);
  if (state.follow) camera.target = add(camera.target, sub(middleOf(poses), middleOf(state.poses)));
  state.poses = poses;
  const view = eyes(size.width, size.height);
  const held = data.lines.map(({ ends }) => ends.every(({ body }) => state.shown[body]));
  const acting = movingAt(state.time).map(([a, b], i) => state.acting[i] && Math.hypot(...sub(b, a)) > 1e-6 * radius);
  const shown = [...state.shown, ...held, ...acting, ...arrows.map(([, i]) => acting[i])];
  renderer.draw({ ...state, poses: [...poses, ...linesAt(poses, state.time)], shown, view, now: state.time, around: setting() });
  drawAxes(view);
  showClock();
  charts.forEach((chart) => chart.draw());
}

/** The scene's own axes in the corner, as the camera sees them. */
function drawAxes(view) {
  const canvas = $("axes"), density = Math.min(devicePixelRatio || 1, 2);
  canvas.width = canvas.height = 72 * density;
  const pen = canvas.getContext("2d");
  pen.scale(density, density);
  pen.font = `600 11px ${getComputedStyle(document.body).fontFamily}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineWidth = 2;
  pen.lineCap = "round";
  const colors = state.theme.day ? AXIS_COLORS : ["#ff7a5c", "#3ccbb9", "#4fb3ee"];
  [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    .map((axis, i) => {
      const d = apply(upright, axis);
      return [dot(view.back, d), dot(view.right, d), dot(view.up, d), "xyz"[i], colors[i]];
    })
    .sort((a, b) => a[0] - b[0])
    .forEach(([depth, x, y, letter, color]) => {
      pen.globalAlpha = depth < -0.15 ? 0.55 : 1;
      pen.strokeStyle = pen.fillStyle = color;
      pen.beginPath();
      pen.moveTo(36, 36);
      pen.lineTo(36 + 21 * x, 36 - 21 * y);
      pen.stroke();
      if (Math.hypot(x, y) > 0.2) pen.fillText(letter, 36 + 29 * x, 36 - 29 * y);
    });
}

function fly(passed) {
  const { flight } = camera;
  if (!flight) return;
  flight.share = Math.min(1, flight.share + (passed || 0.016) / 0.35);
  const s = flight.share * flight.share * (3 - 2 * flight.share), mix = (a, b) => a + (b - a) * s;
  for (const key of ["azimuth", "elevation", "distance"]) camera[key] = mix(flight.from[key], flight.to[key]);
  camera.target = flight.from.target.map((x, i) => mix(x, flight.to.target[i]));
  if (flight.share === 1) camera.flight = null;
}

/** The camera for a named view: of the whole motion, or of what is followed. */
function framed(name) {
  const [azimuth, elevation] = VIEWS[name], aspect = size.width / size.height;
  if (!state.follow) return fitted(azimuth, elevation, aspect);
  return { azimuth, elevation, target: middleOf(state.poses), distance: (1.2 * gathered) / Math.sin(FIELD / 2) / Math.min(1, aspect) };
}

function setFollow(on) {
  state.follow = on;
  $("follow").setAttribute("aria-pressed", on);
  const { cell } = setting();
  $("scale").hidden = !data.floor;
  $("scale").textContent = `Grid ${cell < 0.001 || cell >= 1e5 ? figure(cell) : Number(cell.toPrecision(1))} m`;
}

function lookFromSide(name) {
  const to = framed(name);
  touched = name !== "home";
  // Take the short way round.
  const from = { ...camera, azimuth: camera.azimuth - 2 * Math.PI * Math.round((camera.azimuth - to.azimuth) / (2 * Math.PI)) };
  if (still.matches || state.follow) Object.assign(camera, to, { flight: null });
  else camera.flight = { from, to, share: 0 };
  ask();
}
