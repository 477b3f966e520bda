"""Features of neighbours and of the path to the root, checked on a sentence that can be read."""

from ramify.compression import units_of
from ramify.compression.context import context_features
from ramify.data import Sentence

SENTENCE = Sentence(
    ("Old", "men", "who", "slept", "came", "home", "."),
    upos=("ADJ", "NOUN", "PRON", "VERB", "VERB", "ADV", "PUNCT"),
    heads=[2, 5, 4, 2, 0, 5, 5],
    deprels=("amod", "nsubj", "nsubj", "acl:relcl", "root", "advmod", "punct"),
)


def test_context_names_neighbours_clause_and_path():
    units = units_of(SENTENCE, rules=False)
    found = dict(zip((units.words[top].form for top in units.tops), context_features(units), strict=True))
    assert {"t-1,t,t+1=ADJ,NOUN,PRON", "w-1,w=old,men", "path=nsubj"} <= set(found["men"])
    assert "root,l=came,nsubj,1" in found["men"]
    assert "path=nsubj>acl:relcl>nsubj" in found["who"]
    assert "clause,l=root,nsubj" in found["men"]
    assert "t-2,t-1,t=^,^,ADJ" in found["Old"]
    assert "path=" in found["came"]
    assert all(len(names) == len(set(names)) for names in found.values())
