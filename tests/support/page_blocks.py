"""Find the code blocks of a Markdown page, run them in order, and compare their output with the page.

CONTRIBUTING.md describes what a page may contain. Markers are HTML comments. `<!-- not run: reason -->` and
`<!-- file: name -->` stand on the line above a block. A comment that begins with `<!-- file: name` and has further
lines before the `-->` is a file that readers have themselves.
"""

import doctest
import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
PLAIN = {"text", "none", "bibtex"}
RUN = {"python", "console", "json", "toml", "csv"}
_MARKER = re.compile(r"<!-- (not run|file): (.*?) -->")
_OWN_FILE = re.compile(r"<!-- file: (\S+)\n(.*?)-->", re.DOTALL)
_SHELL = """\
#!/bin/sh
exec "{python}" -c "from kappamax.cli import main; main(prog_name='kappamax')" "$@"
"""


@dataclass(frozen=True)
class Block:
    """Fenced block with its language, text, first line, and the marker above it."""

    page: str
    line: int
    language: str
    text: str
    not_run: str | None = None
    file: str | None = None

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    """Return the paths of the README and of every page of the site, relative to the repository."""
    found = [path.relative_to(ROOT) for path in (ROOT / "docs").rglob("*.md")]
    return ["README.md", *sorted(path.as_posix() for path in found if not path.parts[1].startswith("_"))]


def blocks_of(text: str, page: str) -> list[Block]:
    """Return every fenced block of a page except the directives in braces, which Sphinx processes."""
    found, marker = [], {}
    for token in MarkdownIt().parse(text):
        if token.type == "html_block":
            marker = {kind.replace(" ", "_"): words for kind, words in _MARKER.findall(token.content)}
            for name, lines in _OWN_FILE.findall(token.content):
                found.append(Block(page, token.map[0] + 1, "csv", lines, file=name))
            continue
        if token.type == "fence":
            language = token.info.strip()
            assert not re.match(r"\{(code|code-block|doctest|testcode)\}", language), f"{page}: use a plain fence"
            if not language.startswith("{"):
                found.append(Block(page, token.map[0] + 1, language, token.content, **marker))
        marker = {}
    return found


def run_page(blocks: list[Block], folder: Path) -> None:
    """Run the blocks of one page in one folder and one Python session, and assert that each gives the output shown."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks:
        if block.not_run is None:
            _run(block, folder, names)


def _run(block: Block, folder: Path, names: dict[str, Any]) -> None:
    if block.file is not None:
        (folder / block.file).write_text(block.text, encoding="utf-8")
    if block.language == "python":
        run_python(block, names)
    elif block.language == "json":
        json.loads(block.text)
    elif block.language == "toml":
        tomllib.loads(block.text)
    elif block.language == "csv":
        assert block.file is not None, f"{block.where}: say which file this is: <!-- file: name.csv -->"
    elif block.language == "console" or block.text.startswith("$ "):
        run_console(block, folder)
    else:
        assert block.language in PLAIN, f"{block.where}: no way to check {block.language!r}; see CONTRIBUTING.md"


def run_python(block: Block, names: dict[str, Any]) -> None:
    """Run a block with prompts as a doctest and any other block as a script; later blocks can use its names."""
    if ">>>" not in block.text:
        exec(compile("\n" * block.line + block.text, block.page, "exec"), names)
        return
    examples = doctest.DocTestParser().get_doctest(block.text, names, block.page, block.page, block.line)
    assert examples.examples, f"{block.where}: no example"
    report: list[str] = []
    doctest.DocTestRunner().run(examples, out=report.append, clear_globs=False)
    names |= examples.globs
    assert not report, "".join(report)


def run_console(block: Block, folder: Path) -> None:
    """Run every command after a dollar sign, and assert that it prints the lines shown below it, if there are any.

    The command must succeed unless an error is shown. A line of three dots stands for any lines.
    """
    for command, shown in commands_of(block):
        done = _shell(command, folder)
        printed = [line.rstrip() for line in done.stdout.splitlines()]
        failed = any(line.startswith(("kappamax: ", "Error: ")) for line in shown)
        assert (done.returncode != 0) == failed, f"{block.where}: $ {command}\nended with\n{done.stdout}"
        assert not shown or _matches(shown, printed), f"{block.where}: $ {command}\nprinted\n{done.stdout}"


def commands_of(block: Block) -> list[tuple[str, list[str]]]:
    """Return the commands of a console block, each with the lines shown below it."""
    found: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            command = line[2:].split("  #")[0].strip()
            assert re.match(r"(kappamax|cat|head) ", command), (
                f"{block.where}: {command!r} is no kappamax command; mark the block <!-- not run: reason -->"
            )
            found.append((command, []))
        elif found and found[-1][0].endswith("\\"):
            found[-1] = (f"{found[-1][0][:-1]}{line.strip()}", [])
        else:
            assert found, f"{block.where}: a console block begins with '$ '"
            found[-1][1].append(line.rstrip())
    return found


def _shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    programs = folder / ".programs"
    if not programs.exists():
        programs.mkdir()
        (programs / "kappamax").write_text(_SHELL.format(python=sys.executable), encoding="utf-8")
        (programs / "kappamax").chmod(0o755)
    environment = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}
    return subprocess.run(
        ["bash", "-c", command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,  # a reader sees both
        cwd=folder,
        env=environment,
        text=True,
        encoding="utf-8",
        check=False,
    )


def _matches(shown: list[str], printed: list[str]) -> bool:
    """Return whether the printed lines are those shown, except for blank lines at the end."""
    pattern = "".join(r"(.*\n)*" if line == "..." else re.escape(f"{line}\n") for line in shown)
    return re.fullmatch(rf"{pattern}\n*", "".join(f"{line}\n" for line in printed)) is not None
