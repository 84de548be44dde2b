"""What tests of TESLA-M draw: tagged words, groups, and the metric that compares them."""

from hypothesis import strategies as st
from oracle import tesla_m as twin

import celab

# A tag decides whether a word is a function word, as in every tag set.
TAGS = {"N": False, "V": False, "F": True}
WORD = st.builds(
    lambda lemma, tag: twin.Word(lemma, lemma, tag, TAGS[tag]),
    st.sampled_from(["a", "b", "c", "d", "."]),
    st.sampled_from(list(TAGS)),
)
SENTENCE = st.lists(WORD, min_size=1, max_size=6)
GROUPS = st.lists(
    st.lists(st.sampled_from("abcd"), min_size=2, max_size=3, unique=True), max_size=3
)


def tagged(words):
    return " ".join(f"{word.form}|{word.lemma}|{word.tag}" for word in words)


def metric(tmp_path_factory, groups, **options):
    lexicon = None
    if groups:
        lexicon = tmp_path_factory.mktemp("groups") / "groups.tsv"
        lexicon.write_text("".join("\t".join(group) + "\n" for group in groups), "utf-8")
    return celab.TeslaM(analysis="tagged", function_tags=["F"], lexicon=lexicon, **options)
