"""A session: decisions in, the parser's answers out, and nothing but edited cells changed in the file."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from ramify.annotation import ChangedFileError, Session
from ramify.errors import InvalidInputError
from ramify.parsing import Head


def heads(view):
    return [word["head"] for word in view["words"]]


def accepted(session, write, path):
    """Accept the first sentence, and return what is written then."""
    session.act(0, {"do": "accept"})
    write()
    return path.read_text()


def test_a_decision_is_a_constraint(session, english):
    before = session.view(1)
    view = session.act(1, {"do": "head", "word": 9, "head": 4})
    assert view["words"][8]["head"] == 4
    assert view["words"][8]["probability"] == 1
    sentence = session.document.sentence(1)
    assert heads(view) == sentence.heads.tolist()
    dense = english.parser.parse(sentence, constraints=[Head(9, 4)], marginals=True).marginals
    for word in view["words"]:
        assert word["probability"] == pytest.approx(dense[word["head"], word["id"]], abs=1e-4)
    assert view["moved"] == [
        w["id"]
        for w, old in zip(view["words"], before["words"], strict=True)
        if (w["head"], w["label"]) != (old["head"], old["label"]) and w["id"] != 9
    ]


def test_words_that_were_moved_stay_marked_until_they_are_passed(open_session, sample):
    session = open_session(sample, price=0)
    for number in range(len(session)):
        view = session.view(number)
        rivals = [(w["heads"][1][0], w["id"]) for w in view["words"] if len(w["heads"]) > 1 and w["heads"][1][0]]
        for head, word in rivals[:4]:
            found = session.act(number, {"do": "head", "word": word, "head": head})
            if found.get("moved"):
                moved = found["moved"][0]
                assert found["words"][moved - 1]["mark"] == {"moved": True}
                passed = session.act(number, {"do": "lock", "through": len(view["words"])})
                assert not any(w["mark"].get("moved") for w in passed["words"])
                return
            session.undo()
    pytest.fail("no decision moves another word")


def test_what_a_decision_would_move_is_told_before_and_can_be_left_as_it_is(open_session, sample):
    session = open_session(sample, price=0)
    seen = 0
    for number in range(40):
        before = session.view(number)
        for word in before["words"]:
            for head, _ in word["heads"][1:2]:
                action = {"do": "head", "word": word["id"], "head": head}
                content = session.document.content
                would = session.preview(number, action)
                assert session.document.content == content
                found = session.act(number, action)
                if found.get("refused"):
                    continue
                assert [each["word"] for each in would] == found["moved"]
                assert all(found["words"][each["word"] - 1]["head"] == each["head"] for each in would)
                session.undo()
                if not would:
                    continue
                alone = session.act(number, action | {"alone": True})
                assert alone["words"][word["id"] - 1]["head"] == head
                wanted = [head if w["id"] == word["id"] else w["head"] for w in before["words"]]
                if is_tree(wanted):
                    assert heads(alone) == wanted
                    seen += 1
                session.undo()
        if seen >= 3:
            return
    pytest.fail("no decision moves another word")


def is_tree(heads):
    def rooted(word):
        for _ in heads:
            word = heads[word - 1] if word else 0
        return word == 0

    return heads.count(0) == 1 and all(map(rooted, range(1, len(heads) + 1)))


def test_one_word_is_accepted(session):
    view = session.act(1, {"do": "lock", "word": 5})
    assert [w["id"] for w in view["words"] if w["mark"]] == [5]
    with pytest.raises(InvalidInputError, match="expects word from 1 to"):
        session.act(1, {"do": "lock", "word": 99})


def test_locked_words_do_not_move_and_conflicts_name_them(session):
    view = session.act(1, {"do": "lock", "through": 6})
    locked = heads(view)[:6]
    head = locked[0]
    assert session.act(1, {"do": "head", "word": 9, "head": 4})["words"][0]["head"] == head
    content = session.document.content
    refused = session.act(1, {"do": "head", "word": head, "head": 1})
    assert refused["refused"]
    assert {(each["word"], each["head"]) for each in refused["conflict"]} == {(1, head), (head, 1)}
    assert session.document.content == content
    again = {
        "do": "head",
        "word": head,
        "head": 1,
        "without": [each for each in refused["conflict"] if each["word"] == 1],
    }
    mended = session.act(1, again)
    assert mended["words"][head - 1]["head"] == 1
    with pytest.raises(InvalidInputError, match="A decision to remove has the fields word and kind"):
        session.act(1, again | {"without": [{"word": "x"}]})


def test_what_the_file_has_and_the_parser_has_not_stays(session):
    """Gold trees differ from the parser's; a decision on one word does not undo them."""
    for number in range(6):
        view = session.view(number)
        word = view["words"][0]
        if len(word["heads"]) > 1:
            found = session.act(number, {"do": "head", "word": 1, "head": word["heads"][1][0]})
            changed = [
                w["id"] for w, old in zip(found["words"], view["words"], strict=True) if w["head"] != old["head"]
            ]
            doubtful = [w["id"] for w in view["words"] if w["probability"] < 0.5 and w["id"] != 1]
            assert not set(changed) & set(doubtful)


