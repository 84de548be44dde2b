"""Our own words: a term has the same Chinese wherever the pages use it."""

import json
import re
from html import unescape
from pathlib import Path

import pytest

from celab.agreement import meta
from celab.report.html import page
from celab.report.html.agreement import evaluations_page
from celab.report.html.page import translations

JUDGED = Path(__file__).parents[3] / "examples" / "judged"
META = Path(page.__file__).parent / "templates" / "zh-meta.json"

# English terms, and what their Chinese has; `|` separates forms of one word.
TERMS = {
    "document": "文档",
    "domain": "领域",
    "filter": "筛选",
    "human judgment": "人工评价",
    "human score": "人工评分",
    "interval": "置信区间",
    "lexicon": "词典|《词林》",
    "median": "中位数",
    "metric": "指标",
    "output": "译文|输出",
    "precision": "精确率",
    "recall": "召回率",
    "reference": "参考",
    "resample": "重抽样",
    "score": "分",
    "seed": "随机种子",
    "segment": "句段",
    "signature": "签名",
    "significant": "显著",
    "significantly": "显著",
    "synonym": "同义",
    "system": "系统",
    "token": "词元",
    "translation": "译文",
    "weight": "权重",
}
# Lines of a file are sentences to people who paste them.
LINES = ("one segment per line", "每行一句")
# Words that would name one thing in two ways, or that nobody says.
UNWANTED = ("链接", "n 元组", "括线", "得分自", "度量", "评价指标", "片断", "假设译文", "令牌")
# A space stands between Chinese and Latin letters or digits.
UNSPACED = re.compile(r"[一-鿿][A-Za-z0-9]|[A-Za-z0-9%][一-鿿]")
# Names and signs that are the same in both languages.
SAME = {"Pearson", "Spearman", "Kendall", "WMT14 τ", "acc*eq", "ε"}


@pytest.mark.parametrize("term", TERMS)
def test_a_term_has_one_translation(term):
    texts = {
        text: chinese
        for text, chinese in translations("zh").items()
        if re.search(rf"(?<![/\w]){term}s?\b", text, re.IGNORECASE)
        and not (LINES[0] in text and LINES[1] in chinese)
    }
    assert texts
    assert {text for text, chinese in texts.items() if not re.search(TERMS[term], chinese)} == set()


def test_texts_of_the_meta_evaluation_keep_the_rules():
    for text, chinese in json.loads(META.read_text("utf-8")).items():
        assert not any(word in chinese for word in UNWANTED), (text, chinese)
        assert not UNSPACED.search(chinese), (text, chinese)
        # None stands beside Chinese punctuation.
        assert not re.search(r" [，。：；（）、]|[，。：；（）、] ", chinese), (text, chinese)
        assert not re.search(r"[,;:()](?! )(?=[一-鿿{])", chinese), (text, chinese)


def test_everything_on_the_page_of_a_meta_evaluation_has_its_chinese(tmp_path):
    folder = tmp_path / "judged"
    folder.mkdir()
    for path in JUDGED.rglob("*.t*"):
        target = folder / path.relative_to(JUDGED)
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(path.read_bytes())
    labels = "".join(f"{'news' if n < 2 else 'chat'}\td{n}\n" for n in range(5))
    (folder / "docs.tsv").write_text(f"domain\tdocument\n{labels}", "utf-8")
    evaluations = [
        meta.evaluate(JUDGED, ["celab"], n_resamples=40),
        meta.evaluate(folder, ["celab", "chrf", "ter"], by="domain", n_resamples=40),
    ]
    for chosen in (evaluations[1:], evaluations):
        page = evaluations_page(*chosen, report_lang="zh")
        said = {unescape(text) for text in re.findall(r'data-say="([^"]*)"', page)}
        for record in re.findall(r'data-says="([^"]*)"', page):
            said.add(json.loads(unescape(record))[1])
        letters = {text for text in said if re.search(r"[A-Za-z]", text)}
        assert len(letters) > 20
        assert letters - set(translations("zh")) - SAME == set()
        marked = re.findall(r"<(h\d|p|figcaption)\b[^>]*>(.*?)</\1>", page)
        texts = [unescape(re.sub("<[^>]*>", "", text)) for _, text in marked]
        assert len(texts) > 15
        assert [text for text in texts if UNSPACED.search(text)] == []
        assert '<html lang="zh-CN">' in page
        assert "<title>celab：评测指标与人工评价的对比，judged" in page
