// The span of time that charts show and that is played.

/** Show a span of time in all charts, of at least two frames, and play that alone; all of it is no zoom. */
function zoomInto(first, last) {
  if (last - first < 2 * data.step) return;
  const all = first <= start + 1e-9 * duration && last >= start + duration * (1 - 1e-9);
  state.zoom = all ? null : [Math.max(start, first), Math.min(start + duration, last)];
  $("zoom-all").disabled = $("zoom-out").disabled = all;
  charts.forEach((chart) => chart.prepare());
  if (!all) state.time = clamp(state.time, ...state.zoom);
  ask();
}

/** Zoom about the moment. */
function zoomBy(factor) {
  const [first, last] = range(), now = clamp(state.time, first, last);
  if (!Number.isFinite(factor)) return zoomInto(start, start + duration);
  const width = Math.min(duration, (last - first) * factor), from = clamp(now - ((now - first) / (last - first || 1)) * width, start, start + duration - width);
  return zoomInto(from, from + width);
}

function listenToZoom() {
  $("zoom").hidden = !charts.length || !(duration > 0);
  $("zoom-in").addEventListener("click", () => zoomBy(0.5));
  $("zoom-out").addEventListener("click", () => zoomBy(2));
  $("zoom-all").addEventListener("click", () => zoomBy(Infinity));
  $("zoom-all").disabled = $("zoom-out").disabled = true;
}