def test_forbidding_labels_and_dropping(session):
    view = session.view(1)
    head = view["words"][8]["head"]
    found = session.act(1, {"do": "forbid", "word": 9})
    assert found["words"][8]["head"] != head
    assert found["words"][8]["mark"]["forbidden"] == [head]
    found = session.act(1, {"do": "label", "word": 9, "label": "obj"})
    assert found["words"][8]["label"] == "obj"
    found = session.act(1, {"do": "label", "word": 9, "label": "own:label"})  # which the parser does not know
    assert found["words"][8]["label"] == "own:label"
    found = session.act(1, {"do": "head", "word": 3, "head": 4})
    assert found["words"][8]["label"] == "own:label"
    assert session.act(1, {"do": "free", "word": 9})["words"][8]["mark"] in ({}, {"moved": True})


def test_accepting_skipping_notes(session):
    assert session.act(0, {"do": "accept"})["state"] == "done"
    assert all(word["mark"] == {"locked": True} for word in session.view(0)["words"])
    assert session.act(0, {"do": "head", "word": 1, "head": 2})["state"] == ""
    assert session.act(2, {"do": "skip"})["state"] == "skipped"
    assert session.act(2, {"do": "reopen"})["state"] == ""
    assert session.act(2, {"do": "note", "text": "ask Ann"})["note"] == "ask Ann"
    assert session.act(2, {"do": "note", "text": "done <b>"})["comments"].count("# note = done <b>") == 1
    assert session.act(2, {"do": "note", "text": ""})["note"] == ""


def test_cells(session):
    found = session.act(1, {"do": "cell", "row": "3", "column": "FEATS", "value": "Number=Plur"})
    assert found["words"][2]["feats"] == "Number=Plur"
    assert session.undo()["words"][2]["feats"] == "Number=Sing"
    assert session.redo()["words"][2]["feats"] == "Number=Plur"
    assert session.redo() is None


def test_structure(session):
    count = len(session)
    view = session.act(1, {"do": "split_sentence", "word": 6})
    assert (len(session), len(view["words"]), session.view(2)["sent_id"][-2:]) == (count + 1, 5, "-2")
    assert len(session.act(1, {"do": "join_sentences"})["words"]) == 16
    assert [w["form"] for w in session.act(1, {"do": "split_token", "word": 6, "at": 3})["words"]][5:7] == [
        "vac",
        "uum",
    ]
    for _ in range(3):
        session.undo()
    assert len(session) == count


def test_candidates(session):
    view = session.view(1)
    found = session.heads(1, 9)
    assert [each["value"] for each in found][:2] == [head for head, _ in view["words"][8]["heads"]][:2]
    assert min(each["price"] for each in found) == 0
    labels = session.labels(1, 9)
    assert labels[0]["price"] == 0
    assert len(labels) == len(session.reparser.parser.labels)
    assert [each["price"] for each in labels] == sorted(each["price"] for each in labels)
    trees = session.k_best(1, 3)
    assert len(trees) == 3
    second = session.act(1, {"do": "tree", "k": 2})
    assert heads(second) == list(trees[1]["heads"])
    assert "Why is" in session.explain(1, 9)


def test_sentences_without_trees_get_a_proposal(open_session, tmp_path):
    path = tmp_path / "bare.conllu"
    path.write_text("1\tStars\tstar\tNOUN\tNNS\t_\t_\t_\t_\t_\n2\tfell\tfall\tVERB\tVBD\t_\t_\t_\t_\t_\n\n")
    session = open_session(path)
    view = session.view(0)
    assert (view["proposed"], heads(view)) == (True, [2, 0])
    assert session.document.content == path.read_bytes()  # a proposal is written only when it is accepted
    assert "2\tnsubj" in accepted(session, session.save, path)


def test_sentences_without_tags_are_tagged(english, tmp_path):
    path = tmp_path / "bare.conllu"
    path.write_text("1\tStars\t_\t_\t_\t_\t_\t_\t_\t_\n2\tfell\t_\t_\t_\t_\t_\t_\t_\t_\n\n")

    def tag(sentences):
        for tagger in english.taggers.values():
            tagger.annotate(sentences)

    session = Session(path, english.parser, tag=tag)
    assert session.view(0)["words"][1]["upos"] == "VERB"
    assert "\tVERB\t" in accepted(session, session.close, path)


