"""Tables and results say in words what was read."""

import pickle

import numpy as np
import pytest

import kappamax as km
from kappamax.reading import DataSummary, Reading
from tests.support.messy_file import SAID, write_messy


def summary(**changed):
    """Return the description of some ratings, which were read from a wide file."""
    usual = {
        "n_subjects": 20,
        "raters": ("a", "b"),
        "categories": (1, 2, 3),
        "ordered": True,
        "n_missing": 0,
        "n_incomplete": 0,
        "n_left_out": 0,
        "reading": Reading("ratings.csv", "wide"),
    }
    return DataSummary(**(usual | changed))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, "Read from ratings.csv (wide layout): 20 subjects, raters 'a' and 'b', categories 1 < 2 < 3."),
        ({"reading": Reading()}, "20 subjects, raters 'a' and 'b', categories 1 < 2 < 3."),
        ({"reading": Reading("folder/ratings.csv", None)}, "Read from ratings.csv: 20 subjects,"),
        ({"raters": ("1", "2", "3")}, "raters 1, 2 and 3,"),
        ({"raters": tuple("abcdefghi")}, "raters 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', ... (9 in all),"),
        ({"categories": ("x", "y", "z"), "ordered": False}, "categories 'x', 'y', 'z' (no order)."),
        ({"categories": ("no", "yes"), "ordered": False}, "categories 'no', 'yes'."),
        ({"categories": ("low", "high")}, "categories 'low' < 'high'."),
        ({"categories": (1,)}, "category 1."),
        ({"categories": tuple(range(1, 11))}, "categories 1 < 2 < 3 < 4 < 5 < 6 < 7 < 8 < ... (10 in all)."),
        ({"n_missing": 5, "n_incomplete": 4}, "; 5 of 40 ratings missing, in 4 subjects."),
        ({"n_missing": 1, "n_incomplete": 1, "n_left_out": 1}, "in 1 subject; 1 subject without a rating left out."),
        ({"n_left_out": 3, "n_subjects": 1}, ": 1 subject, raters 'a' and 'b', categories 1 < 2 < 3; 3 subjects with"),
        ({"n_left_out": 2, "reading": Reading(missing={"": 4})}, "; 2 subjects without a rating left out."),
        ({"n_left_out": 2, "reading": Reading(missing={"": 3})}, "; 2 subjects with missing ratings left out."),
    ],
)
def test_a_description_is_one_sentence(changed, words):
    """It names file, layout, raters, categories in order, missing ratings and what was left out, if there are any."""
    said = str(summary(**changed))
    assert words in said
    assert said.count(".") - said.count("...") * 3 - said.count(".csv") == 1
    assert said.endswith(".")


def test_long_names_are_shortened():
    """Labels and file names of any length and content give one line."""
    said = str(summary(raters=("x" * 500, "b\nc"), reading=Reading("y" * 500 + "\n.csv", "wide")))
    assert len(said) < 400
    assert "\n" not in said
    assert "'b\\nc'" in said


def read(folder):
    return km.read_ratings(write_messy(folder))


RESULTS = {
    "agreement": km.agreement,
    "kappa": km.kappa,
    "standard_error": km.standard_error,
    "jackknife": km.jackknife,
    "bootstrap": lambda table: km.bootstrap(table, n_resamples=20, rng=1),
    "bootstrap of a statistic": lambda t: km.bootstrap(t, statistic=lambda one: 0.5, n_resamples=20, rng=1),
    "value_test": lambda table: km.value_test(table, null=0.2),
    "equivalence_test": lambda table: km.equivalence_test(table, low=0.2, high=0.9),
    "marginal_homogeneity": km.marginal_homogeneity,
    "exact_association": km.exact_association,
    "compare": lambda table: km.compare(table, first={}, second={"coefficient": "gwet"}),
    "max_kappa": km.max_kappa,
    "maximizers": km.maximum.count_maximizers,
    "exact_test": km.exact_test,
    "monte carlo test": lambda table: km.exact_test(table, method="monte-carlo", n_draws=20, rng=1),
    "pairwise_kappas": km.pairwise_kappas,
    "category_kappas": km.category_kappas,
    "leave_one_out": lambda table: km.leave_one_out(_three_raters(table)),
    "anneal": lambda table: km.anneal(table, method=km.annealing.SwapMethod(max_steps=10), rng=1),
    "sample_size": lambda table: km.sample_size(table, width=0.5, rng=1),
    "specific_agreement": km.specific_agreement,
    "report": km.report,
}
COMPLETE = {
    "two_by_two_indices": km.two_by_two_indices,
    "compare_dependent": lambda table: km.compare_dependent(table, kappas=[{}, {"coefficient": "gwet"}]),
    "intra_rater_agreement": lambda table: km.intra_rater_agreement(table, occasions={"A": list(table.raters)}),
    "icc": km.icc,
    "disagreement_split": km.maximum.disagreement_split,
    "share_of_maximum": lambda table: km.maximum.share_of_maximum(table, n_resamples=50, rng=1),
    "maximizer_range": lambda table: km.maximum.maximizer_range(table, other_weights="unweighted"),
    "rank_moves": km.moves.rank_moves,
    "distribution": lambda table: km.fiber(table).distribution(),
    "joint distribution": lambda table: km.fiber(table).joint_distribution("unweighted", "linear"),
    "same value": lambda table: km.fiber(table).same_kappa(),
    "level set": lambda table: km.fiber(table).level_set(),
    "walk": lambda table: km.fiber(table).walk(20, rng=1),
}


