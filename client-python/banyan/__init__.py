"""The client of Banyan for Python: `Banyan(base_url, basic_token=…)` has a method for each operation."""

from .calls import lifetime_of
from .errors import BanyanError, ConnectionLostError, DeadlineError, RedirectError, ResponseError, UnreadableError
from .operations import Operations as Banyan
from .version import VERSION as __version__
from .webhooks import WebhookVerificationError, verify

__all__ = ['Banyan', 'BanyanError', 'ConnectionLostError', 'DeadlineError', 'RedirectError', 'ResponseError',
           'UnreadableError', 'WebhookVerificationError', 'lifetime_of', 'verify', '__version__']
