"""German words that help or hinder the splitting of compounds, in lists written by hand.

Frequencies know neither part of speech nor age: these lists say which frequent words are no parts
of compounds, and which short ones are. `celab.analysis.compounds` says how they are used. All are
kept as `fold` spells them.
"""

from __future__ import annotations

import unicodedata


def fold(text: str) -> str:
    """Lower case with ss for ß, as `wordfreq` has it, and umlauts in one piece."""
    return text.casefold() if text.isascii() else unicodedata.normalize("NFC", text.casefold())


def _words(text: str) -> frozenset[str]:
    return frozenset(map(fold, text.split()))


# No part of a compound, though each is frequent by itself.
FUNCTION_WORDS = _words(
    """
    aber alle allem allen aller allerdings alles also andere anderem anderen anderer anderes auch
    außerdem bald beide beiden beim beinahe bereits bevor bist bloß dabei dadurch dafür dagegen
    daher dahin damals damit danach daneben dann daran darauf daraus darf darin darum darunter
    darüber dass davon davor dazu dein deine deinem deinen deiner deines dem den denen denn dennoch
    der deren derer des deshalb dessen deswegen dich die dies diese diesem diesen dieser dieses doch
    dort durfte eben ebenso ehe eher eine einem einen einer eines einige einigen einmal erst etwa
    etwas euch euer eure eurem euren eurer falls fast gegen genau genug gerade gern gibt habe haben
    hast hatte hatten hätte hätten hier hinaus ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres immer
    indem irgend irgendwann ist jede jedem jeden jedenfalls jeder jedes jedoch jemand jene jenem
    jenen jener jenes jetzt kann kein keine keinem keinen keiner keines konnte konnten könnte
    könnten können leider manche manchem manchen mancher manches manchmal mehr mehrere mein meine
    meinem meinen meiner meines mich muss musste mussten möchte müssen natürlich nein nicht nichts
    noch nämlich obwohl oder oft ohne schon sehr seid seien sein seine seinem seinen seiner seines
    seit sich sind sobald sogar solche solchem solchen solcher sollen sollte sollten somit sondern
    sonst sowie statt trotz trotzdem und uns unser unsere unserem unseren unserer viel viele vielen
    vieler vielleicht wann waren warum weil weiter weitere weiteren welche welchem welchen welcher
    welches wenig wenige weniger wenn werde werden weshalb wessen will wird wirst wohl wollen wollte
    worden wurde wurden während wäre wären würde würden zumindest zwar zwischen
    aufm ausm
    """
)
# Prepositions and adverbs that are also prefixes of verbs and of nouns made from them: Übergang,
# Voraussetzung, Rückkehr hold no word that could stand for the whole. Foreign ones likewise.
PREFIXES = _words(
    """
    durch empor entgegen fehl fort gegenüber haupt herab heran herauf heraus herbei herein herum
    herunter hervor hinauf hinein hinter hinzu inne miss nach nahe neben nieder ober quer rück
    sonder unter voran voraus vorbei vorher vorüber wider wieder zurück zusammen über überein
    anti extra hyper inter kombi kontra mega meta mikro mini mono multi para poly pseudo semi super
    supra tele trans ultra vize
    """
)
# Endings that are also words, or are counted as such. They may open a compound (Haftstrafe), ...
SUFFIXES = _words(
    """
    artig barer baren chen chens eien enden ender endes erei erin erinnen erweise fach hafte haften
    heit heiten ieren iert ierte ierung ierungen igen igkeit innen isch ische ischen ismus isten
    istin ität itäten keit keiten lein leins lich liche lichen licher lichkeit ling linge lings lose
    losen losigkeit mals maßen nisse nissen oren orin same samen samkeit sche schaft schaften ster
    ionen ation ationen tion tionen sion sionen ration rationen tümer tums ungen voll volle vollen
    wärts weise ment mente ator atoren anten enzen enten euren iere
    """
)
# ... and these nouns may close one after a linking element: Woche-n-ende, but no Studier-ende.
AFTER_LINK = frozenset({"ende", "haft"})
# Three letters say little: Verkehr-sun-fall. These are parts all the same, ...
SHORT_NOUNS = _words(
    """
    abo akt amt arm art ast axt bad bau box bus bär cup dom eck eid eis fan fee gas hai heu hof hut
    job klo kuh kur lob lok mix mut not ohr oma opa ort ost rad rat reh ruf see ski süd tag tal tau
    tee tod ton tor typ tür uhr wal weg wut zeh zoo zug öl
    """
)
# ... and these at the beginning, ...
SHORT_OPENINGS = _words("alt ess gen neu pop roh rot")
# ... where adjectives of any length stand: Reinform, but no Lohn-s-teuer.
ADJECTIVES = _words(
    """
    breit früh hohl hübsch jung klein kurz lang langsam leicht rasch rein schief schlank schlau
    schmal schnell schwach schwer spät stark steil stolz streng teuer tief
    """
)
# Past tenses are no parts, but may look like a noun in -e: Sprach(e)-kurs, but no Lief-er-wagen.
PAST_TENSES = _words(
    """
    begann blieb fand fiel fuhr galt gewann ging hielt lief nahm rief saß schien schlief schrieb
    sprach stieg traf trat trug verlor warf wuchs
    """
)
# Compounds of old, whose parts mean nothing any more; they may be parts: Freitag-abend.
WHOLE = _words("montag dienstag donnerstag freitag samstag sonntag")
