"""What can go wrong. Every error of the service or the network is a BanyanError."""


class BanyanError(Exception):
    """`idempotency_key`: of a write whose outcome is unknown; the same call with it is safe."""

    code = 'error'
    idempotency_key = None


class ConnectionLostError(BanyanError):
    """No response, or half of one, after every attempt."""

    code = 'connection_lost'


class DeadlineError(BanyanError):
    """The call took longer than its timeout."""

    code = 'timeout'


class UnreadableError(BanyanError):
    """A response that is not of this service. It is sent once: check base_url."""

    code = 'unreadable'

    def __init__(self, status, what):
        super().__init__(f'The response ({status}) is not of this service: {what}. Check base_url')
        self.status = status


class RedirectError(BanyanError):
    """The address leads elsewhere. Nothing was followed."""

    code = 'redirected'

    def __init__(self, location):
        super().__init__('The address redirects elsewhere, which was not followed. Check base_url')
        self.location = location


class ResponseError(BanyanError):
    """A problem (RFC 9457): `status`, `code`, `reason`, `errors`, and `request_id` for the operators."""

    def __init__(self, status, problem, request_id):
        self.status, self.problem = status, problem
        self.code = problem.get('code', 'error')
        self.reason = problem.get('reason')
        self.errors = problem.get('errors', [])
        self.request_id = problem.get('request_id', request_id)
        words = problem.get('detail') or problem.get('title') or 'the response has no details. Check base_url'
        super().__init__(f'{status} {self.code}: {words}')
