// The data that the page carries: bodies, where they are in each frame, channels over time.

const $ = (id) => document.getElementById(id);
const root = document.documentElement;
const data = JSON.parse($("data").textContent);

function bytes(text) {
  const letters = atob(text), made = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) made[i] = letters.charCodeAt(i);
  return made.buffer;
}
const floats = (text) => new Float32Array(bytes(text));

const positions = floats(data.positions);
const quaternions = floats(data.quaternions);
const count = data.bodies.length;
const isGhost = (k) => k < count && data.bodies[k].ghost >= 0;
const frames = data.frames;
const start = data.start;
const duration = data.step * (frames - 1);
const channels = data.channels.map((c, i) => ({
  name: c.name,
  unit: c.unit,
  words: c.words,
  base: c.base,
  values: floats(c.values),
  beside: c.beside.map(floats),
  color: data.palette[i % data.palette.length],
  shown: true,
}));

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}
