from gatewright._native import __version__ as __version__
from gatewright.errors import GatewrightError as GatewrightError
from gatewright.ledger import reconcile as reconcile
from gatewright.outcome import Finding as Finding
from gatewright.outcome import Location as Location
from gatewright.outcome import Outcome as Outcome
