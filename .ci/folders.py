"""The folders of a target form a stack: a file names types of its own folder and of folders below it, and no two folders stand on each
other. Names those that do, and by which names; ends with 1 then.

A provider's own folder is left out: the provider, which lies there, is what its readers and uploads are of.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
WORDS = r"(?:@\w+(?:\([^)]*\))?\s+|(?:public|package|internal|fileprivate|private|open|final|indirect|nonisolated)(?:\(\w+\))?\s+)*"
DECLARATION = re.compile(rf"^{WORDS}(?:struct|class|enum|actor|protocol|typealias|func|let|var)\s+(\w+)", re.M)


def code(text: str) -> str:
    """The text without comments, and of what stands in quotation marks only what is put in."""

    def put_in(match: re.Match) -> str:
        return " ".join(re.findall(r"\\\(([^)]*)\)", match.group(1)))

    text = re.sub(r'"""(.*?)"""', put_in, text, flags=re.S)
    return "\n".join(re.sub(r"//.*", "", re.sub(r'"((?:[^"\\]|\\.)*)"', put_in, line)) for line in text.splitlines())


def names(target: pathlib.Path) -> dict[tuple[str, str], set[str]]:
    """For each two folders the names that files of the first take from the second."""
    files = {file: code(file.read_text()) for file in target.rglob("*.swift")}
    folder = {file: str(file.parent.relative_to(target)) for file in files}
    owners = collections.defaultdict(set)
    for file, text in files.items():
        for match in DECLARATION.finditer(text):
            if not re.search(r"\b(?:file)?private\b(?!\()", match.group(0)):
                owners[match.group(1)].add(file)
    taken = collections.defaultdict(set)
    for file, text in files.items():
        own = {match.group(1) for match in DECLARATION.finditer(text)}
        for name in set(re.findall(r"(?<![.\w])\w+", text)) & owners.keys() - own:
            for owner in owners[name]:
                taken[folder[file], folder[owner]].add(name)
    return {pair: found for pair, found in taken.items() if pair[0] != pair[1]}


def circles(below: dict[str, set[str]]) -> list[list[str]]:
    """Groups of folders each of which leads to all others of its group."""

    def reach(start: str) -> set[str]:
        seen, rest = set(), [start]
        while rest:
            for other in below.get(rest.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    rest.append(other)
        return seen

    reached = {folder: reach(folder) for folder in below}
    return [list(group) for group in {tuple(sorted(b for b in reached[a] if a in reached.get(b, ()))) for a in below} if len(group) > 1]


failed = False
for target in sorted([*ROOT.glob("Sources/*"), *ROOT.glob("Providers/*")]):
    taken = names(target)
    if target.parent.name == "Providers":
        taken = {pair: found for pair, found in taken.items() if "." not in pair}
    below = collections.defaultdict(set)
    for upper, lower in taken:
        below[upper].add(lower)
    for group in circles(below):
        failed = True
        print(f"{target.relative_to(ROOT)}: these folders stand on each other: {', '.join(group)}")
        for (upper, lower), found in sorted(taken.items()):
            if upper in group and lower in group:
                print(f"  {upper} takes from {lower}: {', '.join(sorted(found))}")
sys.exit(failed)
