from .methods import Formula as Formula
from .methods import PlanningMethod as PlanningMethod
from .methods import Simulation as Simulation
