"""One request, which ends at a deadline whatever the other side does."""

import http.client
import threading
import time
from urllib.parse import urlsplit


def send(method, url, headers, body, deadline):
    """Returns status, headers and the whole body. Raises OSError or HTTPException for what a network does."""
    parts = urlsplit(url)
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    kind = http.client.HTTPSConnection if parts.scheme == 'https' else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=seconds)
    # The timeout of a socket begins again with each byte: a timer closes it at the end.
    timer = threading.Timer(seconds, _close, [connection])
    timer.daemon = True
    timer.start()
    try:
        connection.request(method, parts.path + (f'?{parts.query}' if parts.query else ''), body, headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
        # A socket that the timer has closed fails in one of these ways.
        if time.monotonic() >= deadline:
            raise TimeoutError from error
        raise OSError('the connection was lost') from error
    finally:
        timer.cancel()
        connection.close()


def _close(connection):
    try:
        connection.sock.shutdown(2)
    except (OSError, AttributeError):
        pass
