"""Files can be chosen or dropped, and their columns and categories arranged."""

import io

import numpy as np
import pytest

import kappamax as km
from tests.support.browsing import choose_file, shown_counts

pytestmark = pytest.mark.browser

WIDE = "id,ann,bob\n1,mild,mild\n2,none,mild\n3,severe,severe\n4,none,none\n5,mild,severe\n6,severe,severe\n"
LONG = "case,who,said\n1,ann,1\n1,bob,1\n2,ann,2\n2,bob,1\n3,ann,2\n3,bob,2\n4,ann,1\n4,bob,1\n"


def three_raters():
    """Return the ratings of the paper's three raters as CSV."""
    table = km.example("rapallo2022-three")
    lines = [row for row, n in zip(table.labels(), table.counts.tolist(), strict=True) for _ in range(n)]
    return "X1,X2,X3\n" + "\n".join(",".join(map(str, row)) for row in lines) + "\n"


@pytest.mark.slow
def test_a_csv_file_is_mapped_and_its_categories_ordered(page, expect):
    """The column of subjects is not a rater, and the buttons change the order and keep the focus."""
    choose_file(page, "ratings.csv", WIDE)
    expect(page.locator("#mapping")).to_contain_text("Options for reading ratings.csv")
    page.get_by_label("Column of subjects").select_option("id")
    expect(page.locator("#headline")).to_contain_text("6 subjects, 2 raters, 3 categories")
    expect(page.get_by_label("Rater in rows")).to_have_value("ann")
    assert page.locator("#category-order span").all_text_contents() == ["mild", "none", "severe"]
    page.get_by_role("button", name="none up").click()
    expect(page.locator("#category-0")).to_have_value("none")
    expect(page.locator("#order-up-0")).to_be_focused()
    assert page.locator("#category-order span").all_text_contents() == ["none", "mild", "severe"]
    assert shown_counts(page) == [["1", "1", "0"], ["0", "1", "1"], ["0", "0", "2"]]


