"""What transcripts write in several ways, and how numerals are read."""

from importlib.util import find_spec

import pytest

import celab
from celab.base.text.transcripts import Transcription, count_tags, in_digits


def spelled(number):
    """Spell a number from 0 to 99,999,999 in Chinese, by the rule of the schoolbook."""
    digits, units = "零一二三四五六七八九", ["", "十", "百", "千"]

    def section(value):
        text, is_gap = "", False
        for power in (3, 2, 1, 0):
            digit = value // 10**power % 10
            if digit:
                text += "零" * (is_gap and text != "") + digits[digit] + units[power]
            is_gap = not digit
        return text

    high, low = divmod(number, 10_000)
    if not high:
        return section(low) or "零"
    return section(high) + "万" + "零" * (0 < low < 1000) + section(low)


@pytest.mark.parametrize("step", [1, 37, 911, 12_345])
def test_numbers_are_read_as_they_are_spelled(step):
    for number in range(0, 500 * step, step):
        assert in_digits(spelled(number)) == str(number), spelled(number)


NUMERALS = {
    "十五": "15",
    "一百十五": "115",
    "一百五": "150",
    "一千二": "1200",
    "三万五": "35000",
    "三万零五": "30005",
    "两亿三千万": "230000000",
    "三万亿": "3000000000000",
    "1.5亿": "150000000",
    "5千": "5000",
    "２０２４": "2024",
    "二〇二四年十月一日": "2024年10月1日",
    "三點一四": "3.14",
    "二十三点五": "23.5",
    "三点": "3点",
    "3点5分": "3.5分",
    "三点五分": "3.5分",
    "百分之三点五": "3.5%",
    "百分之百": "百分之百",
    "12,345,678": "12345678",
    "1,23": "1,23",
    "万一": "万1",
    "十分": "10分",
    "第一": "第1",
    "两岸": "2岸",
    "no digits": "no digits",
    "": "",
}


@pytest.mark.parametrize("text", NUMERALS)
def test_numerals_in_digits(text):
    assert in_digits(text) == NUMERALS[text]
    assert in_digits(NUMERALS[text]) == NUMERALS[text]  # so that both sides may have either


def test_a_long_run_of_numerals_takes_little_time():
    assert len(in_digits("十万" * 50_000)) == 100_000
    assert in_digits("一" * 100_000) == "1" * 100_000


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("<unk> 好 <SPOKEN_NOISE> [laughter] {breath} %HESITATION (())", 6),
        ("<NON/> [*] [+] </b> [FIL]", 5),
        ("50%HESITATION 3 < 5 > 2 [1] {} <> a<b 【笑】 [笑] %d 100%", 0),
    ],
)
def test_tags(text, tags):
    assert count_tags([text]).total() == tags
    dropped = Transcription(tags="drop")([text])[0]
    assert not count_tags([dropped])
    assert (dropped == text) == (tags == 0)


PAIRS = {
    "tags": ("drop", "今天 <unk> 好 [laughter]", "今天 好"),
    "apostrophes": ("fold", "it’s ok", "it's ok"),
    "numerals": ("digits", "买了二十三把", "买了23把"),
    "contractions": ("expand", "It won’t. I'd gone, Mr Li's here", "it will not i had gone mister"),
    "fillers": ("drop", "Uh, well, um 好", "well 好"),
}
PAIRS["contractions"] = (*PAIRS["contractions"][:2], PAIRS["contractions"][2] + " li is here")


@pytest.mark.parametrize("option", PAIRS)
@pytest.mark.parametrize("metric", [celab.Mer, celab.Rouge1])
def test_an_option_makes_both_spellings_one_and_signs(metric, option):
    value, one, other = PAIRS[option]
    plain, chosen = metric(punctuation="drop"), metric(punctuation="drop", **{option: value})
    perfect = 100 if metric is celab.Rouge1 else 0
    assert plain.sentence_score(one, [other]).score != perfect
    assert chosen.sentence_score(one, [other]).score == perfect
    (before, after), *others = plain.signature.differences(chosen.signature)
    assert before.startswith("without ") and after.endswith(f":{value}") and not others


def test_brackets_are_dropped_with_all_that_is_in_them():
    text = "好 (music playing) 的 [笑 声] <a b>"
    assert celab.Mer(tags="brackets").tokens.cut(text) == ["好", "的"]
    assert len(celab.Mer(tags="drop").tokens.cut(text)) > 2


@pytest.mark.skipif(not find_spec("whisper_normalizer"), reason="whisper_normalizer: pip install")
def test_the_options_do_what_whisper_does():
    from whisper_normalizer.english import EnglishTextNormalizer

    whisper = EnglishTextNormalizer()
    options = {"tags": "brackets", "contractions": "expand", "fillers": "drop"}
    metric = celab.Mer(script="keep", **options)
    for text in (
        "Uh, it's [noise] Mr. Li's dog, isn't it? I'd gone (laughs) hmm, we've let's can't y'all.",
        "He <b>won't</b> say he'll be there; they're gonna go, I'm sure. Um... 'cause I'd been.",
    ):
        assert metric.tokens.cut(text) == whisper(text).split()
