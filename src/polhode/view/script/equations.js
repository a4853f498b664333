// The equations of a body, which the page holds as MathML.

const sheetOf = (k) => $("equations").querySelector(`dl[data-body="${k}"]`);

/** Show what the page says of a body and the joint that carries it, or close it. */
function showEquations(k) {
  const sheet = k >= 0 ? sheetOf(k) : null;
  $("equations").hidden = !sheet;
  for (const each of $("equations").querySelectorAll("dl")) each.hidden = each !== sheet;
  if (sheet) $("equations-of").textContent = data.bodies[k].name;
  [...$("bodies").children].forEach((made, n) => made.querySelector("button[aria-label^=Equations]")?.setAttribute("aria-pressed", sheet && n === k));
}
