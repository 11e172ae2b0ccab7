"""Verifies webhooks (Standard Webhooks), with nothing but the standard library."""

import base64
import binascii
import hashlib
import hmac
import time

from .values import decode

TOLERANCE_S = 300


class WebhookVerificationError(Exception):
    """The request is not from the service, or it is too old: respond with 400 and do nothing."""


def verify(raw_body, headers, secrets):
    """Returns the event. `raw_body`: the bytes as they came, before any parser; `secrets`: one, or two after a rotation."""
    if not isinstance(raw_body, (bytes, bytearray)):
        raise TypeError('give verify the body as it came: request.body in Django, request.get_data() in Flask')
    given = [one for one in ([secrets] if isinstance(secrets, str) or secrets is None else secrets) if one]
    if not given:
        raise TypeError('there is no secret: is the variable set that holds it?')
    found = {name.lower(): value for name, value in headers.items()}
    id, sent_at, signatures = (found.get(f'webhook-{name}') or '' for name in ('id', 'timestamp', 'signature'))
    if not (sent_at.isascii() and sent_at.isdecimal()) or abs(time.time() - int(sent_at)) > TOLERANCE_S:
        raise WebhookVerificationError('The request is too old, or a clock or a header is wrong')
    signed = b'.'.join([id.encode(), sent_at.encode(), bytes(raw_body)])
    for secret in given:
        expected = b'v1,' + base64.b64encode(hmac.new(_key_of(secret), signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(expected, one.encode()) for one in signatures.split()):
            return decode(bytes(raw_body))
    raise WebhookVerificationError('No signature is valid')


def _key_of(secret):
    try:
        if secret.startswith('whsec_'):
            return base64.b64decode(secret[6:], validate=True)
    except binascii.Error:
        pass
    raise TypeError('the secret of a webhook endpoint is whsec_ and base64')
