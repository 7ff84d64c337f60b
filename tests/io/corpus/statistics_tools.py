"""Files as pandas, polars, NumPy, R, SPSS, SAS and Stata write them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy
import pandas
import polars

from tests.io.corpus.case import Case, Ratings, careless, draw
from tests.io.corpus.long_tables import long_rows
from tests.io.corpus.writers import beside, csv_case, csv_text, text

GRADES = ["mild", "moderate", "severe"]


def cases() -> Iterator[Case]:
    """Yield the cases of this module."""
    yield from _pandas_wide()
    yield from _pandas_reshaped()
    yield from _polars()
    yield from _numpy()
    yield from _r()
    yield from _statistics_packages()


def _pandas_wide() -> Iterator[Case]:
    words, numbers = draw(2000, GRADES, n=36), draw(2001, [1, 2, 3, 4, 5], n=36, raters=3, missing=0.1)
    frame = pandas.DataFrame(words, columns=["A", "B"])
    indexed = careless(beside(range(36), words))
    yield Case("pandas-index.csv", text(frame.to_csv()), words, wrong=indexed, note=".")
    again = pandas.read_csv(io.StringIO(frame.to_csv()))
    twice = careless(beside(range(36), range(36), words))
    yield Case("pandas-index-twice.csv", text(again.to_csv()), words, wrong=twice, note=".")
    floats = pandas.DataFrame(numbers, columns=["A", "B", "C"], dtype="float").assign(
        A=[row[0] or 0 for row in numbers]
    )
    filled: Ratings = [(row[0] or 0, *row[1:]) for row in numbers]
    yield Case("pandas-floats.csv", text(floats.to_csv()), filled, wrong=careless(floats.reset_index().values.tolist()))
    yield Case("pandas-na-rep.csv", text(frame.to_csv(na_rep="NULL", sep=";")), words, wrong=indexed)
    yield Case("pandas-printed.txt", text(frame.to_string()), words, wrong=indexed)
    yield Case("pandas-printed-no-index.txt", text(frame.to_string(index=False)), words)
    shuffled = frame.sample(frac=1, random_state=1)
    yield Case("pandas-shuffled.csv", text(shuffled.to_csv()), words, wrong=indexed)
    dated = frame.set_index(pandas.date_range("2023-01-01", periods=36))
    yield Case("pandas-dates.csv", text(dated.to_csv()), words, wrong=indexed)
    judged = frame.rename(columns={"A": "y_true", "B": "y_pred"}).assign(y_prob=[0.5 + i / 100 for i in range(36)])
    wrong = careless(judged.astype(str).values.tolist())
    yield Case("pandas-predictions.csv", text(judged.to_csv(index=False)), words, wrong=wrong)


def _pandas_reshaped() -> Iterator[Case]:
    words = draw(2005, GRADES, n=36)
    frame = pandas.DataFrame(words, columns=["A", "B"])
    melted = frame.reset_index().melt(id_vars="index")
    wrong = careless(melted.values.tolist())
    yield Case("pandas-melt.csv", text(melted.to_csv(index=False)), words, wrong=wrong)
    yield Case(
        "pandas-melt-index.csv", text(melted.to_csv()), words, wrong=careless(melted.reset_index().values.tolist())
    )
    stacked = csv_text([["", "", "0"], *long_rows(words, range(36), ["A", "B"])])
    yield Case("pandas-stack.csv", text(stacked), words, wrong=wrong)
    across = frame.T
    yield Case("pandas-transposed.csv", text(across.to_csv()), words, wrong=careless(across.values.tolist()))
    long = pandas.DataFrame(long_rows(words, range(1, 37), ["ann", "bob"]), columns=["item", "annotator", "label"])
    pivoted = long.pivot(index="item", columns="annotator", values="label")
    numbered = careless(beside(range(36), words))
    yield Case("pandas-pivot.csv", text(pivoted.to_csv()), words, wrong=numbered)
    nested = long.pivot(index="item", columns="annotator", values=["label"])
    yield Case("pandas-pivot-nested.csv", text(nested.to_csv()), words, wrong=numbered)
    grouped = frame.groupby(["A", "B"]).size()
    patterns = careless([[*key, n] for key, n in grouped.items()])
    yield Case("pandas-groupby-size.csv", text(grouped.to_csv()), words, wrong=patterns)
    yield Case("pandas-value-counts.csv", text(frame.value_counts().to_csv()), words, wrong=patterns)
    named = grouped.reset_index(name="size")
    yield Case("pandas-size-named.csv", text(named.to_csv(index=False)), words, wrong=patterns)
    crosstab = pandas.crosstab(frame["A"], frame["B"])
    cells = careless(crosstab.reset_index().values.tolist())
    yield Case("pandas-crosstab.csv", text(crosstab.to_csv()), words, wrong=cells)
    yield Case("pandas-crosstab-printed.txt", text(crosstab.to_string()), words, wrong=cells)
    margins = pandas.crosstab(frame["A"], frame["B"], margins=True)
    cells = careless(margins.reset_index().values.tolist())
    yield Case("pandas-crosstab-margins.csv", text(margins.to_csv()), words, wrong=cells)
    unstacked = grouped.unstack(fill_value=0)
    yield Case(
        "pandas-unstack.csv", text(unstacked.to_csv()), words, wrong=careless(unstacked.reset_index().values.tolist())
    )


def _polars() -> Iterator[Case]:
    ratings = draw(2010, GRADES, n=36, missing=0.1)
    frame = polars.DataFrame(ratings, schema=["A", "B"], orient="row")
    numbered = careless(beside(range(36), ratings))
    yield Case("polars-row-index.csv", text(frame.with_row_index().write_csv()), ratings, wrong=numbered)
    booleans = draw(2011, [True, False], n=36)
    flags = polars.DataFrame(booleans, schema=["human", "model"], orient="row").with_row_index("id")
    yield Case("polars-booleans.csv", text(flags.write_csv()), booleans, wrong=careless(beside(range(36), booleans)))
    melted = frame.with_row_index("item").unpivot(index="item")
    yield Case("polars-unpivot.csv", text(melted.write_csv()), ratings, wrong=careless(melted.rows()))
    counts = frame.drop_nulls().group_by("A", "B", maintain_order=True).len()
    complete = [row for row in ratings if None not in row]
    yield Case("polars-group-by.csv", text(counts.write_csv()), complete, wrong=careless(counts.rows()))


def _numpy() -> Iterator[Case]:
    ratings = draw(2015, [1, 2, 3, 4], n=40, raters=3)
    array = numpy.array(ratings)
    stored = {
        "plain": {"fmt": "%d", "delimiter": ","},
        "spaces": {"fmt": "%d"},
        "scientific": {},
        "header": {"fmt": "%d", "delimiter": ",", "header": "A,B,C"},
        "header-plain": {"fmt": "%d", "delimiter": ",", "header": "case_x,A,B", "comments": ""},
    }
    for name, settings in stored.items():
        stream = io.StringIO()
        numpy.savetxt(stream, array, **settings)
        if name == "header-plain":
            stream = io.StringIO()
            numpy.savetxt(stream, numpy.column_stack([numpy.arange(40), array[:, :2]]), **settings)
            pair = [row[:2] for row in ratings]
            yield Case("numpy-header-plain.csv", text(stream.getvalue()), pair, wrong=careless(beside(range(40), pair)))
        else:
            yield Case(f"numpy-{name}.txt", text(stream.getvalue()), ratings, wrong=careless(ratings[1:]))
    pair = draw(2016, [0, 1, 2], n=100)
    confusion = numpy.zeros((3, 3), dtype=int)
    for a, b in pair:
        confusion[a, b] += 1
    for name, settings in {"csv": {"fmt": "%d", "delimiter": ","}, "scientific": {}}.items():
        stream = io.StringIO()
        numpy.savetxt(stream, confusion, **settings)
        options = ("--layout", "counts")
        yield Case(f"numpy-confusion-{name}.txt", text(stream.getvalue()), pair, options=options)


def _r() -> Iterator[Case]:
    ratings = draw(2020, GRADES, n=36, raters=3, missing=0.1)
    rows = [[f'"{i}"', *("NA" if label is None else f'"{label}"' for label in row)] for i, row in enumerate(ratings, 1)]
    wrong = careless(beside(range(1, 37), ratings))
    names = ['"A"', '"B"', '"C"']

    def lines(cells: list[list[str]], delimiter: str) -> str:
        return "".join(delimiter.join(row) + "\n" for row in cells)

    yield Case("r-write-csv.csv", text(lines([['""', *names], *rows], ",")), ratings, wrong=wrong, note=".")
    yield Case("r-write-csv2.csv", text(lines([['""', *names], *rows], ";")), ratings, wrong=wrong, note=".")
    yield Case("r-write-table.txt", text(lines([names, *rows], " ")), ratings, wrong=wrong)
    yield Case("r-write-table-tabs.tsv", text(lines([names, *rows], "\t")), ratings, wrong=wrong)
    yield Case("r-write-table-commas.csv", text(lines([names, *rows], ",")), ratings, wrong=wrong)
    plain = [[cell.strip('"') for cell in row] for row in rows]
    yield Case("r-write-table-unquoted.txt", text(lines([["A", "B", "C"], *plain], "\t")), ratings, wrong=wrong)
    yield Case("r-no-row-names.csv", text(lines([names, *(row[1:] for row in rows)], ",")), ratings)
    yield Case("r-no-col-names.csv", text(lines([row[1:] for row in rows], ",")), ratings, wrong=careless(ratings[1:]))
    yield Case("r-tibble-index.csv", text(lines([["...1", "A", "B", "C"], *plain], ",")), ratings, wrong=wrong)
    yield Case("r-read-back.csv", text(lines([["", "X", "A", "B", "C"], *([row[0], *row] for row in plain)], ",")),
               ratings, wrong=careless(beside(range(36), range(36), ratings)))  # fmt: skip
    logical = draw(2021, ["TRUE", "FALSE"], n=36, missing=0.1)
    yield csv_case("r-logical.csv", ["", "A", "B"], beside(range(1, 37), logical), logical, missing="NA")
    longer = long_rows(ratings, range(1, 37), ["A", "B", "C"])
    yield csv_case("r-pivot-longer.csv", ["id", "name", "value"], longer, ratings)
    yield csv_case(
        "r-gather.csv", ["", "id", "key", "value"], beside(range(1, len(longer) + 1), map(tuple, longer)), ratings
    )
    spoken = [["", "B", ""]]
    complete = draw(2022, ["no", "yes"], n=60)
    counts = [[a, *(complete.count((a, b)) for b in ("no", "yes"))] for a in ("no", "yes")]
    printed = "     B\nA     no yes\n" + "".join(f"  {a:<3} {n:>2} {m:>3}\n" for a, n, m in counts)
    yield Case("r-printed-table.txt", text(printed), complete, wrong=careless([*spoken, *counts]))
    ftable = csv_text([["", "B", "no", "yes"], ["A", "", "", ""], *([a, "", n, m] for a, n, m in counts)])
    yield Case("r-ftable.csv", text(ftable), complete, wrong=careless([*spoken, *counts]))


def _statistics_packages() -> Iterator[Case]:
    ratings = draw(2030, [1, 2, 3, 4], n=50, raters=3, missing=0.1)
    rows = beside(range(1, 51), ratings)
    header: list[Any] = ["ID", "RATER1", "RATER2", "RATER3"]
    yield csv_case("spss-space.csv", header, rows, ratings, missing=" ", newline="\r\n", encoding="utf-8-sig")
    yield csv_case("spss-null.csv", header, rows, ratings, missing="#NULL!", newline="\r\n", delimiter=";")
    yield csv_case("spss-99.csv", header, rows, ratings, missing="99", newline="\r\n")
    yield csv_case("spss-filter.csv", [*header, "filter_$"], beside(map(tuple, rows), [1] * 50), ratings)
    yield csv_case("sas.csv", ["_NAME_", "rater1", "rater2", "rater3"], rows, ratings, missing=".")
    yield csv_case("sas-obs.csv", ["Obs", "rater1", "rater2", "rater3"], rows, ratings, missing=".")
    yield csv_case("stata.csv", ["id", "rater1", "rater2", "rater3"], rows, ratings, missing=".a")
    merged = [[*row, "matched (3)"] for row in rows]
    yield csv_case("stata-merge.csv", ["id", "r1", "r2", "r3", "_merge"], merged, ratings, missing=".")
    decimals = [[row[0], *(None if label is None else f"{label},00" for label in row[1:])] for row in rows]
    yield csv_case("spss-decimal-comma.csv", header, decimals, ratings, delimiter=";", missing=" ")
    labelled = draw(2031, ["1 - mild", "2 - moderate", "3 - severe"], n=50)
    yield csv_case("spss-labelled.csv", ["ID", "A", "B"], beside(range(1, 51), labelled), labelled)
