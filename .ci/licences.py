#!/usr/bin/env python3
"""Writes assets/licences.txt: what of others is in the program, and under which licences.

It reads `cargo metadata` and the licence files of the crates as Cargo keeps them, so it needs all sources that
`cargo fetch` brings, and no network. The same Cargo.lock gives the same bytes. Run it after a change of Cargo.lock:

    cargo fetch --locked && python3 .ci/licences.py

`tests/layers/licences.rs` fails when the file does not name each crate of Cargo.lock.
"""

import json
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "assets/licences.txt"

HEAD = """\
Licences of what others made and benchtop contains

Made by .ci/licences.py; do not edit. benchtop itself is under the MIT licence, in its file LICENSE.

Each entry has the licence as an SPDX expression, the numbers of the texts at the end of this file, and the copyright
notices that stand in the licence files. The same text is printed once, without the notices. Where an expression gives a
choice with OR, benchtop does not use the GPL or LGPL, whose texts are left out. The crates are unchanged: the source of
each is the package of its name and version in the registry that Cargo uses, with the checksum in Cargo.lock.
"""
DATA_HEAD = """\
# Data and code that have no crate of their own

The weights and texts in the folder assets that are not named here were made for benchtop and are under its licence.
Syntax definitions in two-face that are not named here ask for no notice.
"""
CRATES_HEAD = """\
# Crates in the program

All that a build for any system and with any feature may contain.
"""
OTHERS_HEAD = """\
# Crates outside the program

Cargo.lock also names what only builds and tests use, and what only features that are off would need. Their texts are
not here.
"""

# Where the texts of these licences are taken from for crates that come without one.
STANDARD = {"MIT": ("serde", "LICENSE-MIT"), "Apache-2.0": ("serde", "LICENSE-APACHE")}

# Not known to Cargo: name, SPDX expression, notices.
DATA = [
    (
        "Sentence model all-MiniLM-L6-v2 of sentence-transformers, with its vocabulary (assets/sentence.weights)",
        "Apache-2.0",
        ["Changed: its weights are rounded to 8 bits and stored in another form."],
    ),
    (
        "Tokenizer data of tiktoken: cl100k_base, o200k_base, p50k_base, r50k_base (in tiktoken-rs)",
        "MIT",
        ["Copyright (c) 2025 OpenAI, Shantanu Jain"],
    ),
    (
        "Language data of Franc (in whatlang)",
        "MIT",
        [
            "Copyright (c) 2014 Titus Wormer <tituswormer@gmail.com>",
            "Copyright (c) 2008 Kent S Johnson",
            "Copyright (c) 2006 Jacob R Rideout <kde@jacobrideout.net>",
            "Copyright (c) 2004 Maciej Ceglowski",
        ],
    ),
    ("SQLite (in libsqlite3-sys)", "blessing", ["In the public domain."]),
    (
        "The Rust standard library",
        "MIT OR Apache-2.0",
        [
            "Copyright (c) The Rust Project Contributors",
            "What it contains of others is named in share/doc/rust/COPYRIGHT-library.html of the Rust toolchain.",
        ],
    ),
]

LICENCE_FILE = re.compile(r"(un)?licen[sc]e|copying|copyright|notice|third[-_]?party", re.IGNORECASE)
NOT_A_TEXT = re.compile(r"\.(rs|yml|bin|toml|json)$", re.IGNORECASE)
GPL = re.compile(r"GPL")
NOTICE = re.compile(r"\W*(Copyright|©)\s*(\(c\)|©|\d|[A-Z])", re.ASCII)
NO_NOTICE = re.compile(r"\W*Copyright (License|Notice|Holder|and )|yyyy|name of copyright", re.IGNORECASE)
TERMS = re.compile(r"permission|redistribution|licen[sc]ed?\b|warrant", re.IGNORECASE)
TITLE = re.compile(r"\W*((The )?MIT License( \(MIT\))?|License|ISC License)\W*", re.IGNORECASE)


class Texts:
    """The texts of licences, each once and numbered in the order in which they are first seen."""

    def __init__(self):
        self.numbers = {}
        self.texts = []

    def add(self, text):
        """Returns the number of a text without its copyright notices, and the notices."""
        kept, notices = split(text)
        same = re.sub(r"[^a-z0-9]+", " ", re.sub(r"https://", "http://", "\n".join(kept).lower())).strip()
        if not same:
            return None, notices
        if same not in self.numbers:
            self.texts.append("\n".join(kept).strip("\n"))
            self.numbers[same] = len(self.texts)
        return self.numbers[same], notices


def split(text):
    """Returns the lines of a licence text without title and copyright notices, and the notices.

    Notices that stand in several places belong to what is beside them: such a text is left whole.
    """
    kept, notices, places = [], [], 0
    whole = [line.rstrip().expandtabs() for line in text.lstrip("\ufeff").splitlines()]
    follows = False
    for paragraph in re.split(r"\n\n+", "\n".join(whole).strip("\n")):
        lines = paragraph.split("\n")
        is_notice = [bool(NOTICE.match(line)) and not NO_NOTICE.search(line) for line in lines]
        if is_notice[0] and not TERMS.search(paragraph):
            is_notice = [True] * len(lines)
        places += any(is_notice) and not follows
        follows = all(is_notice)
        notices += [line.strip() for line, notice in zip(lines, is_notice) if notice]
        rest = [line for line, notice in zip(lines, is_notice) if not notice]
        if not kept and rest and TITLE.fullmatch(rest[0]):
            rest = rest[1:]
        if rest:
            kept += rest + [""]
    return (kept, notices) if places <= 1 else (whole, [])


