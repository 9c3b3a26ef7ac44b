"""Refuses phrases that make comments, messages and documentation hard to read, and suggests others.

Reads `///` comments and string literals of Swift files, and the documentation without its code. Skips the names of the conformance kit's
behaviours, which are identifiers, and Documentation/Decisions, whose records keep the words of their day.
Prints FILE:LINE: "phrase": say "suggestion", and exits with 1 if it found any. With --count it prints counts for each phrase and the total.
"""

import collections
import pathlib
import re
import sys

# "…" is one to four words.
PHRASES = {
    "anew": "again",
    "whoever": "a caller that, an app that",
    "nobody": "no reader, no caller, no one",
    "is told": "receives, learns",
    "are told": "receive, learn",
    "told of": "called with, notified of",
    "tells of": "reports, describes",
    "what came": "the bytes received (name the thing)",
    "what comes": "the next bytes (name the thing)",
    "what is there": "the existing file (name the thing)",
    "of its own": "its own, separate",
    "of their own": "their own, separate",
    "stands in": "is in",
    "lies in": "is in",
    "takes no": "doesn't accept",
    "turns … over": "reverses, returns the other side of",
}

ROOT = pathlib.Path(__file__).resolve().parents[1]
SWIFT = ["Sources/**/*.swift", "Providers/**/*.swift", "Examples/**/*.swift"]
PAGES = ["Documentation/**/*.md", "README.md", "CHANGELOG.md"]
LEFT_OUT = ROOT / "Documentation" / "Decisions"

# In this order: a quotation mark inside a comment begins no string, and two slashes inside a string begin no comment.
PUT_IN = r"\\\((?:[^()\n]|\([^()\n]*\))*\)"
TOKEN = re.compile(
    rf"""
    (?P<documentation> ^[ ]*///[^\n]* )
    | (?P<comment> //[^\n]* | /\*.*?\*/ )
    | (?P<behaviour> Behaviour\(\s*(?:\w+:\s*)?\"[^\"\n]*\" )
    | (?P<string> \#\".*?\"\# | \"{{3}}.*?\"{{3}} | \"(?: {PUT_IN} | \\. | [^\"\\\n] )*\" )
    """,
    re.M | re.S | re.X,
)
CODE = r"(?ms)^ *(```+|~~~+).*?^ *\1|(`+)[^`].*?\2"
SEARCHED = {
    phrase: re.compile(r"\b" + phrase.replace(" … ", r"(?:\s\w+){1,4} ").replace(" ", r"\s+") + r"\b", re.I) for phrase in PHRASES
}


def without(pattern: str, text: str) -> str:
    """The text with each match blanked out. Line breaks stay."""
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", "\0", match.group(0)), text)


def prose(text: str) -> str:
    """The `///` comments and string literals of a Swift file, each in its place. A phrase may go on in the next line of a comment."""
    pieces, end = [], 0
    for token in TOKEN.finditer(text):
        pieces.append(without(".+", text[end : token.start()]))
        if token["documentation"]:
            pieces.append(without(CODE, token["documentation"].replace("///", "   ", 1)))
        elif token["string"]:
            pieces.append(without(PUT_IN, token["string"]))
        end = token.end()
    return "".join(pieces) + without(".+", text[end:])


def texts() -> list[tuple[pathlib.Path, str]]:
    """Each file that is searched, with its prose."""
    swift = [(file, prose(file.read_text())) for pattern in SWIFT for file in ROOT.glob(pattern) if ".build" not in file.parts]
    pages = [(file, without(CODE, file.read_text())) for pattern in PAGES for file in ROOT.glob(pattern) if LEFT_OUT not in file.parents]
    return sorted(swift + pages)


counts = collections.Counter()
for file, text in texts():
    found = sorted((match.start(), phrase) for phrase, search in SEARCHED.items() for match in search.finditer(text))
    for offset, phrase in found:
        counts[phrase] += 1
        if "--count" not in sys.argv:
            line = text.count("\n", 0, offset) + 1
            print(f'{file.relative_to(ROOT)}:{line}: "{phrase}": say "{PHRASES[phrase]}"')
if "--count" in sys.argv:
    for phrase in PHRASES:
        print(f"{counts[phrase]:5} {phrase}")
    print(f"{counts.total():5} in all")
sys.exit(counts.total() > 0)
