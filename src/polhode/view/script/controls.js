// The clock and its controls.

function showClock() {
  const scrub = $("scrub");
  $("now").textContent = seconds(state.time);
  scrub.value = state.time;
  scrub.style.setProperty("--part", `${duration > 0 ? (100 * (state.time - start)) / duration : 0}%`);
  if (!state.playing) scrub.setAttribute("aria-valuetext", `${seconds(state.time)} seconds`);
}

function play(on) {
  state.playing = on && duration > 0;
  const [first, last] = range();
  if (state.playing && (state.time >= last || state.time < first)) state.time = first;
  root.classList.toggle("playing", state.playing);
  $("play").setAttribute("aria-label", state.playing ? "Pause" : "Play");
  lastTick = 0;
  ask();
}

function seek(time) {
  state.time = clamp(time, start, start + duration);
  ask();
}

function setLoop(on) {
  state.loop = on;
  $("loop").setAttribute("aria-pressed", on);
}

/** `#t=2.5` in the address shows that moment and holds it. */
function readAddress() {
  const found = /(?:^#|[#&])t=(-?[0-9.]+(?:e-?[0-9]+)?)/i.exec(location.hash);
  if (!found || Number.isNaN(Number(found[1]))) return false;
  play(false);
  seek(Number(found[1]));
  return true;
}

function listenToControls() {
  const scrub = $("scrub"), speed = $("speed");
  $("transport").hidden = duration === 0;
  scrub.min = start;
  scrub.max = start + duration;
  scrub.addEventListener("input", () => seek(Number(scrub.value)));
  $("end").textContent = ` / ${seconds(start + duration)} s`;

  const paces = [0.1, 0.25, 0.5, 1, 2, 4];
  for (let slow = 0.01; duration > 0 && duration / slow < 200 && duration < 0.5; slow /= 10) paces.unshift(slow);
  for (let fast = 10; duration / fast > 5; fast *= 10) paces.push(fast);
  // A motion too short or too long to watch starts at a pace that lasts some seconds.
  state.speed = duration > 0.5 && duration < 300 ? 1 : paces.find((p) => duration / p < 30) ?? 1;
  paces.forEach((p) => speed.append(element("option", { value: p, textContent: `${p}\u00d7`, selected: p === state.speed })));
  speed.addEventListener("change", () => (state.speed = Number(speed.value)));

  $("play").addEventListener("click", () => play(!state.playing));
  $("loop").addEventListener("click", () => setLoop(!state.loop));
  $("equations-close").addEventListener("click", () => showEquations(-1));
  const follow = () => {
    setFollow(!state.follow);
    lookFromSide("home");
  };
  $("follow").addEventListener("click", follow);
  $("views").addEventListener("click", (event) => {
    if (event.target.dataset.view) lookFromSide(event.target.dataset.view);
  });
  addEventListener("hashchange", readAddress);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event, step = (data.step || 0) * (event.shiftKey ? 10 : 1);
    if (target.tagName === "SELECT") return;
    const ownsSpace = target.tagName === "BUTTON" || target.type === "checkbox";
    const doing = {
      " ": ownsSpace ? null : () => play(!state.playing),
      ArrowLeft: () => (play(false), seek(state.time - step)),
      ArrowRight: () => (play(false), seek(state.time + step)),
      Home: () => seek(start),
      End: () => seek(start + duration),
      l: () => setLoop(!state.loop),
      r: () => lookFromSide("home"),
      f: travels ? follow : null,
      Escape: $("equations").hidden ? null : () => showEquations(-1),
    }[event.key];
    if (!doing) return;
    event.preventDefault();
    doing();
  });
  dark.addEventListener("change", () => {
    readTheme();
    refit();
  });
}