def cargo(*words):
    """Returns what a command of Cargo prints about Cargo.lock."""
    command = ["cargo", *words, "--locked", "--offline", "--all-features"]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def packages_and_used():
    """Returns the packages of Cargo.lock in order, and `name version` of those that a build may contain.

    Cargo.lock, and so `cargo metadata`, also has what no features of this package lead to; `cargo tree` has not.
    """
    found = json.loads(cargo("metadata", "--format-version", "1"))["packages"]
    tree = cargo("tree", "--edges", "normal", "--target", "all", "--prefix", "none", "--format", "{p}")
    used = {" ".join(line.split()[:2]).replace(" v", " ") for line in tree.splitlines() if line}
    packages = [package for package in found if package["source"]]
    return sorted(packages, key=lambda package: (package["name"], package["version"])), used


def licence_files(package):
    """Returns the paths of a crate's licence files, in a fixed order."""
    folder = Path(package["manifest_path"]).parent
    files = [
        path
        for path in folder.rglob("*")
        if path.is_file() and LICENCE_FILE.match(path.name) and not NOT_A_TEXT.search(path.name)
        # Of fonts and pictures in the crate's documentation.
        and "docs" not in path.relative_to(folder).parts
    ]
    files += [path for path in folder.glob("LICENSES/*") if path not in files]
    return sorted((path for path in files if not GPL.search(path.name)), key=lambda path: str(path).lower())


def syntaxes(package):
    """Returns name and licence text of each syntax in two-face: `Acknowledgements` in its form of bincode."""
    packed = Path(package["manifest_path"]).parent / "generated/acknowledgements_full.bin"
    data = memoryview(zlib.decompress(packed.read_bytes()))
    at = 0

    def number(form):
        nonlocal at
        at += struct.calcsize(form)
        return struct.unpack_from(form, data, at - struct.calcsize(form))[0]

    def text():
        nonlocal at
        length = number("<Q")
        at += length
        return bytes(data[at - length : at]).decode()

    found = []
    for _ in range(number("<Q")):
        number("<I")
        words = text()
        found.append((text(), words))
    return found


def spdx(package):
    """Returns a crate's licence as an SPDX expression: older ones write OR as a slash."""
    return re.sub(r"\s*/\s*", " OR ", package["license"])


def entry(name, expression, numbers, notices):
    """Returns the lines of one entry."""
    numbers = sorted({number for number in numbers if number})
    what = f"{name} ({expression})" if expression else name
    if numbers:
        what += (", text " if len(numbers) == 1 else ", texts ") + ", ".join(map(str, numbers))
    return "\n".join([what] + ["    " + notice for notice in dict.fromkeys(notices)]) + "\n"


def standard(texts, packages, expression):
    """Returns the numbers of the standard texts of the licences in an expression."""
    numbers = []
    for name in re.split(r"\s+OR\s+", expression):
        if GPL.search(name):
            continue
        crate, file = STANDARD[name]
        package = next(package for package in packages if package["name"] == crate)
        numbers.append(texts.add((Path(package["manifest_path"]).parent / file).read_text())[0])
    return numbers


def licences():
    """Returns the whole file."""
    packages, used = packages_and_used()
    texts = Texts()
    # So that the two most frequent texts are the first.
    standard(texts, packages, "MIT OR Apache-2.0")
    data = []
    for name, expression, notices in DATA:
        numbers = [] if expression == "blessing" else standard(texts, packages, expression)
        data.append(entry(name, expression, numbers, notices))
    crates, others = [], []
    for package in packages:
        name, expression = f"{package['name']} {package['version']}", spdx(package)
        if name not in used:
            others.append(entry(name, expression, [], []))
            continue
        found = [texts.add(path.read_text(errors="replace")) for path in licence_files(package)]
        numbers = [number for number, _ in found]
        notices = [notice for _, notices in found for notice in notices]
        if not any(numbers):
            numbers = standard(texts, packages, expression)
            authors = ", ".join(re.sub(r"\s*<.*?>", "", author) for author in package["authors"])
            notices = [f"Its package has no licence file. Authors: {authors or 'not named'}"]
        crates.append(entry(name, expression, numbers, notices))
        if package["name"] == "two-face":
            for path, words in syntaxes(package):
                number, notices = texts.add(words)
                data.append(entry(f"Syntax definition {path} (in two-face)", "", [number], notices))
    parts = [HEAD, DATA_HEAD, *data, CRATES_HEAD, *crates, OTHERS_HEAD, "".join(others), "# Texts\n"]
    parts += [f"## Text {number}\n\n{text}\n" for number, text in enumerate(texts.texts, 1)]
    return "\n".join(parts)


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.exit("usage: .ci/licences.py")
    OUT.write_text(licences(), encoding="utf-8")
    print(f"{OUT.relative_to(ROOT)}: {OUT.stat().st_size} bytes")
