#!/usr/bin/env python3
"""Writes a package as an app's author would, which depends on Carrel and uses some of its products: a program for each, named TryPRODUCT.

  make.py FOLDER DEPENDENCY PRODUCT... [--examples]

for example: make.py /tmp/try '.package(name: "carrel", path: "/src/carrel")' Sync

With --examples, the package also has the targets of the packages in Examples, as their own manifests describe them: one package is planned,
built and linked in less time than many.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "Examples"
KINDS = {"regular": "target", "executable": "executableTarget", "test": "testTarget"}
# Of a target, what is written down. Where an example has more, this script has to learn it.
KNOWN = {"name", "type", "path", "dependencies", "packageAccess"}


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def program(product: str, folder: pathlib.Path) -> str:
    """Copies the source of a product's program. Returns its target."""
    source = HERE / "Sources" / f"{product}.swift"
    also = re.findall(r"^// Also depends on the product (.*)\.$", source.read_text(), re.M)
    place = folder / "Sources" / f"Try{product}"
    place.mkdir(parents=True, exist_ok=True)
    # With its time, so that what is compiled already stays so.
    shutil.copy2(source, place / "main.swift")
    products = ", ".join(f'.product(name: {quoted(name)}, package: "carrel")' for name in [product, *also])
    return f'.executableTarget(name: "Try{product}", dependencies: [{products}])'


def target_dependency(dependency: dict) -> str:
    match dependency:
        case {"byName": [name, None]}:
            return quoted(name)
        case {"product": [name, package, None, None]}:
            return f".product(name: {quoted(name)}, package: {quoted(package)})"
    sys.exit(f"make.py does not know the dependency {dependency}")


def example_target(example: str, target: dict) -> str:
    unknown = sorted(name for name, value in target.items() if name not in KNOWN and value)
    if unknown or target["type"] not in KINDS:
        sys.exit(f"Examples/{example}: make.py does not know {', '.join(unknown) or target['type']} of the target {target['name']}")
    path = target.get("path") or f"{'Tests' if target['type'] == 'test' else 'Sources'}/{target['name']}"
    dependencies = ", ".join(map(target_dependency, target["dependencies"]))
    return (
        f".{KINDS[target['type']]}(name: {quoted(target['name'])}, dependencies: [{dependencies}], "
        f"path: {quoted(f'Examples/{example}/{path}')})"
    )


def package_dependency(dependency: dict) -> str | None:
    """A package that is fetched; nothing for Carrel itself."""
    match dependency:
        case {"fileSystem": [{"nameForTargetDependencyResolutionOnly": "carrel"}]}:
            return None
        case {
            "sourceControl": [
                {"location": {"remote": [{"urlString": url}]}, "requirement": {"range": [{"lowerBound": low, "upperBound": high}]}}
            ]
        }:
            return f".package(url: {quoted(url)}, {quoted(low)}..<{quoted(high)})"
    sys.exit(f"make.py does not know the dependency {dependency}")


def examples(folder: pathlib.Path) -> tuple[list[str], list[str]]:
    """The packages that the examples depend on beside Carrel, and their targets. A link in `folder` leads to their sources."""
    link = folder / "Examples"
    if not link.is_symlink():
        link.symlink_to(EXAMPLES)
    packages: dict[str, None] = {}
    targets = []
    for manifest in sorted(EXAMPLES.glob("*/Package.swift")):
        place = manifest.parent
        dump = subprocess.run(["swift", "package", "--package-path", place, "dump-package"], check=True, stdout=subprocess.PIPE)
        package = json.loads(dump.stdout)
        packages |= {text: None for text in map(package_dependency, package["dependencies"]) if text}
        targets += [example_target(place.name, target) for target in package["targets"]]
    return list(packages), targets


def main(arguments: list[str]) -> None:
    with_examples = "--examples" in arguments
    folder, dependency, *products = (argument for argument in arguments if argument != "--examples")
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    packages, targets = [dependency], [program(product, folder) for product in products]
    if with_examples:
        more = examples(folder)
        packages += more[0]
        targets += more[1]

    def listed(values: list[str]) -> str:
        return "".join(f"\n        {value}," for value in values)

    (folder / "Package.swift").write_text(
        f"""\
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "try-carrel",
    dependencies: [{listed(packages)}
    ],
    targets: [{listed(targets)}
    ]
)
"""
    )


main(sys.argv[1:])
