"""A small report, and what its tests read from the page."""

from dataclasses import replace

from celab.corpus import Corpus, Segment
from celab.people.error_spans import SeenSpan

IMAGE = """<img src=x onerror="document.title='hacked'">"""
SCRIPT = "<script>document.title = 'hacked'</script>"
TITLE = f"celab: good, {SCRIPT}"  # the names of the systems, as text
GOOD = ["我买了一把雨伞", "你好吗", IMAGE, "今天天气很好", "他们明天来"]
BAD = ["他卖雨衣", "你好吗", SCRIPT, "天气", "他们后天不来了"]
REFS = ["我买了一把伞", "你好吗", "图", "今天天气不错", "他们明天来"]
SOURCE = [
    "I bought an umbrella",
    "How are you",
    "image",
    "Nice weather today",
    "They come tomorrow",
]
BAD_IN_URL = SCRIPT.replace("=", "%3D")


def texts():
    segments = [Segment("first" if i < 3 else "second", str(i + 1)) for i in range(5)]
    return Corpus(
        segments=segments,
        systems={"good": GOOD, SCRIPT: BAD},
        refs=[REFS],
        ref_names=["ref"],
        source=SOURCE,
    )


def listed(page, column):
    return page.run(f"[...document.querySelectorAll('.row .c-{column}')].map(x => x.innerText)")


def places(page):
    return [int(text.split()[0]) for text in listed(page, "segment")]


def with_omission(campaign, system, place, severity):
    """Return a campaign with one more marked error, which has no place in the output."""
    omission = SeenSpan(
        system=system,
        segment=place + 1,
        start=None,
        end=None,
        severity=severity,
        category="omission",
        text="",
        seen=None,
        cost=None,
        place=place,
    )
    return replace(campaign, spans=replace(campaign.spans, spans=(*campaign.spans.spans, omission)))
