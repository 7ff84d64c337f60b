"""The examples in the README and on the pages of the site give the output that is shown."""

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
QUICK = {page for page in pages() if not page.startswith(("docs/theory/", "docs/howto/"))} - SLOW
LISTED = [pytest.param(page, marks=() if page in QUICK else pytest.mark.slow) for page in pages()]


def page_blocks(page: str) -> list[Block]:
    return blocks_of((ROOT / page).read_text(encoding="utf-8"), page)


@pytest.mark.parametrize("page", LISTED)
def test_the_examples_of_a_page_give_the_output_shown(page, tmp_path, monkeypatch):
    """The blocks of a page run in order, Python in one session and commands in one folder."""
    monkeypatch.chdir(tmp_path)
    run_page(page_blocks(page), tmp_path)


def test_blocks_that_are_not_run_are_listed_and_give_a_reason():
    """The number of such blocks on each page is fixed here."""
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
def test_a_wrong_block_fails(text, message, tmp_path):
    """Each kind of block has a check that can fail."""
    with pytest.raises((AssertionError, ValueError), match=message):
        run(text, tmp_path)


def test_a_page_is_one_session(tmp_path, monkeypatch):
    """Later blocks can use the names and files of earlier ones, and a marked block is not run."""
    monkeypatch.chdir(tmp_path)
    run(
        "```python\nx = 1\n```\n\n```python\n>>> x\n1\n>>> y = 2\n```\n\n```python\nassert x + y == 3\n```\n"
        "<!-- file: a.csv -->\n```csv\na,b\n1,1\n2,2\n```\n\n```console\n$ cat a.csv\na,b\n...\n```\n"
        "<!-- file: b.csv\nx,y\n-->\n```console\n$ cat b.csv\nx,y\n```\n"
        "<!-- not run: it would fail -->\n```console\n$ make\n```\n\n```{note}\nSphinx's own\n```\n",
        tmp_path,
    )


def test_a_command_that_is_shown_with_an_error_must_fail(tmp_path):
    """The error line and the exit code are compared."""
    run("```console\n$ kappamax kappa none.csv\nkappamax: there is no file none.csv.\n```\n", tmp_path)
