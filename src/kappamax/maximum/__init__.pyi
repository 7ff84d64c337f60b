from .corrected_share import share_of_maximum as share_of_maximum
from .forced_disagreement import disagreement_split as disagreement_split
from .maximizers import count_maximizers as count_maximizers
from .maximizers import iter_maximizers as iter_maximizers
from .maximizers import maximizer_range as maximizer_range
from .ratio_bootstrap import bootstrap_ratio as bootstrap_ratio
