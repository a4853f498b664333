"""Convex polytopes: the hull of points by its vertices, faces and edges, and which of these touch at different times.

Triangles within `FLAT` of one plane are one face. Vertices that are on no common face are never all on a plane that
the polytope is behind, nor are edges: of one class of them a convex body touches one at a time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import combinations, pairwise, product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError

Floats: TypeAlias = NDArray[np.float64]
Points: TypeAlias = tuple[tuple[float, ...], ...]
#: Points that are nearer to a plane than this part of the size of the hull lie in it.
FLAT = 1e-6


@dataclass(frozen=True, eq=False)
class Polytope:
    """Vertices; faces, as loops of vertices that are counter-clockwise from outside, with outward unit normals; edges.

    An edge goes from vertex to vertex along its first face, and back along its second.
    """

    points: Floats
    loops: tuple[tuple[int, ...], ...]
    normals: Floats
    edges: tuple[tuple[int, int, int, int], ...]

    @property
    def size(self) -> float:
        """The largest edge of the box about it, along its axes."""
        return float(np.ptp(self.points, axis=0).max())

    def beyond(self, points: Floats) -> float:
        """How far the farthest of some points is beyond a face."""
        offsets = [self.points[loop[0]] @ n for loop, n in zip(self.loops, self.normals, strict=True)]
        return float((points @ self.normals.T - offsets).max())

    @property
    def triangles(self) -> NDArray[np.int64]:
        """Its surface as triangles, by three vertices each."""
        return np.array([(loop[0], *pair) for loop in self.loops for pair in pairwise(loop[1:])])

    @cached_property
    def vertex_classes(self) -> list[list[int]]:
        """The vertices in classes, of which no two are on one face."""
        return _classes(len(self.points), self.loops)

    @cached_property
    def edge_classes(self) -> list[list[int]]:
        """The edges in classes, of which no two are on one face."""
        near = defaultdict(list)
        for number, (*_, left, right) in enumerate(self.edges):
            for face in (left, right):
                near[face].append(number)
        return _classes(len(self.edges), near.values())


def _classes(count: int, groups: Iterable[Iterable[int]]) -> list[list[int]]:
    """Numbers in few classes, ascending, in which none of a group has another of it (D. Brélaz, 1979)."""
    others: list[set[int]] = [set() for _ in range(count)]
    for a, b in (pair for group in groups for pair in combinations(group, 2)):
        others[a].add(b)
        others[b].add(a)
    classes: list[list[int]] = []
    taken: list[set[int]] = [set() for _ in range(count)]  # classes that a number cannot be in
    left = set(range(count))
    while left:
        k = max(left, key=lambda k: (len(taken[k]), len(others[k]), -k))
        free = next(number for number in range(len(classes) + 1) if number not in taken[k])
        if free == len(classes):
            classes.append([])
        classes[free].append(k)
        left.remove(k)
        for other in others[k]:
            taken[other].add(free)
    return [sorted(each) for each in classes]


@lru_cache(maxsize=256)
def convex_hull(points: Points, most: int | None = None) -> Polytope:
    """The convex hull of points, or of `most` of them that are far out; points in one plane are refused."""
    from scipy.spatial import ConvexHull, QhullError

    vertices = np.array(points, dtype=float).reshape(-1, 3)
    size = float(np.ptp(vertices, axis=0).max(initial=0.0))
    try:
        hull = ConvexHull(vertices, qhull_options=f"Qt C-{FLAT * size:.17g}")  # without points that stand out by less
        vertices = vertices[hull.vertices]
        hull = ConvexHull(vertices)
    except (QhullError, ValueError):
        hull = None
    if hull is None or np.linalg.svd(vertices - vertices.mean(axis=0), compute_uv=False)[2] < FLAT * size:
        message = f"the convex hull of {len(points)} points has no volume."
        raise ModelError(message, "hull", "Give four points or more that are not in one plane.", "E-MODEL-SHAPE")
    if most is not None and len(hull.vertices) > most:
        return convex_hull(tuple(map(tuple, vertices[_far_out(vertices, most)].tolist())))
    face = np.arange(len(hull.simplices))
    for k, row in enumerate(hull.neighbors):
        for other in row:
            corners = vertices[hull.simplices[other]]
            if np.abs(corners @ hull.equations[k, :3] + hull.equations[k, 3]).max() < 2 * FLAT * size:
                face[face == face[other]] = face[k]
    for parts in (face, np.arange(len(face))):  # triangles, where points are so that faces of them do not close
        loops = [_outline(vertices, hull.simplices[parts == k], hull.equations[k, :3]) for k in np.unique(parts)]
        count = Counter(k for loop in loops for k in loop)
        loops = [[k for k in loop if count[k] > 2] for loop in loops]  # others are on edges
        sides = {(loop[k - 1], b): number for number, loop in enumerate(loops) for k, b in enumerate(loop)}
        if min(map(len, loops)) > 2 and all((b, a) in sides for a, b in sides):
            break
    kept = {k: number for number, k in enumerate(sorted({k for loop in loops for k in loop}))}
    points_kept, numbered = vertices[[*kept]], [[kept[k] for k in loop] for loop in loops]
    return _with_faces(points_kept, numbered)


@cache
def cube() -> Polytope:
    """The cube with edges of length 1 about the origin."""
    behind = [(0, 1, 3, 2), (0, 4, 5, 1), (0, 2, 6, 4)]  # the faces across x, y and z; vertex 7 - k is opposite to k
    loops = [loop for face in behind for loop in (face, tuple(7 - k for k in face[::-1]))]
    return _with_faces(np.array(list(product((-0.5, 0.5), repeat=3))), loops)


def _with_faces(points: Floats, loops: Sequence[Sequence[int]]) -> Polytope:
    """The polytope with these vertices and faces."""
    sides = {(loop[k - 1], b): number for number, loop in enumerate(loops) for k, b in enumerate(loop)}
    areas = np.array([_area(points[list(loop)]) for loop in loops])
    edges = tuple((a, b, left, sides[b, a]) for (a, b), left in sides.items() if a < b)
    return Polytope(points, tuple(map(tuple, loops)), areas / np.linalg.norm(areas, axis=1, keepdims=True), edges)


def _outline(points: Floats, triangles: NDArray[np.int32], normal: Floats) -> list[int]:
    """The outline of triangles that are nearly in a plane, counter-clockwise about its normal."""
    sides = set()
    for a, b, c in triangles.tolist():
        is_turned = np.cross(points[b] - points[a], points[c] - points[a]) @ normal < 0
        sides |= {(b, a), (c, b), (a, c)} if is_turned else {(a, b), (b, c), (c, a)}
    after = {a: b for a, b in sides if (b, a) not in sides}
    loop = [min(after)]
    while len(loop) < len(after) and after[loop[-1]] != loop[0]:
        loop.append(after[loop[-1]])
    return loop


def _area(loop: Floats) -> Floats:
    """Twice the area of a loop, along its normal."""
    arms = loop - loop[0]
    return np.asarray(np.cross(arms, np.roll(arms, -1, axis=0)).sum(axis=0))


def _far_out(points: Floats, most: int) -> list[int]:
    """Numbers of points, of which each next one is the farthest outside of the hull of those before."""
    from scipy.spatial import ConvexHull

    chosen = [int(np.argmin(points[:, 0])), int(np.argmax(points[:, 0]))]
    for _ in range(2):
        flat = np.linalg.qr((points[chosen[1:]] - points[chosen[0]]).T)[0]
        arms = points - points[chosen[0]]
        chosen.append(int(np.argmax(np.linalg.norm(arms - arms @ flat @ flat.T, axis=1))))
    hull = ConvexHull(points[chosen], incremental=True)
    while len(chosen) < most:
        beyond = (points @ hull.equations[:, :3].T + hull.equations[:, 3]).max(axis=1)
        beyond[chosen] = -np.inf
        chosen.append(int(np.argmax(beyond)))
        hull.add_points(points[chosen[-1:]])
    return chosen


def as_points(given: Any) -> Floats:
    """Points as an array, three finite numbers each; ValueError or TypeError for others."""
    points = np.array([[float(x) for x in point] for point in given])
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        raise ValueError("not points of three finite numbers")
    return points


def check_convex(points: Floats, faces: Any) -> None:
    """Refuse triangles that are not closed, or have not the volume of their convex hull; ValueError for none at all."""
    label, triangles = "shape 'mesh'", np.array(faces, dtype=np.int64).reshape(-1, 3)
    if not len(triangles) or triangles.min() < 0 or triangles.max() >= len(points):
        raise ValueError("not triangles")
    vertices, number = np.unique(points, axis=0, return_inverse=True)
    corners = number.reshape(-1)[triangles]
    corners = corners[(corners != np.roll(corners, 1, axis=1)).all(axis=1)]
    sides = Counter(map(tuple, np.concatenate([corners[:, [k, (k + 1) % 3]] for k in range(3)]).tolist()))
    open_sides = sum(max(0, count - sides.get((b, a), 0)) for (a, b), count in sides.items())
    if open_sides or not sides:
        message = f"the mesh is not closed: {open_sides} sides of its triangles have no other on the same edge."
        raise ModelError(message, label, "Repair it, or give hull=True for its convex hull.", "E-MODEL-SHAPE")
    hull = convex_hull(tuple(map(tuple, vertices.tolist())))
    volumes = [_volume(vertices[corners]), _volume(hull.points[hull.triangles])]
    if volumes[0] < (1 - FLAT) * volumes[1]:
        message = f"the mesh is not convex: it has {volumes[0] / volumes[1]:.6g} of the volume of its convex hull."
        raise ModelError(message, label, "Give hull=True for its hull, or convex parts.", "E-MODEL-SHAPE")


def _volume(triangles: Floats) -> float:
    a, b, c = np.moveaxis(triangles - triangles[0, 0], 1, 0)
    return float(abs(np.einsum("ki,ki->", a, np.cross(b, c)))) / 6
