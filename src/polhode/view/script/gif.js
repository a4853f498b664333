// Pictures as an animated GIF (GIF89a): 255 colours for all of them, and in each only what has changed.

/** Bytes that grow. */
function growing() {
  let held = new Uint8Array(1 << 16), length = 0;
  return {
    push(...bytes) {
      if (length + bytes.length > held.length) {
        const larger = new Uint8Array(2 * held.length);
        larger.set(held);
        held = larger;
      }
      for (const byte of bytes) held[length++] = byte;
    },
    all: () => held.slice(0, length),
  };
}

/** Up to 255 colours by median cut of colours of five bits a channel, and the number of the nearest for each of these. */
function paletteOf(pictures) {
  let counts = new Float64Array(1 << 15);
  const key = (p, i) => ((p[i] >> 3) << 10) | ((p[i + 1] >> 3) << 5) | (p[i + 2] >> 3);
  for (const p of pictures) for (let i = 0; i < p.length; i += 4) counts[key(p, i)]++;
  // By the root of how often it is met, so that thin lines keep their colour beside a wide background.
  counts = counts.map(Math.sqrt);
  const part = (color, c) => (color >> (10 - 5 * c)) & 31;
  let boxes = [[...counts.keys()].filter((color) => counts[color])];
  while (boxes.length < 255) {
    // Cut the box of most pixels and extent along its longest side.
    let best = -1, most = 0, axis = 0;
    boxes.forEach((box, n) => {
      if (box.length < 2) return;
      const weight = Math.sqrt(box.reduce((sum, color) => sum + counts[color], 0));
      for (let c = 0; c < 3; c++) {
        const parts = box.map((color) => part(color, c)), gain = weight * (Math.max(...parts) - Math.min(...parts));
        if (gain > most) [best, most, axis] = [n, gain, c];
      }
    });
    if (best < 0) break;
    const box = boxes[best].sort((a, b) => part(a, axis) - part(b, axis));
    const half = box.reduce((sum, color) => sum + counts[color], 0) / 2;
    let cut = 0, sum = 0;
    while (cut < box.length - 1 && sum + counts[box[cut]] <= half) sum += counts[box[cut++]];
    cut = clamp(cut, 1, box.length - 1);
    boxes.splice(best, 1, box.slice(0, cut), box.slice(cut));
  }
  const nearest = new Int16Array(1 << 15).fill(-1), colors = boxes.map((box, n) => {
    const total = box.reduce((sum, color) => sum + counts[color], 0) || 1;
    box.forEach((color) => (nearest[color] = n));
    return [0, 1, 2].map((c) => Math.round((box.reduce((sum, color) => sum + counts[color] * part(color, c), 0) / total) * (255 / 31)));
  });
  // A colour that is in none of the pictures that were counted is the one that is least far from it.
  const found = (color) => {
    let best = 0, least = Infinity;
    colors.forEach((known, n) => {
      const far = known.reduce((sum, x, c) => sum + (x - (part(color, c) * 255) / 31) ** 2, 0);
      if (far < least) [best, least] = [n, far];
    });
    return (nearest[color] = best);
  };
  const numbers = (p) => {
    const made = new Uint8Array(p.length / 4);
    for (let i = 0; i < made.length; i++) {
      const color = key(p, 4 * i);
      made[i] = nearest[color] < 0 ? found(color) : nearest[color];
    }
    return made;
  };
  return { colors, numbers };
}

/** Numbers of eight bits by LZW, as GIF has it: codes of nine to twelve bits in blocks of at most 255 bytes. */
function compress(numbers, out) {
  const CLEAR = 256, END = 257;
  let table = new Map(), next = END + 1, width = 9, bits = 0, count = 0, block = [];
  const put = (code) => {
    bits |= code << count;
    count += width;
    while (count >= 8) {
      block.push(bits & 255);
      bits >>>= 8;
      count -= 8;
      if (block.length === 255) {
        out.push(255, ...block);
        block = [];
      }
    }
  };
  put(CLEAR);
  let prefix = numbers[0];
  for (let i = 1; i < numbers.length; i++) {
    const word = (prefix << 8) | numbers[i], known = table.get(word);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    put(prefix);
    if (next < 4096) {
      table.set(word, next);
      if (next === 1 << width && width < 12) width++;
      next++;
    } else {
      put(CLEAR);
      table = new Map();
      next = END + 1;
      width = 9;
    }
    prefix = numbers[i];
  }
  put(prefix);
  if (next === 1 << width && width < 12) width++;
  put(END);
  if (count) block.push(bits & 255);
  if (block.length) out.push(block.length, ...block);
  out.push(0);
}

/** The bytes of a GIF that plays pictures (RGBA, of one size) for ever, each for so many hundredths of a second. */
function gif(pictures, width, height, hundredths) {
  const out = growing(), word = (n) => [n & 255, n >> 8], text = (words) => [...words].map((letter) => letter.charCodeAt(0));
  const { colors, numbers } = paletteOf(pictures.filter((_, i) => i % Math.ceil(pictures.length / 12) === 0));
  const SAME = 255;
  out.push(...text("GIF89a"), ...word(width), ...word(height), 0xf7, 0, 0);
  for (let n = 0; n < 256; n++) out.push(...(colors[n] || [0, 0, 0]));
  out.push(0x21, 0xff, 11, ...text("NETSCAPE2.0"), 3, 1, 0, 0, 0);
  let before = null;
  for (const picture of pictures) {
    const now = numbers(picture), changed = now.map((n, i) => (before && before[i] === n ? SAME : n));
    out.push(0x21, 0xf9, 4, 0x05, ...word(hundredths), SAME, 0, 0x2c, 0, 0, 0, 0, ...word(width), ...word(height), 0, 8);
    compress(changed, out);
    before = now;
  }
  out.push(0x3b);
  return out.all();
}
