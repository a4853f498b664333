"""Butcher's tableaux of the explicit pairs with step-size control and dense output.

    k_i = f(t + c_i h, x + h Σ_j a_ij k_j),    x⁺ = x + h Σ b_j k_j,    k_s = f(t + h, x⁺) begins the next step

The error of a step is estimated by h Σ e_j k_j. Between t and t + h, with θ in [0, 1] and Δ = x⁺ - x,

    x(θ) = x + θ (Δ + (1-θ) (F_1 + θ (F_2 + (1-θ) (F_3 + …))))
    F_1 = h k_0 - Δ,    F_2 = 2Δ - h (k_0 + k_s),    F_{2+m} = h Σ_j d_mj k_j

where the sums of d may take further stages, which are computed only when a time inside the step is asked for.

The result of TP86 is by two orders better than the formula that its error is estimated by: an estimate E ~ h⁷ comes
with an error ~ E^(9/7). So that the error follows the tolerance ε, estimates of 0.4 ε^(-2/9) times as much are allowed.
Measured on robots and a T-handle at 1e-2 to 1e-12, errors of runs are some 0.04 to 5 ε, where those of DOP853 are
0.5 to 80 ε; to the same error TP86 needs some 0.65 to 0.8 of its evaluations, and mostly fewer than pairs of order 7
and 8 or the methods of Adams in LSODA and CVODE; pairs of order 9 are better below some 1e-10 on a Panda. Its
eighth stage is a hundred and fortieth of the step beyond the end of it: forces that jump are for the others.

P. Bogacki and L. F. Shampine, A 3(2) pair of Runge–Kutta formulas, 1989; J. R. Dormand and P. J. Prince, A family of
embedded Runge–Kutta formulae, 1980; E. Hairer, S. P. Nørsett and G. Wanner, Solving Ordinary Differential Equations I,
1993, sections II.5, II.6 and II.10 (the pair 8(5,3) with its interpolant of order 7). TP86: `tsitouras_papakostas`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from . import tsitouras_papakostas as tp86

_ALLOWED = 0.4


@dataclass(frozen=True)
class Pair:
    """An explicit pair whose last stage is the first of the next step."""

    order: int  # of the error estimate: a step of h has an error like h ** order
    c: tuple[float, ...]
    a: tuple[tuple[float, ...], ...]  # row i has i entries; the last row is b
    errors: tuple[tuple[float, ...], ...]  # one estimate, or the two of order 5 and 3
    more_c: tuple[float, ...] = ()
    more_a: tuple[tuple[float, ...], ...] = ()  # stages for the dense output alone
    d: tuple[tuple[float, ...], ...] = ()
    ahead: int = 0  # orders by which the error of the result is smaller than its estimate

    @property
    def stages(self) -> int:
        """How many rates a step has, that at its end included."""
        return len(self.a)

    @property
    def all_stages(self) -> int:
        """With those of the dense output."""
        return len(self.a) + len(self.more_a)

    @property
    def dense_rows(self) -> int:
        """How many rows the dense output has."""
        return 3 + len(self.d)

    @property
    def may_be_rough(self) -> bool:
        """Whether the dense output may be much less exact than the step, as that by stages of its own may be."""
        return bool(self.more_a)

    @property
    def allowance(self) -> tuple[float, float]:
        """A factor a and a power p: an estimate of the error may be a ε^-p times the tolerance ε.

        >>> PAIRS["DOP853"].allowance, PAIRS["TP86"].allowance
        ((1.0, 0.0), (0.4, 0.2222222222222222))
        """
        return (_ALLOWED, self.ahead / (self.order + self.ahead)) if self.ahead else (1.0, 0.0)


_RK23 = Pair(
    3,
    (0.0, 1 / 2, 3 / 4, 1.0),
    ((), (1 / 2,), (0.0, 3 / 4), (2 / 9, 1 / 3, 4 / 9)),
    ((5 / 72, -1 / 12, -1 / 9, 1 / 8),),
)

_RK45 = Pair(
    5,
    (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0),
    (
        (),
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
        (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    ),
    ((-71 / 57600, 0.0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40),),
    d=(
        (
            -12715105075 / 11282082432,
            0.0,
            87487479700 / 32700410799,
            -10690763975 / 1880347072,
            701980252875 / 199316789632,
            -1453857185 / 822651844,
            69997945 / 29380423,
        ),
    ),
)

_DOP853 = Pair(
    8,
    (
        0.0,
        0.05260015195876773,
        0.0789002279381516,
        0.1183503419072274,
        0.2816496580927726,
        0.3333333333333333,
        0.25,
        0.3076923076923077,
        0.6512820512820513,
        0.6,
        0.8571428571428571,
        1.0,
        1.0,
    ),
    (
        (),
        (0.05260015195876773,),
        (0.0197250569845379, 0.0591751709536137),
        (0.02958758547680685, 0.0, 0.08876275643042054),
        (0.2413651341592667, 0.0, -0.8845494793282861, 0.924834003261792),
        (0.037037037037037035, 0.0, 0.0, 0.17082860872947386, 0.12546768756682242),
        (0.037109375, 0.0, 0.0, 0.17025221101954405, 0.06021653898045596, -0.017578125),
        (
            0.03709200011850479,
            0.0,
            0.0,
            0.17038392571223998,
            0.10726203044637328,
            -0.015319437748624402,
            0.008273789163814023,
        ),
        (
            0.6241109587160757,
            0.0,
            0.0,
            -3.3608926294469414,
            -0.868219346841726,
            27.59209969944671,
            20.154067550477894,
            -43.48988418106996,
        ),
        (
            0.47766253643826434,
            0.0,
            0.0,
            -2.4881146199716677,
            -0.590290826836843,
            21.230051448181193,
            15.279233632882423,
            -33.28821096898486,
            -0.020331201708508627,
        ),
        (
            -0.9371424300859873,
            0.0,
            0.0,
            5.186372428844064,
            1.0914373489967295,
            -8.149787010746927,
            -18.52006565999696,
            22.739487099350505,
            2.4936055526796523,
            -3.0467644718982196,
        ),
        (
            2.273310147516538,
            0.0,
            0.0,
            -10.53449546673725,
            -2.0008720582248625,
            -17.9589318631188,
            27.94888452941996,
            -2.8589982771350235,
            -8.87285693353063,
            12.360567175794303,
            0.6433927460157636,
        ),
        (
            0.054293734116568765,
            0.0,
            0.0,
            0.0,
            0.0,
            4.450312892752409,
            1.8915178993145003,
            -5.801203960010585,
            0.3111643669578199,
            -0.1521609496625161,
            0.20136540080403034,
            0.04471061572777259,
        ),
    ),
    (
        (
            0.01312004499419488,
            0.0,
            0.0,
            0.0,
            0.0,
            -1.2251564463762044,
            -0.4957589496572502,
            1.6643771824549864,
            -0.35032884874997366,
            0.3341791187130175,
            0.08192320648511571,
            -0.022355307863886294,
            0.0,
        ),
        (
            -0.18980075407240762,
            0.0,
            0.0,
            0.0,
            0.0,
            4.450312892752409,
            1.8915178993145003,
            -5.801203960010585,
            -0.4226823213237919,
            -0.1521609496625161,
            0.20136540080403034,
            0.02265179219836082,
            0.0,
        ),
    ),
    more_c=(0.1, 0.2, 0.7777777777777778),
    more_a=(
        (
            0.056167502283047954,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.25350021021662483,
            -0.2462390374708025,
            -0.12419142326381637,
            0.15329179827876568,
            0.00820105229563469,
            0.007567897660545699,
            -0.008298,
        ),
        (
            0.03183464816350214,
            0.0,
            0.0,
            0.0,
            0.0,
            0.028300909672366776,
            0.053541988307438566,
            -0.05492374857139099,
            0.0,
            0.0,
            -0.00010834732869724932,
            0.0003825710908356584,
            -0.00034046500868740456,
            0.1413124436746325,
        ),
        (
            -0.42889630158379194,
            0.0,
            0.0,
            0.0,
            0.0,
            -4.697621415361164,
            7.683421196062599,
            4.06898981839711,
            0.3567271874552811,
            0.0,
            0.0,
            0.0,
            -0.0013990241651590145,
            2.9475147891527724,
            -9.15095847217987,
        ),
    ),
    d=(
        (
            -8.428938276109013,
            0.0,
            0.0,
            0.0,
            0.0,
            0.5667149535193777,
            -3.0689499459498917,
            2.38466765651207,
            2.117034582445028,
            -0.871391583777973,
            2.2404374302607883,
            0.6315787787694688,
            -0.08899033645133331,
            18.148505520854727,
            -9.194632392478356,
            -4.436036387594894,
        ),
        (
            10.427508642579134,
            0.0,
            0.0,
            0.0,
            0.0,
            242.28349177525817,
            165.20045171727028,
            -374.5467547226902,
            -22.113666853125306,
            7.733432668472264,
            -30.674084731089398,
            -9.332130526430229,
            15.697238121770845,
            -31.139403219565178,
            -9.35292435884448,
            35.81684148639408,
        ),
        (
            19.985053242002433,
            0.0,
            0.0,
            0.0,
            0.0,
            -387.0373087493518,
            -189.17813819516758,
            527.8081592054236,
            -11.57390253995963,
            6.8812326946963,
            -1.0006050966910838,
            0.7777137798053443,
            -2.778205752353508,
            -60.19669523126412,
            84.32040550667716,
            11.99229113618279,
        ),
        (
            -25.69393346270375,
            0.0,
            0.0,
            0.0,
            0.0,
            -154.18974869023643,
            -231.5293791760455,
            357.6391179106141,
            93.40532418362432,
            -37.45832313645163,
            104.0996495089623,
            29.8402934266605,
            -43.53345659001114,
            96.32455395918828,
            -39.17726167561544,
            -149.72683625798564,
        ),
    ),
)

_TP86 = Pair(7, tp86.C, tp86.A, (tp86.ERROR,), tp86.MORE_C, tp86.MORE_A, tp86.D, ahead=2)

#: The pairs by name.
PAIRS: Mapping[str, Pair] = MappingProxyType({"TP86": _TP86, "DOP853": _DOP853, "RK45": _RK45, "RK23": _RK23})
