from .comparison_size import compare_sample_size as compare_sample_size
from .methods import Formula as Formula
from .methods import Simulation as Simulation
