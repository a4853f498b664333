// Everything is there: begin.

readTheme();
listCharts();
listBodies();
listenToZoom();
listenToSaving();
listenToControls();
size = sizeOfStage();
mount(webgl() || painter());
firstTraces().forEach((k) => state.traced.add(k));
showTraces();
$("follow").hidden = !travels;
setFollow(roams);
measure();
// An observer begins by telling the size that is known already.
new ResizeObserver(() => {
  const { width, height } = sizeOfStage();
  if (width !== size.width || height !== size.height) refit();
}).observe(stage);
if (!readAddress()) play(!still.matches);
root.dataset.state = "ready";
