"""Sends the operations: credentials, attempts, one deadline a call."""

import platform
import random
import re
import threading
import time
import uuid
from base64 import urlsafe_b64decode
from email.utils import parsedate_to_datetime
from json import loads
from urllib.parse import quote, urlencode

from .attempt import send
from .errors import BanyanError, ConnectionLostError, DeadlineError, RedirectError, ResponseError, UnreadableError
from .values import decode, encode
from .version import VERSION

PASSING = (429, 500, 502, 503, 504)
REFRESH = '/wallet/v1/auth/token/refresh'
FILE_TYPES = {'pdf': 'application/pdf', 'csv': 'text/csv'}
ADDRESS = re.compile(r'https?://[^\s/?#@]+(/[^\s?#]*)?', re.IGNORECASE)


class Calls:
    """`access_token` and `wallet_token` are text, or a function that returns it and is given a refused one."""

    def __init__(self, base_url='http://localhost:8080', *, basic_token=None, access_token=None, wallet_token=None,
                 admin_api_key=None, timeout=60, attempt_timeout=20, max_retries=4, user_agent=''):
        if not ADDRESS.fullmatch(base_url):
            raise ValueError(f'base_url is an address such as https://api.example.com, not {base_url!r}')
        self._base_url = re.sub(r'/v1$', '', base_url.rstrip('/'))
        self._credentials = {'basic': basic_token, 'admin_key': admin_api_key, 'wallet_bearer': wallet_token}
        self._access_token = access_token
        self._times = (timeout, attempt_timeout, max_retries)
        self._agent = f'{user_agent} banyan-python/{VERSION} python/{platform.python_version()}'.strip()
        self._lock, self._token, self._renew_at = threading.Lock(), None, 0

    def each(self, method, *path, **query):
        """Every entry of a list: `for user in banyan.each(banyan.list_users, status='ACTIVE')`."""
        before = None
        while True:
            page = method(*path, **query)
            entries = page.get('data')
            entries = next((one for one in entries.values() if isinstance(one, list)), None) if isinstance(entries, dict) else entries
            if not isinstance(entries, list):
                raise UnreadableError(200, 'it has no list')
            yield from entries
            if 'offset' in page:
                where = {'offset': page['offset'] + len(entries)}
                is_last = not entries or where['offset'] >= page.get('total', 0)
            else:
                where = {'after': page.get('next')}
                is_last = where['after'] is None or not page.get('has_more', entries)
            if is_last:
                return
            if where == before:
                raise UnreadableError(200, 'its pages repeat')
            before, query = where, {**query, **where}

    def _call(self, operation, path, query, body, options):
        known = {'timeout', 'idempotency_key', 'purpose', 'if_match', 'if_none_match', 'strict', 'content_type'}
        if set(options) - known:
            raise TypeError(f'there are no options {sorted(set(options) - known)}')
        timeout, attempt_timeout, max_retries = self._times
        timeout = timeout if options.get('timeout') is None else options['timeout']
        if operation['path'] == REFRESH:  # a refresh token works once, and for ten seconds more
            timeout, attempt_timeout = min(timeout, 9), min(attempt_timeout, 3)
        deadline = time.monotonic() + timeout
        url, headers, content = self._prepare(operation, path, query, body, options)
        may_repeat = operation['method'] == 'GET' or 'keyed' in operation or 'repeatable' in operation
        refused, count = None, 0
        while True:
            count += 1
            wait, error = 0, None
            try:
                authorization, token = self._authorize(operation, refused, deadline)
                until = min(deadline, time.monotonic() + attempt_timeout)
                status, received, text = send(operation['method'], url, {**headers, **authorization}, content, until)
                if status < 400:
                    return _result(operation, status, received, text)
                error = ResponseError(status, _problem(text), received.get('x-request-id'))
                wait = _retry_after(received)
                if status == 401 and token is not None and refused is None:
                    refused = token
                    continue
                is_passing = status in PASSING or error.code == 'idempotency_in_progress'
            except OSError as cause:
                error = DeadlineError('The call took longer than its timeout') if time.monotonic() >= deadline else \
                    ConnectionLostError('No response came')
                error.__cause__ = cause
                is_passing = isinstance(error, ConnectionLostError)
            except BanyanError as cause:
                error, is_passing = cause, False
            wait += min(0.25 * 2 ** (count - 1), 8) * (0.5 + random.random() / 2)
            if not (is_passing and may_repeat and count <= max_retries) or time.monotonic() + wait >= deadline:
                if is_passing and may_repeat and count <= max_retries and isinstance(error, ConnectionLostError):
                    error = DeadlineError('The call took longer than its timeout')
                error.idempotency_key = headers.get('idempotency-key')
                raise error
            time.sleep(wait)

    def _prepare(self, operation, path, query, body, options):
        parts = {name: quote(str(value), safe='') for name, value in path.items()}
        if any(part in ('', '.', '..') for part in parts.values()):
            raise ValueError('a part of the path is empty or no id')
        url = self._base_url + operation['path'].format(**parts)
        pairs = {name: value for name, value in query.items() if value is not None}
        if pairs:
            url += '?' + urlencode({name: 'true' if value is True else value for name, value in pairs.items()}, doseq=True)
        sends = FILE_TYPES.get(operation.get('sends'))
        named = {'purpose': options.get('purpose'), 'if-match': options.get('if_match'),
                 'if-none-match': options.get('if_none_match'), 'prefer': 'handling=strict' if options.get('strict') else None}
        headers = {
            'accept': 'application/pdf, application/problem+json' if operation.get('returns') == 'pdf' else 'application/json',
            'user-agent': self._agent,
            **({'content-type': options.get('content_type') or sends or 'application/json'} if body is not None else {}),
            **{name: value for name, value in named.items() if value is not None},
            **({'idempotency-key': options.get('idempotency_key') or str(uuid.uuid4())} if 'keyed' in operation else {}),
        }
        return url, headers, body if sends or body is None else encode(body)

    def _authorize(self, operation, refused, deadline):
        """Returns the header, and the token if another one can be asked for."""
        auth = operation.get('auth', 'bearer')
        if auth == 'none':
            return {}, None
        source = self._access_token if auth == 'bearer' else self._credentials.get(auth)
        if auth == 'bearer' and source is None and self._credentials['basic']:
            token = self._exchanged(refused, deadline)
            return {'authorization': f'Bearer {token}'}, token
        if not source:
            raise TypeError(f'this operation needs a credential: {auth}')
        if auth == 'admin_key':
            return {'admin-api-key': source}, None
        if auth == 'basic':
            return {'authorization': f'Basic {source}'}, None
        token = source(refused) if callable(source) else source
        return {'authorization': f'Bearer {token}'}, token if callable(source) else None

    def _exchanged(self, refused, deadline):
        if not self._lock.acquire(timeout=max(deadline - time.monotonic(), 0)):
            raise TimeoutError
        try:
            if self._token is None or self._token == refused or time.monotonic() >= self._renew_at:
                issued = self.exchange_credential({'grant_type': 'client_credentials'}, timeout=deadline - time.monotonic())
                if not isinstance(issued.get('access_token'), str):
                    raise UnreadableError(200, 'it has no access_token')
                self._token, self._renew_at = issued['access_token'], time.monotonic() + issued['expires_in'] * 0.8
            return self._token
        finally:
            self._lock.release()


