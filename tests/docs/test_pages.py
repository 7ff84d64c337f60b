"""What the README and the pages of the site show is what happens."""

from pathlib import Path

import pytest

from tests.support.page_blocks import ROOT, Block, blocks_of, pages, run_page

NOT_RUN = {
    "README.md": 2,
    "docs/data.md": 3,
    "docs/howto/clusters.md": 1,
    "docs/install.md": 5,
    "docs/study.md": 1,
    "docs/web.md": 1,
}

SLOW = {
    "docs/annealing.md",
    "docs/data.md",
    "docs/fiber.md",
    "docs/howto/clusters.md",
    "docs/howto/missing-ratings.md",
    "docs/howto/order-of-categories.md",
    "docs/planning.md",
    "docs/report.md",
    "docs/theory/certificates.md",
    "docs/theory/maximisers.md",
    "docs/theory/unweighted.md",
    "docs/tutorials/clinician.md",
}
LISTED = [pytest.param(page, marks=pytest.mark.slow if page in SLOW else ()) for page in pages()]


def page_blocks(page: str) -> list[Block]:
    return blocks_of((ROOT / page).read_text(encoding="utf-8"), page)


@pytest.mark.parametrize("page", LISTED)
def test_a_page_does_what_it_shows(page, tmp_path, monkeypatch):
    """Every block in turn, as a reader would: Python in one session, commands in one folder."""
    monkeypatch.chdir(tmp_path)
    run_page(page_blocks(page), tmp_path)


def test_blocks_that_do_not_run_are_few_and_say_why():
    """Adding one is a decision."""
    marked = {page: [block for block in page_blocks(page) if block.not_run is not None] for page in pages()}
    assert {page: len(blocks) for page, blocks in marked.items() if blocks} == NOT_RUN
    assert all(block.not_run for blocks in marked.values() for block in blocks)


def run(text: str, folder: Path) -> None:
    run_page(blocks_of(text, "page.md"), folder)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```python\n>>> 1 + 1\n3\n```\n", "Expected"),
        ("```python\nassert False, 'plain code runs'\n```\n", "plain code runs"),
        ("```console\n$ kappamax example nosuch\n```\n", "ended with"),
        ("```console\n$ kappamax example anxiety\nrater1,rater2\n```\n", "printed"),
        ("```console\n$ kappamax example anxiety\nrater2\n...\n```\n", "printed"),
        ("```text\n$ kappamax example anxiety\nrater1,rater2\n```\n", "printed"),
        ("```console\n$ make\n```\n", "no kappamax command"),
        ("```console\nmake\n```\n", "begins with"),
        ("```json\n{\n```\n", "Expecting"),
        ("```csv\na,b\n```\n", "which file"),
        ("```fortran\nend\n```\n", "no way to check 'fortran'"),
        ("```{code-block} python\n1\n```\n", "plain fence"),
    ],
)
def test_a_page_that_shows_something_else_fails(text, message, tmp_path):
    """Each kind of block, when it is wrong."""
    with pytest.raises((AssertionError, ValueError), match=message):
        run(text, tmp_path)


def test_a_page_is_one_session(tmp_path, monkeypatch):
    """Names, files and the folder last from block to block; a marked block is left out."""
    monkeypatch.chdir(tmp_path)
    run(
        "```python\nx = 1\n```\n\n```python\n>>> x\n1\n>>> y = 2\n```\n\n```python\nassert x + y == 3\n```\n"
        "<!-- file: a.csv -->\n```csv\na,b\n1,1\n2,2\n```\n\n```console\n$ cat a.csv\na,b\n...\n```\n"
        "<!-- file: b.csv\nx,y\n-->\n```console\n$ cat b.csv\nx,y\n```\n"
        "<!-- not run: it would fail -->\n```console\n$ make\n```\n\n```{note}\nSphinx's own\n```\n",
        tmp_path,
    )


def test_an_error_that_is_shown_is_an_error(tmp_path):
    """The line is compared and the exit code is looked at."""
    run("```console\n$ kappamax kappa none.csv\nkappamax: there is no file none.csv.\n```\n", tmp_path)
