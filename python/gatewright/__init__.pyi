from gatewright._native import __version__ as __version__
from gatewright.errors import GatewrightError as GatewrightError
