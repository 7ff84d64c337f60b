from .methods import Formula as Formula
from .methods import Simulation as Simulation
