"""Print a software bill of materials of kappamax and of the packages that it installs, as CycloneDX JSON.

`python tests/packaging/sbom.py` describes the environment that runs it: kappamax with all extras for users, and every
package that they need, in the installed versions. The same environment gives the same text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
EXTRAS = frozenset({"all"})


def bill(name: str = "kappamax", extras: frozenset[str] = EXTRAS) -> dict[str, Any]:
    """Return the bill of materials of an installed package with some of its extras.

    Parameters
    ----------
    name : str
        Name of the package, default "kappamax".
    extras : set of str
        Extras that are included, default "all". Packages that only extras need have the scope "optional".
    """
    edges = installed(name, extras)
    required = installed(name, frozenset())
    refs = {one: _reference(distribution(one)) for one in edges}
    components = [
        _component(distribution(one), refs[one]) | {"scope": "required" if one in required else "optional"}
        for one in sorted(edges)
        if one != name
    ]
    content = {
        "metadata": {"component": _component(distribution(name), refs[name])},
        "components": components,
        "dependencies": [
            {"ref": refs[one], "dependsOn": sorted(refs[other] for other in needed)}
            for one, needed in sorted(edges.items())
        ],
    }
    serial = uuid5(NAMESPACE_URL, json.dumps(content, sort_keys=True))
    head = {"bomFormat": "CycloneDX", "specVersion": "1.6", "serialNumber": f"urn:uuid:{serial}", "version": 1}
    return head | content


def installed(name: str, extras: frozenset[str]) -> dict[str, set[str]]:
    """Return the packages that each package needs, for a package with some extras and all that it installs."""
    edges: dict[str, set[str]] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [(canonicalize_name(name), extras)]
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        needed = edges.setdefault(one[0], set())
        for other, more in _needed(*one):
            waiting.append((other, more))
            needed.update({other} - {one[0]})
    return edges


def _needed(name: str, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the installed requirements of a package with some extras, each with the extras that are asked for."""
    for line in distribution(name).requires or ():
        wanted = Requirement(line)
        if wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in extras | {""}):
            try:
                distribution(wanted.name)
            except PackageNotFoundError:
                raise SystemExit(f"{wanted.name}, which {name} needs, is not installed") from None
            yield canonicalize_name(wanted.name), frozenset(wanted.extras)


def _reference(package: Distribution) -> str:
    """Return the package URL of an installed package."""
    return f"pkg:pypi/{canonicalize_name(package.metadata['Name'])}@{package.version}"


def _component(package: Distribution, reference: str) -> dict[str, Any]:
    """Return the description of an installed package."""
    about = package.metadata
    component = {
        "type": "library",
        "bom-ref": reference,
        "name": about["Name"],
        "version": package.version,
        "purl": reference,
    }
    if about.get("License-Expression"):
        component["licenses"] = [{"expression": about["License-Expression"]}]
        return component
    names = [line.split(" :: ")[-1] for line in about.get_all("Classifier", []) if line.startswith("License :: ")]
    stated = (about.get("License") or "").strip()
    if not names and stated and "\n" not in stated:  # some packages give the whole text
        names = [stated]
    if names:
        component["licenses"] = [{"license": {"name": one}} for one in names]
    return component


if __name__ == "__main__":
    json.dump(bill(), sys.stdout, indent=2)
    print()
