"""Wiktionary's files, made up in the form of the true ones: dumps, and pages of two editions."""

from celab.lexicon.model import Settings
from celab.lexicon.readers import groups, wiktionary_dump
from celab.lexicon.source import SourceFile

HEADER = """\
<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="0.11" xml:lang="{code}">
  <siteinfo>
    <sitename>Wiktionary</sitename>
    <dbname>{code}wiktionary</dbname>
    <base>https://{code}.wiktionary.org/wiki/Main</base>
    <generator>MediaWiki 1.44.0-wmf.1</generator>
    <case>case-sensitive</case>
    <namespaces>
      <namespace key="0" case="case-sensitive" />
      <namespace key="10" case="case-sensitive">Template</namespace>
      <namespace key="110" case="case-sensitive">Thesaurus</namespace>
    </namespaces>
  </siteinfo>
"""

GERMAN = """\
{{{{Siehe auch|[[tisch]]}}}}
== Tisch ({{{{Sprache|{language}}}}}) ==
=== {{{{Wortart|Substantiv|Deutsch}}}}, {{{{m}}}} ===

{{{{Deutsch Substantiv Übersicht
|Genus=m
|Nominativ Singular=Tisch
}}}}

{{{{Worttrennung}}}}
:Tisch, {{{{Pl.}}}} Ti·sche

{{{{Bedeutungen}}}}
:[1] [[Platte]] auf Beinen
:[2] {{{{K|übertragen}}}} [[Runde]]

{{{{Herkunft}}}}
:von [[Scheibe]]{{{{QS Herkunft|unbelegt}}}}

{{{{Synonyme}}}}
{synonyms}

{{{{Sinnverwandte Wörter}}}}
:[1] [[Bank]], [[Pult]]

{{{{Gegenwörter}}}}
:[1] [[Stuhl]]

{{{{Oberbegriffe}}}}
:[1] [[Möbel]]

==== {{{{Übersetzungen}}}} ====
{{{{Ü-Tabelle|Ü-Liste=
*{{{{en}}}}: [1] {{{{Ü|en|table}}}}
}}}}
"""

CHINESE = """\
{{{{also|电脑}}}}
=={language}==
{{{{zh-forms|s=电脑}}}}

===發音===
{{{{zh-pron|m=diànnǎo}}}}

===名詞===
{{{{head|zh|名詞}}}}

# 會[[計算]]的[[機器]]。
{inline}
# 其他意思。
#* '''2001'''，某人，《書》
#: {{{{ux|zh|買了一臺'''電腦'''。}}}}

===={heading}====
{section}

====反義詞====
* {{{{zh-l|人腦}}}}

===參考===
* [[書]]
"""

# What parsers may choke on, if there is much of it.
HOSTILE = "{{ [[ '' [1 <ref> < ( , {{syn|zh| [[a| = [1] # <!-- {{{ {| & ''''' <b> / <a:".split()
HOSTILE += [" ", "auch ", "\n:", "\n#: {{syn|zh|a"]


def source_of(tmp_path, content, name, **settings):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return SourceFile(path, name, Settings(**settings))


def format_of(module):
    return module.__name__.rpartition(".")[2].replace("_", "-")


def read(module, source):
    return [(group.label, " ".join(group.words)) for group in groups(format_of(module), source)]


def page(title, text, ns=0, redirect=""):
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"""\
  <page>
    <title>{title}</title>
    <ns>{ns}</ns>
    <id>7</id>
{redirect}    <revision>
      <id>8</id>
      <parentid>6</parentid>
      <timestamp>2024-02-03T04:05:06Z</timestamp>
      <contributor><username>Jemand</username><id>9</id></contributor>
      <comment>made up</comment>
      <origin>8</origin>
      <model>wikitext</model>
      <format>text/x-wiki</format>
      <text bytes="{len(text.encode())}" sha1="x" xml:space="preserve">{escaped}</text>
      <sha1>x</sha1>
    </revision>
  </page>
"""


def dump(code, *pages):
    return HEADER.format(code=code) + "".join(pages) + "</mediawiki>\n"


def raw(tmp_path, content, name="x-pages-articles.xml", **settings):
    return read(wiktionary_dump, source_of(tmp_path, content, name, **settings))