def test_sentences_that_cannot_be_read_are_left_alone(open_session, tmp_path):
    path = tmp_path / "bad.conllu"
    path.write_text("1\tHi\t_\tX\t_\t_\t7\troot\t_\t_\n\n1\tHi\t_\tINTJ\t_\t_\t0\troot\t_\t_\n\n# the end\n")
    session = open_session(path)
    assert "HEAD" in session.view(0)["problem"]
    assert "comments only" in session.view(2)["problem"]
    assert session.view(0)["lines"][0].startswith("1\tHi")
    session.act(1, {"do": "cell", "row": "1", "column": "LEMMA", "value": "hi"})
    session.scan.run()
    assert session.scan.of(0).size == 0
    assert session.document.content == path.read_bytes().replace(b"Hi\t_\tINTJ", b"Hi\thi\tINTJ")


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ({"do": "nothing"}, "There is no action 'nothing'"),
        ({"do": "head", "word": 99, "head": 1}, "expects word from 1 to 16; got 99"),
        ({"do": "head", "word": 1, "head": True}, "expects head from 0 to 16; got True"),
        ({"do": "head", "word": 1, "head": 1}, "cannot be its own head"),
        ({"do": "label", "word": 1, "label": "a b"}, "label without blanks"),
        ({"do": "cell", "row": "1", "column": "FORM", "value": "x"}, "row, column"),
        ({"do": "note", "text": "a\nb"}, "one line of text"),
        ({"do": "split_token", "word": 1, "at": "x"}, "expects at, a number of characters"),
        ({"do": "tree", "k": 0}, "k from 1 to 20"),
    ],
)
def test_wrong_actions(session, action, message):
    with pytest.raises(InvalidInputError, match=message):
        session.act(1, action)


def test_wrong_places(session):
    with pytest.raises(InvalidInputError, match="200 sentences; got number 200"):
        session.view(200)
    with pytest.raises(InvalidInputError, match="words 1 to 7; got 8"):
        session.heads(0, 8)
    with pytest.raises(InvalidInputError, match="last sentence"):
        session.act(199, {"do": "join_sentences"})


def test_changes_by_others(session):
    session.document.path.write_bytes(b"1\tmine\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    with pytest.raises(ChangedFileError, match="changed by someone else"):
        session.act(0, {"do": "accept"})


def test_another_parser(session, english):
    session.use(english.parser)
    session.scan.close()
    assert session.view(0)["words"][0]["head"] == 3


FILES = ("ewt-sample-200.conllu", "treebanks/en_ewt-sample.conllu", "treebanks/da_cdt-sample.conll")


@pytest.mark.parametrize("name", FILES)
def test_a_session_changes_only_edited_cells(english, samples, tmp_path_factory, name):
    """Any decisions on any file: other cells of other sentences stay byte for byte; undo brings all bytes back."""

    @settings(max_examples=12, phases=[Phase.generate])
    @given(data=st.data())
    def check(data):
        path = Path(shutil.copy(samples / name, tmp_path_factory.mktemp("files")))
        session = Session(path, english.parser)
        original = session.document.content
        allowed = {}
        for _ in range(data.draw(st.integers(1, 5))):
            number = data.draw(st.integers(0, min(len(session), 6) - 1))
            words = [word["id"] for word in session.view(number)["words"]]
            word, head = data.draw(st.sampled_from(words)), data.draw(st.sampled_from([0, *words]))
            action = data.draw(
                st.sampled_from(
                    [
                        {"do": "head", "word": word, "head": head},
                        {"do": "head", "word": word, "head": head, "alone": True},
                        {"do": "label", "word": word, "label": "obj"},
                        {"do": "forbid", "word": word},
                        {"do": "lock", "through": word},
                        {"do": "accept"},
                        {"do": "cell", "row": str(word), "column": "XPOS", "value": "NEW"},
                    ]
                )
            )
            if action["do"] == "head" and word == head:
                continue
            columns = allowed.setdefault(number, {6, 7} if action["do"] not in ("lock", "accept") else set())
            columns |= {6, 7} if action["do"] not in ("lock", "accept") else set()
            if not session.act(number, action).get("refused") and action["do"] == "cell":
                columns.add((4, str(word)))
        session.save()
        for number, row, column in differing(original, path.read_bytes()):
            cells = allowed.get(number, set())
            assert column in cells or (column, row) in cells, (number, row, column)
        while session.document.undo() is not None:
            pass
        session.close()
        assert path.read_bytes() == original

    check()


def differing(one, two):
    """Return sentence, row and column of every cell that differs; line ends are part of the last cell."""
    lines, others = one.split(b"\n"), two.split(b"\n")
    assert len(lines) == len(others)
    found, number, inside = set(), 0, False
    for a, b in zip(lines, others, strict=True):
        if not a.strip():
            assert a == b
            number += inside
            inside = False
            continue
        inside = True
        if a != b:
            cells, changed = a.split(b"\t"), b.split(b"\t")
            assert len(cells) == len(changed) == 10
            found |= {(number, cells[0].decode(), i) for i in range(10) if cells[i] != changed[i]}
    return found


def test_probabilities_of_the_view_are_of_the_decisions(session):
    session.act(1, {"do": "lock", "through": 16})
    assert np.allclose([word["probability"] for word in session.view(1)["words"]], 1)
