# The public names, each where it comes from: type checkers and editors read them here, and so does
# `__init__.py`.

# Metrics and their scores.
from celab.metrics.baselines import Bleu as Bleu
from celab.metrics.baselines import Chrf as Chrf
from celab.metrics.baselines import ChrfPlusPlus as ChrfPlusPlus
from celab.metrics.baselines import Ter as Ter
from celab.metrics.celab import TeslaCelab as TeslaCelab
from celab.metrics.celab import recommended as recommended
from celab.metrics.character_metrics import Cer as Cer
from celab.metrics.character_metrics import Mer as Mer
from celab.metrics.character_metrics import Rouge1 as Rouge1
from celab.metrics.character_metrics import Rouge2 as Rouge2
from celab.metrics.character_metrics import RougeL as RougeL
from celab.metrics.mean import Mean as Mean
from celab.metrics.scores import Score as Score
from celab.metrics.scores import SegmentScore as SegmentScore
from celab.metrics.tesla_b import TeslaB as TeslaB
from celab.metrics.tesla_f import TeslaF as TeslaF
from celab.metrics.tesla_m import TeslaM as TeslaM
from celab.metrics.tesla_s import TeslaS as TeslaS
from celab.training.pem import Pem as Pem
from celab.metrics.cremer import Cremer as Cremer
from celab.metrics.dicomer import Dicomer as Dicomer

# Systems: from lists and strings, from files, and from stored results.
from celab.systems.functions import check as check
from celab.systems.functions import compare as compare
from celab.systems.functions import explain as explain
from celab.systems.functions import score as score
from celab.systems.campaign import Campaign as Campaign
from celab.systems.board import board as board
from celab.terminology.api import terms as terms

# Texts and candidates.
from celab.words.compounds import split_compound as split_compound
from celab.corpus.align.alignment import align as align
from celab.corpus.answers.forms import unwrap as unwrap
from celab.nbest.mbr import mbr as mbr
from celab.nbest.tuning import tune as tune

# Modules.
from celab import integrations as integrations
from celab import lexicon as lexicon
from celab import pivot as pivot
from celab import report as report
from celab import testing as testing
from celab.agreement import meta as meta
from celab.systems import significance as significance

# Errors and the version.
from celab.base.errors import CelabError as CelabError
from celab.base.errors import InputError as InputError
from celab.base.errors import InputWarning as InputWarning
from celab.base.errors import LexiconError as LexiconError
from celab.base.errors import OptionError as OptionError
from celab.base.errors import SolverError as SolverError
from celab.base.version import __version__ as __version__
