// Everything is there: begin.

readTheme();
listBodies();
listCharts();
listenToControls();
mount(webgl() || painter());
showTrace(traveller());
$("follow").hidden = !travels;
setFollow(travels && radius > 8 * gathered);
Object.assign(camera, framed("home"), { flight: null });
new ResizeObserver(measure).observe(stage);
measure();
if (!readAddress()) play(!still.matches);
root.dataset.state = "ready";
