from .check import check_paper as check_paper
from .study.claims import check_claims as check_claims
from .study.run import run_study as run_study
from .study.scenarios import Scenario as Scenario
from .study.scenarios import paper_scenarios as paper_scenarios
from .study.scenarios import read_scenarios as read_scenarios
