"""README.md in, the description of the package out.

Links to files beside the README lead nowhere on a package index, so that there they become plain names.
"""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

_BESIDE = re.compile(r"\[([^\]]+)\]\((?!https?://|#)([^)\s]+)\)")


class DescriptionHook(MetadataHookInterface):
    """Called by hatchling for the metadata of the wheel and of the sdist."""

    def update(self, metadata: dict) -> None:
        """Set the readme."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": without_links_beside(text)}


def without_links_beside(text: str) -> str:
    """`[the page](docs/web.md)` as `the page (docs/web.md)`; links to other sites stay."""
    return _BESIDE.sub(lambda found: found[1] if found[1] == found[2] else f"{found[1]} ({found[2]})", text)
