"""Makes calls of the installed client for its test: reads a list of them, prints what became of each."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

from banyan import Banyan

USER = '012345678901'
CALLS = {
    'exchange': lambda banyan, **options: banyan.read_user(USER, **options),
    'refresh': lambda banyan, **options: banyan.refresh_wallet_token({'refresh_token': 'refresh-1'}, **options),
    'read': lambda banyan, **options: banyan.read_user(USER, **options),
    'list': lambda banyan, **options: list(banyan.each(banyan.list_users, limit=50, **options)),
    'write': lambda banyan, **options: banyan.credit_wallet(USER, {'amount': Decimal('500.00'), 'reference': 'june'}, **options),
    'upload': lambda banyan, **options: banyan.upload_document(USER, 'pol_1', 'policy_certificate', b'%PDF-1.7', **options),
    'download': lambda banyan, **options: banyan.download_document(USER, 'pol_1', 'policy_certificate', **options),
    'events': lambda banyan, **options: banyan.list_events(limit=1, **options),
    'webhook': lambda banyan, **options: banyan.create_webhook_endpoint(
        {'url': 'https://p.example', 'event_types': ['policy.*']}, **options),
}


def made(call):
    kind, url, settings, options = call['kind'], call['url'], call['settings'], call['options']
    credentials = {'basic_token': 'YTpi'} if kind == 'exchange' else {'access_token': 'token'}
    try:
        CALLS[kind](Banyan(url, **credentials, **settings), **options)
        error, message, key = None, '', None
    except Exception as caught:
        error, message, key = type(caught).__name__, str(caught), getattr(caught, 'idempotency_key', None)
    return {'error': error, 'message': message, 'key': key}


with ThreadPoolExecutor(16) as pool:
    json.dump(list(pool.map(made, json.load(sys.stdin))), sys.stdout)
