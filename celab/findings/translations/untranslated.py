"""Finds untranslated texts of apps among those that equal their source.

A copy is untranslated unless it consists of names, units and codes, or has no letters outside
placeholders, tags and addresses. A word is a name if it is written like one (`GitHub`, `PDF`,
`mp3`), or if other translations of the app keep it at least as often as they replace it. A
capitalized word is a name unless it is common in apps, like `Settings`; of several capitalized
words, such as `Visual Studio Code`, one must be uncommon.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from celab.findings.markup import tag_spans
from celab.findings.markup.placeholders import Placeholders, placeholder_spans

_WORD = re.compile(r"[^\W_](?:[^\W_]|['’](?=[^\W_]))*")
_ADDRESS = re.compile(r"(?:https?|ftp)://\S+|www\.\S+|\S+@\S+\.\S+|[\w./\\-]*[/\\][\w./\\-]+")
_MAX_ACRONYM_LETTERS = 5
_UNITS = frozenset(
    """ah aqi b bar bpm bps c cd cl cm d db dba dbm deg dl dm dpi em etc f fps ft g gal gb gbps
    ghz gib h hpa hr hz inhg k kb kbps kg khz kib km kmh kn kpa kph kw kwh l lb lm lx m ma mah
    mb mbar mbps mg mhz mi mib min ml mm mmhg mo mpa mph mps ms mv mw mwh n ok oz pa pb ph pm
    ppb ppi ppm psi pt px rad rem rpm s sec tb uv v va var vs w wh x y yd yr""".split()
)
# Words that texts of apps often consist of, in the forms in which they stand alone.
_COMMON = frozenset(
    """a about accept access account accounts action actions activate active activity add added
    address admin administrator advanced after agree alert alerts all allow always amount an
    and any appearance application applications apply approve apr april archive are area as ask
    at attach attachment audio aug august author auto automatic available average away back
    background backup balance basic battery before billing black block blocked blue board body
    bold book bookmark bookmarks both bottom box brightness browse browser bug build button buy
    by calendar call camera cancel canceled cancelled card cards cart categories category
    center change changed changes channel channels charge charging chart chat check checkout
    choose city clean clear click client clipboard close closed cloud code collapse collection
    color colors colour column columns comment comments community company complete completed
    configuration configure confirm connect connected connecting connection contact contacts
    content continue control copied copy cost count country create created credit currency
    current custom customer cut daily danger dark dashboard data database date dates day days
    debug dec december default delete deleted delivery deny description design desktop details
    developer device devices dialog direction disable disabled discard disconnect disconnected
    discount discover dismiss display distance document documents domain done down download
    downloads draft drag draw drive drop duplicate duration edit editor effect email empty
    enable enabled end energy english enter entry environment error errors event events every
    everyone example exit expand expired export extension extensions external failed failure
    false family fan favorite favorites feature features feb february feed feedback female
    field fields file files filter filters find finish finished first fit flag floor folder
    folders follow followers following font footer for force forgot format forum forward free
    fri friday friends from front full gallery game games gas gender general generate german
    get go good green group groups guest guide hard has header health heat heating height hello
    help hidden hide high history home host hot hour hours house how humidity icon icons idle
    if ignore image images import important in inactive inbox incorrect info information input
    insert inside install installed integration interface interval invalid invite invoice is
    issue issues it italic item items jan january join jul july jun june keep key keyboard keys
    kitchen label language languages large last later latitude layout leave left less level
    library license light lights like limit line link links list lists live load loading local
    location lock locked log login logo logout longitude low mail main male manage manager
    manual map maps mar march mark maximum may me media medium member members memory menu
    message messages method microphone middle minimum minute minutes missing mobile mode model
    modified mon monday month monthly months more motion mouse move movie movies music mute my
    name narrow network never new news next night no none normal not note notes notification
    notifications nov november now null number object oct october of off office offline oil old
    on once one online only open opened opening operation option optional options or orange
    order orders original other others out output outside overview owner page pages paid panel
    parameters parent password paste path pause paused pay payment payments pending people
    percent percentage performance permission permissions person phone photo photos pick
    picture pictures plan play player please policy popular port portrait position post posts
    power preferences presence press pressure preview previous price print priority privacy
    private problem process processing product products profile profiles progress project
    projects properties protocol provider public publish published purchase quality quantity
    query question questions queue quick quit radio random range rate rating read ready reason
    receive received recent recipient record red redo reference refresh region register reject
    release reload remember remove rename repeat replace reply report reports request requests
    required reset resource resources response restart restore result results resume retry
    return review reviews right role roles room rooms rotate route row rows rule rules run
    running safety sale sat saturday save saved scale scan scene schedule scope screen script
    scroll search second seconds section security see select selected selection self send
    sender sensor sent sep september server servers service services session sessions set
    setting settings setup severity shape share shared shop show shuffle sign signal simple
    size skip sleep small snooze solid sort sound source space speed spring stable standard
    start started state statistics status step steps stop stopped storage store stream street
    string strong style subject submit subscribe subtitle subtotal success successful summary
    sun sunday support supported switch sync system table tag tags tap target task tasks team
    teams temperature template templates terms test text the theme this thu thursday time
    timeout timer title to today together toggle tomorrow tools top total track traffic
    transfer translate trash true try tue tuesday turn type unavailable undo unit units unknown
    unlock unread until up update updated updates upgrade upload usage use used user username
    users valid value values variable version vibration video videos view views visible visit
    voice volume wait waiting warning warnings water way weather web website wed wednesday week
    weekly weeks welcome what white who width wind window windows with work wrong year yearly
    years yellow yes yesterday you your zone zoom""".split()
)
_LANGUAGE_NAMES = frozenset(("english", "deutsch", "français", "español", "italiano", "português"))


def untranslated(sources: Sequence[str], outputs: Sequence[str]) -> Iterator[int]:
    """Yield the indices of the outputs that equal their source, but should be translated.

    >>> sources = ["Settings", "GitHub", "Open in Larder", "Larder", "%s KB"]
    >>> [*untranslated(sources, ["Settings", "GitHub", "用 Larder 打开", "Larder", "%s KB"])]
    [0]
    """
    pairs = [*zip(sources, outputs, strict=True)]
    copies = [place for place, (source, output) in enumerate(pairs) if _is_same(source, output)]
    if not copies:
        return
    kept: Counter[str] = Counter()
    for source, output in pairs:
        if not output.strip() or _is_same(source, output):
            continue
        in_output = {word.casefold() for word in words_of(output)}
        for word in {word.casefold() for word in words_of(source)}:
            kept[word] += 1 if word in in_output else -1
    for place in copies:
        if _needs_translation(words_of(sources[place]), kept):
            yield place


def words_of(text: str) -> list[str]:
    """Return the words of a text, outside of placeholders, tags and addresses.

    >>> words_of("Hi {name}, see <b>https://example.org</b>")
    ['Hi', 'see']
    >>> words_of("{n, plural, other {# files}}")
    ['files']
    """
    messages = Placeholders(text).messages if "," in text and "{" in text else []
    if messages:
        text = " ".join(branch for message in messages for branch in message.branches)
    spans = [span for _, span in placeholder_spans(text)]
    spans += [span for _, span in tag_spans(text)]
    spans += [match.span() for match in _ADDRESS.finditer(text)]
    pieces = [*text]
    for start, stop in spans:
        pieces[start:stop] = " " * (stop - start)
    return _WORD.findall("".join(pieces))


def _is_same(source: str, output: str) -> bool:
    return bool(source.strip()) and source.strip() == output.strip()


def _needs_translation(words: Sequence[str], kept: Counter[str]) -> bool:
    """Return whether a text with these words must differ from its source."""
    others = [word for word in words if not _is_kept(word, kept)]
    if not others:
        return False
    capitalized = [word for word in words if word[0].isupper() or _is_kept(word, kept)]
    if len(capitalized) < len(words):
        return any(not word[0].isupper() for word in others) or _are_common(words)
    return _are_common(words) or any(kept[word.casefold()] < 0 for word in words)


def _are_common(words: Sequence[str]) -> bool:
    return all(word.casefold() in _COMMON for word in words)


def _is_kept(word: str, kept: Counter[str]) -> bool:
    """Return whether a word is a name, a unit or a code, by its form or by other translations.

    >>> [_is_kept(word, Counter()) for word in ("iOS", "PDF", "kWh", "mp3", "Save", "files")]
    [True, True, True, True, False, False]
    """
    if len(word) == 1 or word.casefold() in _UNITS or not word.isalpha():
        return not ("'" in word or "’" in word)
    if any(letter.isupper() for letter in word[1:]):
        return not word.isupper() or (
            len(word) <= _MAX_ACRONYM_LETTERS and word.casefold() not in _COMMON
        )
    return kept[word.casefold()] > 0 or word.casefold() in _LANGUAGE_NAMES
