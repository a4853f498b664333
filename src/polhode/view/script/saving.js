// Saving what is seen, as PNG, WebM and GIF, and printing it: made in the page, sent nowhere.

const GIF_WIDTH = 480, GIF_RATE = 20, GIF_MOST = 240;
const FILMS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

/** Draw the stage, with its background and its axes, on a canvas as wide as asked. */
function compose(canvas, width = renderer.canvas.width) {
  const view = renderer.canvas, height = Math.round((width * view.height) / view.width), pen = canvas.getContext("2d");
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const style = getComputedStyle(root), middle = [width / 2, 0.18 * height];
  pen.setTransform(1, 0, 0, height / width, 0, 0);
  const sky = pen.createRadialGradient(middle[0], (middle[1] * width) / height, 0, middle[0], (middle[1] * width) / height, 1.1 * width);
  sky.addColorStop(0, style.getPropertyValue("--sky").trim());
  sky.addColorStop(1, style.getPropertyValue("--haze").trim());
  pen.fillStyle = sky;
  pen.fillRect(0, 0, width, width);
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.imageSmoothingQuality = "high";
  pen.drawImage(view, 0, 0, width, height);
  const part = width / size.width;
  pen.drawImage($("axes"), width - 84 * part, height - 82 * part, 72 * part, 72 * part);
  return canvas;
}

/** Hand over a file under the page's title. */
function hand(blob, ending) {
  const name = document.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "motion";
  const link = element("a", { href: URL.createObjectURL(blob), download: `${name}.${ending}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function savePng() {
  draw();
  compose(document.createElement("canvas")).toBlob((blob) => hand(blob, "png"), "image/png");
}

/** The span that is shown, at the pace that is chosen, as a film; it lasts as long as it takes to play. */
function saveFilm(type, done) {
  const canvas = compose(document.createElement("canvas")), chunks = [];
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 6_000_000 });
  const { loop } = state;
  recorder.ondataavailable = ({ data: chunk }) => chunks.push(chunk);
  recorder.onstop = () => {
    hand(new Blob(chunks, { type: "video/webm" }), "webm");
    done();
  };
  setLoop(false);
  state.time = range()[0];
  filmed = () => {
    compose(canvas, canvas.width);
    if (state.playing) return;
    filmed = null;
    setLoop(loop);
    recorder.stop();
  };
  recorder.start();
  play(true);
}

/** The same as a GIF of at most 480 points across, frame by frame, whatever time drawing takes. */
async function saveGif(tell) {
  const [first, last] = range(), lasts = (last - first) / state.speed;
  const rate = Math.min(GIF_RATE, GIF_MOST / Math.max(lasts, 1e-9)), many = Math.max(1, Math.round(lasts * rate));
  const canvas = document.createElement("canvas"), pictures = [];
  play(false);
  for (let i = 0; i < many; i++) {
    state.time = first + ((last - first) * i) / many;
    draw();
    compose(canvas, Math.min(GIF_WIDTH, renderer.canvas.width));
    pictures.push(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data);
    tell(Math.round((90 * i) / many));
    await new Promise((next) => setTimeout(next));
  }
  hand(new Blob([gif(pictures, canvas.width, canvas.height, Math.max(2, Math.round(100 / rate)))], { type: "image/gif" }), "gif");
}

function listenToSaving() {
  const film = self.MediaRecorder && HTMLCanvasElement.prototype.captureStream && FILMS.find((type) => MediaRecorder.isTypeSupported(type));
  const buttons = [$("save-png"), $("save-webm"), $("save-gif")];
  // A page that is framed by a notebook is not allowed to hand over files.
  $("save").hidden = self !== top && self.origin === "null";
  $("save-webm").hidden = !film;
  $("save-webm").disabled = $("save-gif").disabled = duration === 0;
  const busy = (button, on) => {
    buttons.forEach((each) => (each.disabled = on || (each !== buttons[0] && duration === 0)));
    $("saving").textContent = on ? `Making ${button.textContent}\u2026` : "";
  };
  $("save-png").addEventListener("click", savePng);
  $("save-webm").addEventListener("click", () => {
    busy($("save-webm"), true);
    saveFilm(film, () => busy($("save-webm"), false));
  });
  $("save-gif").addEventListener("click", async () => {
    const { time, playing } = state;
    busy($("save-gif"), true);
    await saveGif((part) => ($("saving").textContent = `Making GIF\u2026 ${part} %`));
    busy($("save-gif"), false);
    seek(time);
    play(playing);
  });
  // Paper is white, and as wide as it is: the view is printed as a picture, the charts are drawn anew.
  addEventListener("beforeprint", () => {
    draw();
    compose($("printed"));
    charts.forEach((chart) => chart.measure());
    charts.forEach((chart) => chart.draw());
  });
  addEventListener("afterprint", refit);
}
