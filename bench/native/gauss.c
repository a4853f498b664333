/* Gauss's collocation of order 2s for stiff motions: Newton's iterations with a Jacobian by differences.

Steps are the duration by powers of two, and change where the rates' last Legendre coefficient over a step says so. */
#include "quadruple.h"

#define STAGES 10
#define WIDE (STAGES * 32)
#define MOST_HALVINGS 40

static real node[STAGES], weight[STAGES], A[STAGES][STAGES], top[STAGES];

/* P_n and its derivative at x. */
static real legendre(int n, real x, real *slope) {
  real before = 1, now = x;
  for (int k = 2; k <= n; ++k) {
    const real next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
    before = now;
    now = next;
  }
  *slope = n * (x * now - before) / (x * x - 1);
  return now;
}

static void coefficients(void) {
  for (int i = 0; i < STAGES; ++i) {
    real slope, x = -cosq(M_PIq * (i + 0.75Q) / (STAGES + 0.5Q));
    for (int k = 0; k < 20; ++k) x -= legendre(STAGES, x, &slope) / slope;
    legendre(STAGES, x, &slope);
    node[i] = (1 + x) / 2;
    weight[i] = 1 / ((1 - x * x) * slope * slope);
    top[i] = (2 * STAGES - 1) * weight[i] * legendre(STAGES - 1, x, &slope);
  }
  for (int j = 0; j < STAGES; ++j) { /* the Lagrange polynomial of node j, and its integrals */
    real p[STAGES + 1] = {1};
    int degree = 0;
    for (int k = 0; k < STAGES; ++k) {
      if (k == j) continue;
      const real scale = 1 / (node[j] - node[k]);
      for (int d = ++degree; d >= 0; --d) p[d] = ((d ? p[d - 1] : 0) - node[k] * (d < degree ? p[d] : 0)) * scale;
    }
    for (int i = 0; i < STAGES; ++i) {
      real power = node[i];
      A[i][j] = 0;
      for (int d = 0; d < STAGES; ++d, power *= node[i]) A[i][j] += p[d] * power / (d + 1);
    }
  }
}

static real J[MOST][MOST], LU[WIDE][WIDE];
static int pivot[WIDE];

static void jacobian(const real *x) {
  static real near[MOST], up[MOST], down[MOST];
  memcpy(near, x, sizeof near);
  for (int j = 0; j < size; ++j) {
    const real step = 1e-12Q;
    near[j] = x[j] + step;
    rates(near, up);
    near[j] = x[j] - step;
    rates(near, down);
    near[j] = x[j];
    for (int i = 0; i < size; ++i) J[i][j] = (up[i] - down[i]) / (2 * step);
  }
}

/* LU of I - h A ⊗ J, rows pivoted. */
static void factorise(real h) {
  const int n = STAGES * size;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) LU[r][c] = (r == c) - h * A[r / size][c / size] * J[r % size][c % size];
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int r = k + 1; r < n; ++r)
      if (fabsq(LU[r][k]) > fabsq(LU[best][k])) best = r;
    pivot[k] = best;
    for (int c = 0; c < n && best != k; ++c) {
      const real kept = LU[k][c];
      LU[k][c] = LU[best][c];
      LU[best][c] = kept;
    }
    for (int r = k + 1; r < n; ++r) {
      const real factor = LU[r][k] /= LU[k][k];
      if (factor != 0)
        for (int c = k + 1; c < n; ++c) LU[r][c] -= factor * LU[k][c];
    }
  }
}

static void solve(real *b) {
  const int n = STAGES * size;
  for (int k = 0; k < n; ++k) {
    const real kept = b[pivot[k]];
    b[pivot[k]] = b[k];
    b[k] = kept;
  }
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < r; ++c) b[r] -= LU[r][c] * b[c];
  for (int r = n - 1; r >= 0; --r) {
    for (int c = r + 1; c < n; ++c) b[r] -= LU[r][c] * b[c];
    b[r] /= LU[r][r];
  }
}

/* Z = h (A ⊗ I) F(x + Z), until it moves no more; how much of the rates the last Legendre polynomial is, by 1 + |x|. */
static real collocated(const real *x, real h, real *end) {
  static real Z[WIDE], F[STAGES][MOST], left[WIDE], stage[MOST];
  real moved = 1, before = 2, error = 0;
  memset(Z, 0, sizeof Z);
  for (int iteration = 0; iteration < 60; ++iteration) {
    for (int s = 0; s < STAGES; ++s) {
      for (int i = 0; i < size; ++i) stage[i] = x[i] + Z[s * size + i];
      rates(stage, F[s]);
    }
    if (moved < 1e-29Q || (moved < 1e-26Q && moved >= before)) break;
    if (iteration == 59) return 1e9Q;
    for (int s = 0; s < STAGES; ++s)
      for (int i = 0; i < size; ++i) {
        left[s * size + i] = -Z[s * size + i];
        for (int j = 0; j < STAGES; ++j) left[s * size + i] += h * A[s][j] * F[j][i];
      }
    solve(left);
    before = moved;
    moved = 0;
    for (int k = 0; k < STAGES * size; ++k) {
      Z[k] += left[k];
      moved = largest(fabsq(left[k]), moved);
    }
    if (!(moved < 1e6Q)) return 1e9Q;
  }
  for (int i = 0; i < size; ++i) {
    real sum = 0, last = 0;
    for (int s = 0; s < STAGES; ++s) {
      sum += weight[s] * F[s][i];
      last += top[s] * F[s][i];
    }
    end[i] = x[i] + h * sum;
    error = largest(h * fabsq(last) / (1 + fabsq(x[i])), error);
  }
  return error;
}

static int integrate(real *x, real duration, real tolerance) {
  static real next[MOST];
  int halvings = 12;
  unsigned long long done = 0; /* steps of this length that were taken */
  const real much_less = tolerance * powq(2, -STAGES - 1);
  coefficients();
  if (STAGES * size > WIDE) return 1;
  while (done < 1ull << halvings) {
    const real h = duration / (1ull << halvings);
    jacobian(x);
    factorise(h);
    const real error = collocated(x, h, next);
    if (!(error <= tolerance)) {
      if (++halvings > MOST_HALVINGS) return 1;
      done *= 2;
      continue;
    }
    memcpy(x, next, sizeof next);
    ++done;
    if (error < much_less && done % 2 == 0) {
      --halvings;
      done /= 2;
    }
  }
  return 0;
}