@pytest.mark.slow
def test_a_column_of_clusters_is_chosen(page, expect):
    """The interval is the one over clusters, and the value is the same."""
    rows = "".join(
        f"{i // 3},{a},{b}\n" for i, (a, b) in enumerate(zip("xxxyyyxyyxxy" * 2, "xxyyyyxxxxxy" * 2, strict=True))
    )
    choose_file(page, "lesions.csv", "patient,ann,bob\n" + rows)
    page.get_by_label("Column of clusters").select_option("patient")
    expect(page.locator("#headline")).to_contain_text("24 subjects in 8 clusters, 2 raters")
    expect(page.locator("#patterns-summary")).to_contain_text("24 subjects in 8 clusters")
    clusters = [i // 3 for i in range(24)]
    low, high = km.kappa(list("xxxyyyxyyxxy" * 2), list("xxyyyyxxxxxy" * 2), cluster=clusters).ci
    expect(page.locator("#headline")).to_contain_text(f"{low:.4f} to {high:.4f}")


@pytest.mark.slow
def test_columns_of_raters_are_chosen(page, expect):
    """Two of three raters make a square table."""
    choose_file(page, "three.csv", three_raters())
    expect(page.locator("#patterns-summary")).to_contain_text("three.csv: 16 subjects, 3 raters, 3 categories")
    page.get_by_label("X2").uncheck()
    expect(page.get_by_label("Rater in columns")).to_have_value("X3")
    expect(page.locator("#headline")).to_contain_text("16 subjects, 2 raters")


@pytest.mark.slow
def test_a_long_file_names_its_columns(page, expect):
    """A message beside a control names all columns that are missing, and each can be chosen."""
    choose_file(page, "long.csv", LONG.replace("case,who", "a,b").replace("said", "c"))
    page.get_by_label("Layout").select_option("long")
    expect(page.locator("#map-subject-problem")).to_contain_text("'subject', 'rater', 'rating' are missing")
    page.get_by_label("Column of subjects").select_option("a")
    expect(page.locator("#map-rater-problem")).to_contain_text("'rater', 'rating' are missing")
    page.get_by_label("Column of raters").select_option("b")
    page.get_by_label("Column of ratings").select_option("c")
    expect(page.locator("#headline")).to_contain_text("4 subjects, 2 raters, 2 categories")
    expect(page.locator("#mapping .problem:not(:empty)")).to_have_count(0)
    expect(page.locator("#kappa")).to_have_text("0.5000")


@pytest.mark.slow
def test_excel_and_parquet_files_are_read(page, expect):
    """Both files give the same kappa."""
    openpyxl, arrow = pytest.importorskip("openpyxl"), pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    book, body = openpyxl.Workbook(), io.BytesIO()
    for row in (["ann", "bob"], [1, 1], [2, 1], [2, 2], [1, 1]):
        book.active.append(row)
    book.save(body)
    choose_file(page, "ratings.xlsx", body.getvalue())
    expect(page.locator("#kappa")).to_have_text("0.5000")
    page.get_by_label("Example").select_option("cohen1968")
    expect(page.locator("#headline")).to_contain_text("200 subjects")
    body = io.BytesIO()
    parquet.write_table(arrow.table({"ann": [1, 2, 2, 1], "bob": [1, 1, 2, 1]}), body)
    choose_file(page, "ratings.parquet", body.getvalue())
    expect(page.locator("#kappa")).to_have_text("0.5000")


@pytest.mark.slow
def test_a_file_can_be_dropped(page, expect):
    """A file dropped on the marked area is read."""
    data = page.evaluate_handle(
        """text => {
            const data = new DataTransfer();
            data.items.add(new File([text], "dropped.csv"));
            return data;
        }""",
        "ann,bob\n1,1\n2,1\n2,2\n1,1\n",
    )
    page.locator("#drop").dispatch_event("drop", {"dataTransfer": data})
    expect(page.locator("#mapping")).to_contain_text("Options for reading dropped.csv")
    expect(page.locator("#kappa")).to_have_text("0.5000")


@pytest.mark.slow
def test_a_file_that_cannot_be_read_is_an_error_beside_the_file(page, expect):
    """The message is beside the file, and the previous results stay."""
    choose_file(page, "empty.csv", "")
    expect(page.locator("#map-file-problem")).not_to_be_empty()
    expect(page.locator("#kappa")).to_have_text("0.5023")


@pytest.mark.slow
def test_three_raters_show_pairs_maximum_and_patterns(page, expect):
    """The results survive a reload, and the editable table can be shown again."""
    choose_file(page, "three.csv", three_raters())
    expected = km.max_kappa(km.example("rapallo2022-three"), weights="linear")
    expect(page.locator("#kappa")).to_have_text(f"{expected.value:.4f}")
    expect(page.locator("#maximum")).to_contain_text(f"{expected.maximum:.4f}")
    expect(page.locator("#pairs svg")).to_have_count(1)
    page.locator("#pairs summary").click()
    expect(page.locator("#pairs table")).to_contain_text("X3")
    low, high = km.pairwise_kappas(km.example("rapallo2022-three"), weights="linear").ci[1, 2]
    expect(page.locator("#pairs tbody tr").last).to_contain_text(f"{low:.4f} to {high:.4f}")
    expect(page.locator("#pairs thead")).to_contain_text("95% interval")
    expect(page.locator("#patterns-maximum table")).to_have_count(2)
    expect(page.locator("#patterns-maximum")).to_contain_text("Patterns of the largest agreement")
    page.reload()
    expect(page.locator("#patterns-summary")).to_contain_text("3 raters")
    expect(page.locator("#kappa")).to_have_text(f"{expected.value:.4f}")
    page.get_by_role("button", name="Enter a table instead").click()
    expect(page.locator("#headline")).to_contain_text("2 raters")


@pytest.mark.slow
def test_work_on_many_raters_says_what_it_is_doing(page, expect):
    """The page shows the lines of progress until the answer arrives."""
    page.evaluate("""() => {
        window.said = [];
        const place = document.getElementById("results-state");
        new MutationObserver(() => window.said.push(place.textContent)).observe(place, { childList: true });
    }""")
    codes = np.random.default_rng(1).integers(1, 5, size=(60, 5)).tolist()
    choose_file(page, "five.csv", "a,b,c,d,e\n" + "".join(",".join(map(str, row)) + "\n" for row in codes))
    expect(page.locator("#headline")).to_contain_text("5 raters")
    expect(page.locator("#results-state")).to_have_text("")
    assert any("linear weights" in said for said in page.evaluate("window.said"))  # two quick lines may arrive as one


@pytest.mark.slow
def test_three_raters_have_moves_and_annealing(page, expect):
    """Moves are chosen from the list."""
    choose_file(page, "three.csv", three_raters())
    expect(page.locator("#headline")).to_contain_text("3 raters")
    expect(page.locator("#results")).to_have_attribute("aria-busy", "false")  # moves are shown last
    expect(page.locator("#moves-list tbody tr").first).to_be_visible()
    before = page.locator("#moves-value").text_content()
    page.locator("#moves-list tbody tr").first.get_by_role("button").click()
    expect(page.locator("#moves-value")).not_to_have_text(before)
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#anneal-said")).to_contain_text("ended after")


@pytest.mark.slow
def test_missing_ratings_are_counted(page, expect):
    """Codes of missing ratings and empty cells are counted."""
    choose_file(page, "gaps.csv", "a,b,c\n1,1,2\n2,9,2\n1,,1\n2,2,2\n1,1,1\n2,1,2\n")
    page.get_by_text("Advanced options").click()
    page.get_by_label("Codes of missing ratings").fill("9")
    page.get_by_label("Codes of missing ratings").press("Tab")
    expect(page.locator("#headline")).to_contain_text("2 ratings missing")
    expect(page.locator("#headline")).to_contain_text("2 categories")
