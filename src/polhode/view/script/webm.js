// Encoded pictures as a WebM file: Matroska's elements, each an identifier, a length and what it holds.

/** A number of so many bytes, the highest first. */
const bigEndian = (x, length) => Uint8Array.from({ length }, (_, i) => Math.floor(x / 256 ** (length - 1 - i)) % 256);

/** An element; its length is written in eight bytes. */
function ebml(id, ...content) {
  const parts = content.map((part) => (typeof part === "string" ? new TextEncoder().encode(part) : part));
  const length = parts.reduce((sum, part) => sum + part.length, 0), name = bigEndian(id, Math.ceil(Math.log2(id + 1) / 8));
  const made = new Uint8Array(name.length + 8 + length);
  made.set(name);
  made.set(bigEndian(length, 8), name.length);
  made[name.length] = 1;
  let at = name.length + 8;
  for (const part of parts) {
    made.set(part, at);
    at += part.length;
  }
  return made;
}

const whole = (id, x) => ebml(id, bigEndian(x, 8));

/** Seconds as a floating-point number of milliseconds. */
function real(id, x) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, x);
  return ebml(id, bytes);
}

/** The file: chunks are { bytes, time in ms, isKey }, the first and every one that begins a cluster a key. */
function webm(chunks, { width, height, codec, duration: lasts }) {
  const head = ebml(0x1a45dfa3, whole(0x4286, 1), whole(0x42f7, 1), whole(0x42f2, 4), whole(0x42f3, 8), ebml(0x4282, "webm"), whole(0x4287, 2), whole(0x4285, 2));
  const about = ebml(0x1549a966, whole(0x2ad7b1, 1_000_000), real(0x4489, lasts), ebml(0x4d80, "polhode"), ebml(0x5741, "polhode"));
  const picture = ebml(0xe0, whole(0xb0, width), whole(0xba, height));
  const track = ebml(0x1654ae6b, ebml(0xae, whole(0xd7, 1), whole(0x73c5, 1), whole(0x83, 1), ebml(0x86, codec), picture));
  const groups = [];
  for (const chunk of chunks) {
    if (chunk.isKey) groups.push([]);
    groups.at(-1).push(chunk);
  }
  const clusters = groups.map((group) => {
    const [{ time: first }] = group;
    const blocks = group.map(({ bytes, time, isKey }) => ebml(0xa3, [0x81], bigEndian(time - first, 2), [isKey ? 0x80 : 0], bytes));
    return ebml(0x1f43b675, whole(0xe7, first), ...blocks);
  });
  // Where each cluster is, so that a player finds any time at once.
  let at = about.length + track.length;
  const cues = clusters.map((cluster, n) => {
    const made = ebml(0xbb, whole(0xb3, groups[n][0].time), ebml(0xb7, whole(0xf7, 1), whole(0xf1, at)));
    at += cluster.length;
    return made;
  });
  return [head, ebml(0x18538067, about, track, ...clusters, ebml(0x1c53bb6b, ...cues))];
}
