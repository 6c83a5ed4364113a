"""The faults by chance that `make random-mutations` puts into conditions."""

import mutations
import pytest
import random_mutations
from random_mutations import FILES, Place, code, drawn, faults, places


def test_each_part_of_the_named_code_has_many_places():
    found = places()
    for part in FILES:
        assert len([place for place in found if place.part == part]) >= 20, part
    assert all(place.old != place.new for place in found)


def test_a_seed_draws_the_parts_in_turn_and_no_line_twice():
    order = drawn(7)
    assert order == drawn(7) != drawn(8)
    assert [place.part for place in order[:5]] == list(FILES)
    lines = [(place.path, place.line) for place in order]
    assert len(set(lines)) == len(lines)


@pytest.mark.parametrize(("line", "expected"), [
    ("    guard isGood else { return }", ["    guard !(isGood) else { return }"]),
    ("    if count >= most {", ["    if count > most {", "    if !(count >= most) {"]),
    ("    } else if a && b {", ["    } else if a || b {", "    } else if !(a && b) {"]),
    ("    return a == b", ["    return a != b"]),
    ("    while low < high {", ["    while low <= high {", "    while !(low < high) {"]),
    ("    if let known, known.a == b {", ["    if let known, known.a != b {"]),
    ("    guard try isThere(key) else {", []),
    ("    // if a == b {", []),
    ('    throw StorageError(.failed, "a == b")', []),
    ("    precondition(a == b)", []),
    ("    static func < (one: Self, other: Self) -> Bool {", []),
    ("    var list: Array<Int> = []", []),
    ("    return end > now ? end - now : 0", []),
])
def test_a_condition_is_negated_or_moved_by_one(line, expected):
    assert faults(line) == expected


def test_texts_and_comments_keep_the_columns():
    line = '    log("a \\"b\\" < c") // < d'
    assert len(code(line)) == len(line)
    assert "<" not in code(line)


def test_a_text_of_several_lines_has_no_places(tmp_path):
    (tmp_path / "a.swift").write_text('let sql = """\n    a < b\n    """\nlet c = d < e\n')
    found = places(tmp_path, {"part": ["a.swift"]})
    assert [(place.line, place.new) for place in found] == [(4, "let c = d <= e")]


def test_a_fault_is_put_once_and_taken_back(tmp_path):
    path = tmp_path / "a.swift"
    path.write_text("if a {\n}\nif a {\n}\n")
    place = Place("part", "a.swift", 3, "if a {", "if !(a) {")
    text = place.put(tmp_path)
    assert path.read_text() == "if a {\n}\nif !(a) {\n}\n"
    with pytest.raises(ValueError, match=r"a\.swift:3 is not as it was"):
        place.put(tmp_path)
    path.write_text(text)
    assert path.read_text() == "if a {\n}\nif a {\n}\n"


class Trials:
    """Trials without a compiler: what becomes of each fault is given."""

    def __init__(self, monkeypatch, tmp_path, results):
        self.results = list(results)
        self.seen = []
        for paths in FILES.values():
            for path in paths:
                target = tmp_path / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text((random_mutations.ROOT / path).read_text())
        self.before = {path: path.read_text() for path in tmp_path.rglob("*.swift")}
        monkeypatch.setattr(mutations, "COPY", tmp_path)
        monkeypatch.setattr(mutations, "copied", lambda: None)
        monkeypatch.setattr(mutations, "built", self.built)
        monkeypatch.setattr(mutations, "found", lambda: self.results.pop(0))

    def built(self, *, check):
        if check:
            return True
        changed = [path for path, text in self.before.items() if path.read_text() != text]
        self.seen.append(changed)
        if self.results[0] is None:
            self.results.pop(0)
            return False
        return True

    def are_undone(self):
        return all(path.read_text() == text for path, text in self.before.items())


def test_a_trial_has_one_fault_at_a_time(monkeypatch, tmp_path, capsys):
    trials = Trials(monkeypatch, tmp_path, ["found: 3 steps", None, "found: the program ends"])
    mutations.main(["--random", "3", "2"])
    assert [len(changed) for changed in trials.seen] == [1, 1, 1]
    assert trials.are_undone()
    assert "2 of 2 were found" in capsys.readouterr().out


def test_too_few_finds_fail(monkeypatch, tmp_path):
    results = ["found: 3 steps"] * 8 + ["NOT FOUND"] * 2
    trials = Trials(monkeypatch, tmp_path, results)
    with pytest.raises(SystemExit, match="too few"):
        mutations.main(["--random", "3", "10"])
    assert trials.are_undone()


@pytest.mark.parametrize("words", [[], ["3"], ["3", "0"], ["0", "3"], ["x", "3"], ["1", "2", "3"]])
def test_chance_takes_a_seed_and_a_count(words):
    with pytest.raises(SystemExit, match="--random takes a seed and a count, both above 0"):
        mutations.main(["--random", *words])
