// Everything is there: begin.

readTheme();
listCharts();
listBodies();
listenToZoom();
listenToSaving();
listenToControls();
mount(webgl() || painter());
firstTraces().forEach((k) => state.traced.add(k));
showTraces();
$("follow").hidden = !travels;
setFollow(roams);
new ResizeObserver(measure).observe(stage);
measure();
if (!readAddress()) play(!still.matches);
root.dataset.state = "ready";