def lifetime_of(token):
    """How many seconds a token lasts, as it says itself: the clock of this machine may be wrong."""
    payload = token.split('.')[1]
    claims = loads(urlsafe_b64decode(payload + '=' * (-len(payload) % 4)))
    return claims['exp'] - claims['iat']


def _result(operation, status, headers, text):
    if status == 304 or operation.get('returns') == 'nothing':
        return None
    if 300 <= status < 400:
        raise RedirectError(headers.get('location'))
    kind = headers.get_content_type() if 'content-type' in headers else 'nothing'
    if operation.get('returns') == 'pdf':
        if kind != 'application/pdf':
            raise UnreadableError(status, f'it is {kind}, no PDF document')
        return text
    try:
        result = decode(text)
    except ValueError as error:
        words = str(error) if 'paise' in str(error) else f'it is {kind}, no JSON'
        raise UnreadableError(status, words) from error
    if not isinstance(result, dict):
        raise UnreadableError(status, 'it is no object')
    return result


def _problem(text):
    try:
        problem = loads(text)
        return problem if isinstance(problem, dict) else {}
    except ValueError:
        return {}


def _retry_after(headers):
    value = headers.get('retry-after')
    if value is None:
        return 0
    if value.isdecimal():
        return int(value)
    try:
        now = parsedate_to_datetime(headers.get('date', '')).timestamp()
        return max(parsedate_to_datetime(value).timestamp() - now, 0)
    except (TypeError, ValueError):
        return 0
