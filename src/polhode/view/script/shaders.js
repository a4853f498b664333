// The programs that a graphics card runs.

const SUN = unit([-0.28, -0.62, 1.05]);
const SHADOW_SIZE = 2048;

const LIT = `
  uniform highp sampler2DShadow shadow; uniform mat4 sun; uniform float softness;
  float lit(vec3 p) {
    vec3 s = (sun * vec4(p, 1.0)).xyz * 0.5 + 0.5;
    if (any(lessThan(s.xy, vec2(0.0))) || any(greaterThan(s.xy, vec2(1.0)))) return 1.0;
    float z = min(s.z, 1.0), sum = texture(shadow, vec3(s.xy, z));
    for (int i = -2; i <= 2; i += 4) for (int j = -2; j <= 2; j += 4) sum += texture(shadow, vec3(s.xy + vec2(i, j) * softness, z));
    // Only at the edge of a shadow are more looks worth their time.
    if (sum == 0.0 || sum == 5.0) return sum / 5.0;
    sum = 0.0;
    for (int i = -2; i <= 2; i++) for (int j = -2; j <= 2; j++) sum += texture(shadow, vec3(s.xy + vec2(i, j) * softness, z));
    return sum / 25.0;
  }`;
const HEAD = "#version 300 es\nprecision highp float;\n";

const SHADERS = {
  solid: [
    `layout(location=0) in vec3 point; layout(location=1) in vec3 normal; layout(location=2) in vec3 color;
    uniform mat4 model, view; uniform mat3 normals; out vec3 p, n, c;
    void main() { vec4 w = model * vec4(point, 1.0); p = w.xyz; n = normals * normal; c = color; gl_Position = view * w; }`,
    `${LIT}
    in vec3 p, n, c; out vec4 pixel;
    uniform vec3 eye, toSun; uniform float bias, ground, reach, day, glow, alpha;
    void main() {
      vec3 N = normalize(n), V = normalize(eye - p), H = normalize(V + toSun);
      // The normals of patches are short: they are seen from in front alone, and throw no shadows.
      if (dot(n, n) < 0.1 && dot(N, V) < 0.0) discard;
      // The winding of a mesh cannot be trusted: what is seen looks at the eye.
      if (dot(N, V) < 0.0) N = -N;
      vec3 base = pow(mix(c, vec3(1.0), 0.3 * glow), vec3(2.2));
      float shade = lit(p + N * bias), sunny = max(dot(N, toSun), 0.0) * shade;
      float open = mix(0.62, 1.0, smoothstep(0.0, reach, p.z - ground));
      vec3 sky = mix(vec3(0.50, 0.56, 0.66), vec3(0.74, 0.80, 0.88), day), earth = mix(vec3(0.16), vec3(0.40, 0.38, 0.36), day);
      vec3 ambient = mix(earth, sky, 0.5 + 0.5 * N.z) * 0.62 * open;
      float fill = 0.16 * max(dot(N, normalize(vec3(0.8, 0.5, 0.25))), 0.0) + 0.14 * max(dot(N, V), 0.0);
      float shine = pow(max(dot(N, H), 0.0), 60.0) * 0.22 * shade + pow(max(dot(N, H), 0.0), 9.0) * 0.05 * shade;
      float rim = pow(1.0 - max(dot(N, V), 0.0), 4.0) * (mix(0.24, 0.10, day) + 0.5 * glow);
      vec3 light = base * (ambient + fill + vec3(1.0, 0.97, 0.92) * sunny * 0.95) + vec3(shine) + sky * rim;
      pixel = vec4(pow(min(light, vec3(1.0)), vec3(1.0 / 2.2)), 1.0) * alpha;
    }`,
  ],
  depth: [
    `layout(location=0) in vec3 point; layout(location=1) in vec3 normal; uniform mat4 model, sun;
    void main() { gl_Position = dot(normal, normal) < 0.1 ? vec4(2.0, 2.0, 2.0, 1.0) : sun * model * vec4(point, 1.0); }`,
    `void main() {}`,
  ],
  floor: [
    `layout(location=0) in vec2 point; uniform mat4 view; uniform vec3 middle; uniform float extent; out vec3 p;
    void main() { p = middle + vec3(point * extent, 0.0); gl_Position = view * vec4(p, 1.0); }`,
    `${LIT}
    in vec3 p; out vec4 pixel;
    uniform vec3 middle, line, shade; uniform float extent, cell, depth;
    float grid(float s, float w) {
      vec2 d = fwidth(p.xy), g = abs(fract(p.xy / s - 0.5) - 0.5) * s;
      vec2 a = (1.0 - smoothstep(vec2(w * 0.5 - 0.5), vec2(w * 0.5 + 0.5), g / d)) * (1.0 - smoothstep(0.12, 0.5, d.x / s + d.y / s));
      return max(a.x, a.y);
    }
    void main() {
      float fade = 1.0 - smoothstep(0.12, 0.98, length(p.xy - middle.xy) / extent);
      fade *= fade;
      float dark = depth * (1.0 - lit(p)) * fade;
      float ink = max(grid(cell / 5.0, 1.0) * 0.11, grid(cell, 1.2) * 0.30) * fade;
      pixel = vec4(line * ink + shade * dark * (1.0 - ink), ink + dark * (1.0 - ink));
    }`,
  ],
  trace: [
    `layout(location=0) in vec3 point; layout(location=1) in vec3 next; layout(location=2) in vec2 mark;
    uniform mat4 view; uniform vec2 size; uniform float width; out float when;
    void main() {
      vec4 a = view * vec4(point, 1.0), b = view * vec4(next, 1.0);
      vec2 d = (b.xy / max(b.w, 1e-6) - a.xy / max(a.w, 1e-6)) * size;
      vec2 side = length(d) > 1e-6 ? normalize(vec2(-d.y, d.x)) : vec2(0.0);
      a.xy += side * mark.x * width / size * a.w; a.z -= 0.0004 * a.w; when = mark.y; gl_Position = a;
    }`,
    `in float when; out vec4 pixel; uniform vec3 color; uniform float now, strength;
    void main() { float a = strength * (when <= now ? 0.95 : 0.24); pixel = vec4(color * a, a); }`,
  ],
};
