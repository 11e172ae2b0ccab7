"""Between the service's JSON and Python: every amount is a Decimal of rupees, never a float."""

import json
from decimal import Decimal

PAISE = (
    'amount', 'balance', 'balance_after', 'used', 'left',
    'credits_a_month', 'credits_a_year', 'debits_a_month', 'debits_a_year',
)  # wallets count in paise, premiums in rupees
FREE_FORM = 'provider_metadata'


def decode(text):
    return _decoded(json.loads(text, parse_float=Decimal), '')


def _decoded(value, name):
    if name in PAISE and isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        if value != int(value):
            raise ValueError('an amount is no whole number of paise')
        return Decimal(int(value)) / 100
    if name == FREE_FORM:
        return value
    if isinstance(value, list):
        return [_decoded(one, name) for one in value]
    if isinstance(value, dict):
        if isinstance(value.get('currency'), str) and isinstance(value.get('value'), (int, Decimal)):
            return {**value, 'value': Decimal(value['value'])}
        return {member: _decoded(inner, member) for member, inner in value.items()}
    return value


def encode(body):
    return json.dumps(_encoded(body, ''), ensure_ascii=False, allow_nan=False).encode()


def _encoded(value, name):
    if name in PAISE and value is not None and not isinstance(value, dict):  # an insurer's amount has a currency
        if not isinstance(value, Decimal) or value * 100 != int(value * 100):
            raise TypeError(f"{name} is a Decimal of rupees with at most two decimals: Decimal('499.50')")
        return int(value * 100)
    if isinstance(value, Decimal):
        if Decimal(repr(float(value))) != value:
            raise ValueError('JSON cannot hold this number exactly')
        return float(value)
    if isinstance(value, dict):
        return value if name == FREE_FORM else {member: _encoded(inner, member) for member, inner in value.items()}
    return [_encoded(one, name) for one in value] if isinstance(value, (list, tuple)) else value
