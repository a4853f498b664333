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
    // Along the axes of the camera, from the target.
    const across = dot(right, target), upwards = dot(up, target), towards = dot(back, target);
    const each = (use) => {
      for (let i = 0; i < cloud.length; i += 3) {
        const x = cloud[i], y = cloud[i + 1], z = cloud[i + 2];
        use(
          right[0] * x + right[1] * y + right[2] * z - across,
          up[0] * x + up[1] * y + up[2] * z - upwards,
          back[0] * x + back[1] * y + back[2] * z - towards,
        );
      }
    };
    distance = 0.1 * radius;
    each((x, y, z) => (distance = Math.max(distance, z + Math.max(Math.abs(x) / wide, Math.abs(y) / tall))));
    // Centre what is seen, not what is there: near things look larger.
    let west = Infinity, east = -Infinity, south = Infinity, north = -Infinity;
    each((x, y, z) => {
      const depth = distance - z;
      west = Math.min(west, x / depth);
      east = Math.max(east, x / depth);
      south = Math.min(south, y / depth);
      north = Math.max(north, y / depth);
    });
    target = add(target, add(scale(right, ((west + east) / 2) * distance), scale(up, ((south + north) / 2) * distance)));
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
