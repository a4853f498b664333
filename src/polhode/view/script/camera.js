// The camera: where it looks from, and how what it sees comes to the screen.

const FIELD = 0.5;
const VIEWS = { home: [-0.95, 0.36], front: [-HALF, 0.04], side: [0, 0.04], top: [-HALF, HALF] };
const camera = { azimuth: VIEWS.home[0], elevation: VIEWS.home[1], distance: 4 * radius, target: centre, flight: null };
let touched = false;

function basis({ azimuth, elevation }) {
  const back = [Math.cos(elevation) * Math.cos(azimuth), Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation)];
  const right = [-Math.sin(azimuth), Math.cos(azimuth), 0];
  return { right, back, up: cross(back, right) };
}

/** The target and distance at which the whole motion just fills the view from a direction. */
function fitted(azimuth, elevation, aspect) {
  const { right, up, back } = basis({ azimuth, elevation });
  const tall = Math.tan(FIELD / 2) * 0.86, wide = tall * aspect;
  let target = centre, distance = 0;
  for (let pass = 0; pass < 3; pass++) {
    distance = cloud.reduce((far, point) => {
      const d = sub(point, target);
      return Math.max(far, dot(back, d) + Math.max(Math.abs(dot(right, d)) / wide, Math.abs(dot(up, d)) / tall));
    }, 0.1 * radius);
    // Centre what is seen, not what is there: near things look larger.
    const seen = cloud.map((point) => {
      const d = sub(point, target), depth = distance - dot(back, d);
      return [dot(right, d) / depth, dot(up, d) / depth];
    });
    const middle = (c) => (seen.reduce((m, s) => Math.min(m, s[c]), Infinity) + seen.reduce((m, s) => Math.max(m, s[c]), -Infinity)) / 2;
    target = add(target, add(scale(right, middle(0) * distance), scale(up, middle(1) * distance)));
  }
  return { azimuth, elevation, distance, target };
}

function eyes(width, height) {
  const { right, up, back } = basis(camera);
  const eye = add(camera.target, scale(back, camera.distance));
  const near = camera.distance * 0.02, far = camera.distance * 4 + radius * 20;
  const f = 1 / Math.tan(FIELD / 2), a = width / height;
  const project = new Float32Array([f / a, 0, 0, 0, 0, f, 0, 0, 0, 0, -(far + near) / (far - near), -1, 0, 0, (-2 * far * near) / (far - near), 0]);
  return { eye, right, up, back, near, f, matrix: times(project, lookFrom(eye, right, up, back)), width, height };
}