def _three_raters(table):
    """Return the table with the second rater twice, since two raters cannot be left out."""
    made = km.Table(
        table.patterns[:, [0, 1, 1]], table.counts, table.categories, ["ann", "bob", "cid"], ordered=table.ordered
    )
    made.reading = table.reading
    return made


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_says_what_was_read(name, tmp_path):
    """The text and the HTML of each result have the file, the number of missing ratings and the column left out."""
    table = read(tmp_path)
    result = RESULTS[name](table)
    assert result.data.reading == table.reading
    assert result.data.notes == table.reading.notes
    expected = [said for said in SAID if name != "leave_one_out" or "12" not in said]
    for shown in (repr(result), result._repr_html_().replace("&#x27;", "'")):
        for said in expected:
            assert said in " ".join(shown.split())


@pytest.mark.parametrize("name", COMPLETE)
def test_results_for_complete_ratings_say_what_was_read(name, tmp_path):
    """The text of each result has the file and the column left out."""
    path = tmp_path / "complete.csv"
    path.write_text("id,ann,bob\n11,1,1\n12,1,2\n13,2,2\n14,2,1\n15,1,1\n16,2,2\n", encoding="utf-8")
    shown = " ".join(repr(COMPLETE[name](km.read_ratings(path))).split())
    assert "Read from complete.csv (wide layout): 6 subjects, raters 'ann' and 'bob', categories 1 < 2." in shown
    assert "Column 'id' was left out" in shown


#: results that are not about one table of ratings, or that are parts of other results
OTHERS = {
    *("Benchmark", "BenchmarkBand", "CoefficientDifference", "ComparedCoefficient", "ComparisonSampleSize"),
    *("IndexEstimate", "RetestEstimate"),
    *("Claim", "Explanation", "GroupReport", "InspectedColumn", "Inspection", "OtherRange", "PaperCheck", "Refusal"),
    *(
        "IntraclassCorrelation",
        "SimulatedStudies",
        "Study",
        "StudyRow",
        "Trace",
        "Verdict",
        "Verification",
        "WeightingReport",
    ),
    *("GroupAgreement", "GroupComparison", "GroupDifference", "GroupTrend", "HomogeneityTest", "PooledAgreement"),
}


def test_no_kind_of_result_is_forgotten(tmp_path):
    """Every class of results is made in one of the tests above, or it is not about one table of ratings."""
    messy = read(tmp_path)
    complete = km.from_counts([[5, 1], [2, 6]])
    made = [make(messy) for make in RESULTS.values()] + [make(complete) for make in COMPLETE.values()]
    classes = [getattr(km.results, name) for name in dir(km.results) if not name.startswith("_")]
    kinds = {one.__name__ for one in classes if issubclass(one, km.results.Result) and one is not km.results.Result}
    assert {type(one).__name__ for one in made} == kinds - OTHERS


def test_results_without_a_file_are_printed_as_they_are():
    """Nothing is added for arrays and counts about which there is nothing to note."""
    for table in (km.from_counts([[5, 1], [2, 6]]), km.from_ratings(np.array([[1, 2], [2, 2], [1, 1]]))):
        assert not table.data.noteworthy
        assert repr(table).splitlines()[-1].startswith("total")
        assert "note" not in repr(km.kappa(table))
        assert "raters '" not in repr(km.kappa(table)) + km.kappa(table)._repr_html_()
        assert "data" not in repr(km.exact_test(table))


def test_a_printed_table_says_what_was_read(tmp_path):
    """File, layout, notes and subjects left out follow the counts, in text and in HTML."""
    table = read(tmp_path)
    for shown in (repr(table), table._repr_html_().replace("&#x27;", "'")):
        words = " ".join(shown.split())
        assert "Read from messy.csv (wide layout); 1 subject without a rating left out." in words
        assert "Note: Column 'id' was left out" in words
        assert "categories 'maybe', 'no', 'yes' (no order); 2 missing ratings" in words
    assert max(map(len, repr(table).splitlines()[1:])) <= 80


def test_parts_of_a_table_keep_the_record(tmp_path):
    """Some raters or a collapsed category come from the same file; other counts keep the notes only."""
    table = read(tmp_path)
    for part in (
        table.select(["bob", "ann"]),
        table.collapse("no"),
        km.kappa(table, categories=["no", "maybe", "yes"]),
    ):
        data = part.data
        assert (data.reading, data.n_left_out) == (table.reading, 1)
    other = km.max_kappa(table).table
    assert other.reading == Reading(notes=table.reading.notes)
    assert "Read from" not in repr(other)


def test_a_result_can_be_copied_with_its_record(tmp_path):
    """The record is kept by pickle, and it does not make equal results different."""
    table = read(tmp_path)
    result = km.kappa(table)
    assert pickle.loads(pickle.dumps(result)).data == result.data
    assert result == km.kappa(km.Table(table.patterns, table.counts, table.categories, table.raters, ordered=False))
    assert "data" not in result.to_dict()
