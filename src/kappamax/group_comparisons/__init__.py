"""Compare the agreement of independent groups of subjects, such as sites or weeks.

`comparison` has the public function, and `comparison_results` the classes that it returns. `group_tables` gives the
ratings of all groups the same categories, `group_estimates` estimates the coefficient of each group, `welch_tests`
tests by formula and `null_studies` by simulation.
"""
