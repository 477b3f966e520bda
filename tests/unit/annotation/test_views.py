"""What is shown of a sentence."""

from __future__ import annotations

import pytest

from ramify.annotation.views import findings, likely_heads

ROW = "1\t{form}\tx\t{upos}\t_\t_\t0\troot\t_\t_\n\n"


def test_findings_are_at_their_words(session):
    assert findings(b"# sent_id = 1\n# text = Hi\n" + ROW.format(form="Hi", upos="INTJ").encode()) == []
    found = findings(ROW.format(form="Hi", upos="GREETING").encode() + b"\n\n")
    assert [(f["word"], f["column"], f["check"]) for f in found] == [("1", "UPOS", "unknown-upos")]


def test_likely_heads():
    import numpy as np

    assert likely_heads(np.array([0.2, 0.0, 0.7, 0.0999, 0.0001])) == [[2, 0.7], [0, 0.2], [3, 0.0999]]


@pytest.mark.parametrize(("form", "expected"), [("שלום", True), ("مرحبا", True), ("hello", False), ("12", False)])
def test_right_to_left(open_session, tmp_path, form, expected):
    path = tmp_path / "x.conllu"
    path.write_text(ROW.format(form=form, upos="INTJ"))
    assert open_session(path).view(0)["rtl"] is expected


def test_multiword_tokens_and_empty_nodes_are_shown(open_session, samples, tmp_path):
    path = tmp_path / "x.conllu"
    path.write_text(
        "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n1\tdo\tdo\tAUX\t_\t_\t0\troot\t0:root\t_\n"
        "2\tn't\tnot\tPART\t_\t_\t1\tadvmod\t1:advmod\t_\n2.1\tgo\tgo\tVERB\t_\t_\t_\t_\t1:dep\t_\n\n"
    )
    view = open_session(path).view(0)
    assert view["multiword"] == [{"first": 1, "last": 2, "form": "don't"}]
    assert view["empty"] == [{"id": "2.1", "form": "go", "deps": "1:dep"}]
