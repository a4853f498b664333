// The renderer that uses WebGL.

/** Whether a graphics card draws, and not a program that stands in for one. */
function hasCard() {
  const gl = document.createElement("canvas").getContext("webgl2"), more = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl?.getParameter(more ? more.UNMASKED_RENDERER_WEBGL : gl.RENDERER) ?? "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return !/swiftshader|llvmpipe|software|basic render/i.test(name);
}

function webgl() {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = resolution(1);
  // Without a graphics card smooth edges take as long as all the rest; there a picture at rest is drawn finer instead.
  const gl = canvas.getContext("webgl2", { antialias: hasCard(), alpha: true, premultipliedAlpha: true, powerPreference: "low-power" });
  if (!gl) return null;

  function program([vertex, fragment]) {
    const made = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, HEAD + source);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made) || "shader");
    const set = {};
    for (let i = 0; i < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); i++) {
      const { name, type } = gl.getActiveUniform(made, i), where = gl.getUniformLocation(made, name);
      set[name] = {
        [gl.FLOAT]: (v) => gl.uniform1f(where, v),
        [gl.FLOAT_VEC2]: (v) => gl.uniform2fv(where, v),
        [gl.FLOAT_VEC3]: (v) => gl.uniform3fv(where, v),
        [gl.FLOAT_MAT3]: (v) => gl.uniformMatrix3fv(where, true, v),
        [gl.FLOAT_MAT4]: (v) => gl.uniformMatrix4fv(where, false, v),
        [gl.SAMPLER_2D_SHADOW]: (v) => gl.uniform1i(where, v),
      }[type];
    }
    return (values) => {
      gl.useProgram(made);
      for (const [name, value] of Object.entries(values)) set[name]?.(value);
      return set;
    };
  }

  function arrays(...parts) {
    const made = gl.createVertexArray();
    gl.bindVertexArray(made);
    parts.forEach(([values, width], slot) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, values instanceof Float32Array ? values : new Float32Array(values), gl.STATIC_DRAW);
      gl.enableVertexAttribArray(slot);
      gl.vertexAttribPointer(slot, width, gl.FLOAT, false, 0, 0);
    });
    return made;
  }

  /** Triangles on the graphics card; those of one colour say it when they are drawn. */
  function uploaded({ points, normals, colors, triangles }) {
    const vertices = arrays([points, 3], [normals, 3], ...(colors.length ? [[colors, 3]] : []));
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(triangles), gl.STATIC_DRAW);
    return { vertices, length: triangles.length };
  }

  const onCard = new Map();
  /** What is drawn of a body: its solids as one, and each piece of its meshes where it sits. */
  function partsOf(body, k) {
    const { points, normals, colors, triangles } = meshOf(body, 48, false), parts = [];
    const [xs, ns, cs, ts] = [points, normals, colors, triangles].map((list) => list.flat());
    if (ts.length) parts.push({ k, ...uploaded({ points: xs, normals: ns, colors: cs, triangles: ts }) });
    for (const shape of body.shapes.filter(({ kind }) => kind === "mesh"))
      for (const piece of piecesOf(shape.mesh, "fine")) {
        if (!onCard.has(piece)) onCard.set(piece, uploaded(piece));
        parts.push({ k, ...onCard.get(piece), color: scale(rgb(piece.color || shape.color), WHITEST), ...seat(shape) });
      }
    return parts;
  }

  let solid, depth, floor, trace, parts, plane, map, target, ribbons = [];
  try {
    [solid, depth, floor, trace] = ["solid", "depth", "floor", "trace"].map((name) => program(SHADERS[name]));
    parts = [...data.bodies, ...lines].flatMap(partsOf);
    plane = arrays([[-1, -1, 1, -1, -1, 1, 1, 1], 2]);
    map = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, map);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    for (const [key, value] of [
      [gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
      [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL],
    ]) gl.texParameteri(gl.TEXTURE_2D, key, value);
    target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, map, 0);
  } catch {
    return null;
  }
  gl.enable(gl.DEPTH_TEST);
  gl.depthFunc(gl.LEQUAL);

  const drawn = new Set(parts.map(({ k }) => k));
  /** The sun's orthographic view of what is visible, as tight as a sphere around it. */
  function sunView(poses, shown) {
    const seen = poses.slice(0, count).map((pose, k) => [pose, reaches[k]]).filter((_, k) => shown[k] && drawn.has(k) && !isGhost(k));
    if (!seen.length) return { matrix: placed(turn(1, 0, 0, 0), [9, 9, 9]), size: 1 };
    const middle = scale(seen.reduce((sum, [pose]) => add(sum, pose.p), [0, 0, 0]), 1 / seen.length);
    const size = 1.05 * seen.reduce((far, [pose, reach]) => Math.max(far, Math.hypot(...sub(pose.p, middle)) + reach), 0);
    const right = unit(cross([0, 1, 0], SUN)), up = cross(SUN, right);
    const shrink = new Float32Array([1 / size, 0, 0, 0, 0, 1 / size, 0, 0, 0, 0, -1 / size, 0, 0, 0, 0, 1]);
    return { matrix: times(shrink, lookFrom(middle, right, up, SUN)), size };
  }

  function setTraces(paths) {
    ribbons.forEach(({ vertices }) => gl.deleteVertexArray(vertices));
    ribbons = paths.map(({ path, color, pale }) => {
      const points = [], nexts = [], marks = [];
      path.forEach((p, i) => {
        const next = i + 1 < path.length ? path[i + 1] : add(p, sub(p, path[Math.max(0, i - 1)]));
        for (const side of [-1, 1]) {
          points.push(...p);
          nexts.push(...next);
          marks.push(side, i * data.step);
        }
      });
      return { vertices: arrays([points, 3], [nexts, 3], [marks, 2]), length: 2 * path.length, color, pale };
    });
  }

  function draw({ poses, shown, lit, view, theme, now, around }) {
    const { matrix: sun, size } = sunView(poses, shown);
    const models = parts.map(({ k, S, N, p }) => {
      const pose = poses[k];
      if (!S) return { model: placed(pose.R, pose.p), normals: pose.R };
      return { model: placed(after(pose.R, S), add(apply(pose.R, p), pose.p)), normals: after(pose.R, N) };
    });
    const each = (set, faint) => parts.forEach(({ k, vertices, length, color }, n) => {
      if (!shown[k] || isFaint(k) !== faint) return;
      set.model(models[n].model);
      set.normals?.(models[n].normals);
      set.glow?.(k === lit ? 1 : 0);
      if (color) gl.vertexAttrib3fv(2, color);
      gl.bindVertexArray(vertices);
      gl.drawElements(gl.TRIANGLES, length, gl.UNSIGNED_INT, 0);
    });

    gl.disable(gl.BLEND);
    gl.depthMask(true);
    gl.bindTexture(gl.TEXTURE_2D, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(2, 4);
    each(depth({ sun }), false);
    gl.disable(gl.POLYGON_OFFSET_FILL);

    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.bindTexture(gl.TEXTURE_2D, map);
    const shared = { shadow: 0, sun, softness: 2.1 / SHADOW_SIZE, view: view.matrix };
    const set = solid({
      ...shared, eye: view.eye, toSun: SUN, bias: (8 * size) / SHADOW_SIZE, ground, reach: 0.25 * around.reach, day: theme.day,
    });
    set.alpha(1);
    each(set, false);

    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    if (data.ghosts.length || rods.some(({ opening }) => opening)) {
      // First how near they are, then their colour where nothing is nearer: so what is behind its own skin is not seen.
      set.alpha(0.3);
      gl.colorMask(false, false, false, false);
      each(set, true);
      gl.colorMask(true, true, true, true);
      each(set, true);
    }
    gl.depthMask(false);
    if (data.floor) {
      floor({
        ...shared, middle: around.middle, extent: 6 * around.reach, cell: around.cell,
        line: theme.grid, shade: theme.shade, depth: theme.day ? 0.27 : 0.6,
      });
      gl.bindVertexArray(plane);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
    for (const { vertices, length, color, pale } of ribbons) {
      trace({
        view: view.matrix, size: [canvas.width, canvas.height], width: (pale ? 1.4 : 2.2) * (canvas.width / view.width),
        color: rgb(vivid(color)), strength: pale ? 0.5 : 1, now: now - start,
      });
      gl.bindVertexArray(vertices);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, length);
    }
    gl.bindVertexArray(null);
  }

  const finest = gl.getContextAttributes().antialias ? 1 : Math.max(1, 2 / (devicePixelRatio || 1));
  return { name: "webgl2", canvas, draw, setTraces, finest };
}
