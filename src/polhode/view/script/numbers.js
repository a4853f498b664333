// Numbers in words, and ticks of axes.

const minus = (text) => text.replace("-", "\u2212");
function figure(x) {
  if (!Number.isFinite(x)) return "\u2013";
  const size = Math.abs(x);
  if (size === 0) return "0";
  if (size >= 1e5 || size < 1e-3) return minus(x.toExponential(2).replace("e+", "e").replace("e-", "e\u2212"));
  return minus(x.toFixed(clamp(3 - Math.floor(Math.log10(size)), 0, 4)));
}
const decimals = duration > 0 ? clamp(Math.ceil(3 - Math.log10(duration)), 1, 7) : 2;
const seconds = (t) => minus(t.toFixed(decimals));

function ticks(low, high, most) {
  const step = nice((high - low) / most), digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const list = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++)
    list.push([i * step, step >= 1e6 || step < 1e-5 ? figure(i * step) : minus((i * step + 0).toFixed(digits)).replace(/^\u2212(0(\.0+)?)$/, "$1")]);
  return list;
}
