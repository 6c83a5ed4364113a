"""A client of the relation-chain service. ``v1`` has the messages of the contract."""

from . import v1
from .client import Client, api_key, user_sig
from .errors import CallError
from .retries import RetryPolicy
from .version import VERSION

__all__ = ["CallError", "Client", "RetryPolicy", "VERSION", "api_key", "user_sig", "v1"]
