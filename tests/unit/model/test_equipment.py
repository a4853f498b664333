"""Equipment: records that nothing acts on, kept by model files, digests and pickles."""

import pickle

import pytest

import polhode as ph
from polhode.errors import ModelError
from polhode.formats import dumps_yaml, loads_yaml
from polhode.model import System


def arm() -> System:
    s = ph.System("arm")
    upper, fore = s.body("upper", 1, com=(0, 0, -1)), s.body("fore", 1, com=(0, 0, -1))
    a = s.joint("a", s.ground, upper, ph.Revolute("y"))
    s.joint("b", upper, fore, ph.Revolute("y"), at=(0, 0, -2))
    s.frame("hook", s.ground, (1, 0, 0))
    s.frame("tip", fore, (0, 0, -1))
    force = s.parameter("f", 3)
    s.equip("tendons", "pull", joints=["a", "b"], coefficients=[1, "-0.5"], stiffness=force, slack=(0, "0.1"))
    s.equip("tendons", "rope", frames=["hook", "tip"], upper=2)
    s.equip("actuators", "servo", joint="a", gear=(2,), gain=(50, 0, 0), bias=(0, -50, -1), force_upper=9)
    s.equip("actuators", "winch", tendon="rope", dynamics="filter", time_constant="0.1")
    s.equip("sensors", "angle", quantity="jointpos", of="a", value=a.q[0] + a.u[0])
    s.equip("geoms", "toe", body="tip", shape="box", size=(1, 2, 3), at=(0, 0, 1), rotation=("z", ph.pi / 2))
    s.equip("geoms", "floor", body=s.ground, shape="plane")
    s.equip("pairs", "toe on floor", geoms=["toe", "floor"], dimension=1)
    s.equip("excludes", "no self contact", bodies=["upper", "fore"])
    return s


def test_model_files_pickles_and_digests_keep_equipment() -> None:
    s = arm()
    again, carried = loads_yaml(dumps_yaml(s)), pickle.loads(pickle.dumps(s))
    for other in (again, carried):
        assert {**other.equipment} == {**s.equipment}
        assert other.model().digest == s.model().digest
    bare = ph.System("arm").model().digest
    assert s.equipment["geoms"]["toe"].body == "fore"
    assert arm().model().digest == s.model().digest != bare
    s.equip("excludes", "nor these", bodies=["ground", "fore"])
    assert s.model().digest != carried.model().digest


def test_equations_do_not_depend_on_equipment() -> None:
    s = arm()
    assert str(s.derive().forward_dynamics).count("f") == 0


@pytest.mark.parametrize(("table", "given", "code"), [
    ("actuators", {"joint": "c"}, "E-MODEL-NAME"),
    ("tendons", {"frames": ["hook", "nail"]}, "E-MODEL-NAME"),
    ("motors", {}, "E-MODEL-NAME"),
    ("sensors", {}, "E-MODEL-MISSING"),
    ("geoms", {"body": "fore", "shape": "cube"}, "E-MODEL-NAME"),
])  # fmt: skip
def test_wrong_equipment_is_refused(table: str, given: dict[str, object], code: str) -> None:
    with pytest.raises(ModelError) as caught:
        arm().equip(table, "new", **given)
    assert [each.code for each in caught.value.problems] == [code]
