"""Unit tests mirror the package: whoever looks for the tests of a module finds them by its name."""

from __future__ import annotations


def modules_of(source, folder, name):
    """Return the files and folders that a test of this name may be about."""
    here = source / folder
    return (here / f"{name}.py", here / f"_{name}.py", here / name, *([here / "__init__.py"] * (name == "init")))


def test_every_unit_test_has_its_module(pytestconfig):
    root = pytestconfig.rootpath
    unit, source = root / "tests/unit", root / "src/ramify"
    tests = sorted(unit.rglob("test_*.py"))
    assert len(tests) >= 80
    lost = [
        str(test.relative_to(root))
        for test in tests
        if not any(
            m.exists() for m in modules_of(source, test.parent.relative_to(unit), test.stem.removeprefix("test_"))
        )
    ]
    assert lost == [], "name the test as its module, or put it in tests/features (several modules) or tests/repository"


def test_features_are_in_the_folders_of_packages(pytestconfig):
    root = pytestconfig.rootpath
    folders = [
        path.name for path in (root / "tests/features").iterdir() if path.is_dir() and path.name != "__pycache__"
    ]
    assert len(folders) >= 5
    assert [name for name in folders if not (root / "src/ramify" / name).is_dir()] == []
