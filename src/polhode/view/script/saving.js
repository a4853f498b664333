// Saving what is seen, as PNG, WebM and GIF, and printing it: made in the page, sent nowhere.

const GIF = { rate: 20, most: 240, width: 480 };
const FILM = { rate: 30, most: 5400, width: 1920 };
// How a film may be encoded: as the browser calls it, and as the file does.
const CODECS = [["vp09.00.40.08", "V_VP9"], ["vp8", "V_VP8"]];

/** Draw the stage, with its background and its axes, on a canvas as large as asked. */
function compose(canvas, width = renderer.canvas.width, height = renderer.canvas.height) {
  const view = renderer.canvas, pen = canvas.getContext("2d");
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

// Whether what is being made is no longer wanted.
let isStopped = false;

/** Every picture of the span that is shown, at the pace that is chosen, whatever time it takes to draw them. */
async function* pictures({ rate, most, width }, tell) {
  const [first, last] = range(), lasts = (last - first) / state.speed;
  const many = Math.max(1, Math.round(Math.min(lasts * rate, most))), canvas = document.createElement("canvas");
  // Encoders want even numbers of points.
  const share = Math.min(1, width / resolution(1)[0]), points = resolution(share).map((x) => 2 * Math.max(1, Math.round(x / 2)));
  play(false);
  for (let i = 0; i < many; i++) {
    if (isStopped) throw new Error("stopped");
    state.time = first + ((last - first) * i) / many;
    sharpen(renderer.finest);
    draw();
    compose(canvas, ...points);
    yield { canvas, time: (lasts * i) / many, rate: many / lasts };
    tell(Math.round((100 * i) / many));
    await new Promise((next) => setTimeout(next));
  }
}

/** The way in which this browser encodes a film of a size, if there is one. */
async function encoding(width, height) {
  for (const [codec, name] of self.VideoEncoder ? CODECS : []) {
    const config = { codec, width, height, bitrate: 8_000_000, framerate: FILM.rate };
    if ((await VideoEncoder.isConfigSupported(config)).supported) return { config, name };
  }
  return null;
}

async function saveFilm(tell) {
  const chunks = [];
  let encoder = null, found = null, failed = null, number = 0, step = 0;
  for await (const { canvas, time, rate } of pictures(FILM, tell)) {
    if (!encoder) {
      found = await encoding(canvas.width, canvas.height);
      if (!found) throw new Error("this browser encodes no film");
      encoder = new VideoEncoder({
        output(chunk) {
          const bytes = new Uint8Array(chunk.byteLength);
          chunk.copyTo(bytes);
          chunks.push({ bytes, time: Math.round(chunk.timestamp / 1000), isKey: chunk.type === "key" });
        },
        error: (error) => (failed = error),
      });
      encoder.configure(found.config);
    }
    step = 1e6 / rate;
    const frame = new VideoFrame(canvas, { timestamp: Math.round(1e6 * time), duration: Math.round(step) });
    encoder.encode(frame, { keyFrame: number++ % 60 === 0 });
    frame.close();
    while (encoder.encodeQueueSize > 8 && !failed) await new Promise((next) => setTimeout(next, 5));
    if (failed) throw failed;
  }
  await encoder.flush();
  const { width, height } = found.config;
  hand(new Blob(webm(chunks, { width, height, codec: found.name, duration: (number * step) / 1000 }), { type: "video/webm" }), "webm");
}

async function saveGif(tell) {
  const shots = [];
  let size = null, wait = 5;
  for await (const { canvas, rate } of pictures(GIF, (part) => tell(Math.round(0.9 * part)))) {
    shots.push(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data);
    [size, wait] = [[canvas.width, canvas.height], Math.max(2, Math.round(100 / rate))];
  }
  hand(new Blob([gif(shots, ...size, wait)], { type: "image/gif" }), "gif");
}

function listenToSaving() {
  const buttons = [$("save-png"), $("save-webm"), $("save-gif")];
  // A page that is framed by a notebook is not allowed to hand over files.
  $("save").hidden = self !== top && self.origin === "null";
  $("save-webm").hidden = !self.VideoEncoder;
  $("save-webm").disabled = $("save-gif").disabled = duration === 0;
  const making = (button, save) => button.addEventListener("click", async () => {
    if (button.textContent === "Stop") return (isStopped = true);
    const { time, playing } = state, kind = button.textContent;
    const tell = (part) => ($("saving").textContent = `Making ${kind}\u2026 ${part} %`);
    const busy = (on) => {
      button.textContent = on ? "Stop" : kind;
      buttons.forEach((each) => (each.disabled = on && each !== button));
    };
    isStopped = false;
    busy(true);
    try {
      tell(0);
      await save(tell);
      $("saving").textContent = "";
    } catch (error) {
      $("saving").textContent = `No ${kind}: ${error.message}`;
    }
    busy(false);
    seek(time);
    play(playing);
  });
  $("save-png").addEventListener("click", savePng);
  making($("save-webm"), saveFilm);
  making($("save-gif"), saveGif);
  // Paper is white, and as wide as it is: the view is printed as a picture, the charts are drawn anew.
  addEventListener("beforeprint", () => {
    draw();
    compose($("printed"));
    charts.forEach((chart) => chart.measure());
    charts.forEach((chart) => chart.draw());
  });
  addEventListener("afterprint", refit);
}
