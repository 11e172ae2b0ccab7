"""
An S3 server for tests: OpenStack Swift with its S3 interface, which checks signatures. All four of its servers run in this
one process, on loopback ports that are free.

    swift-server.py ACCOUNT:USER SECRET REGION

Prints its port once it responds. It ends, and removes its folder, when its standard input ends: nothing is left behind even
when the process that started it is killed.
"""
import os
import sys
import tempfile

from swift.common import utils

utils.eventlet_monkey_patch()

import eventlet
from eventlet import hubs, wsgi
from swift.common.ring import RingBuilder
from swift.common.wsgi import SwiftHttpProtocol, loadapp

PART_POWER = 2
REPLICAS = 1

SETTINGS = """
[DEFAULT]
devices = {folder}/devices
mount_check = false
swift_dir = {folder}
log_level = CRITICAL
"""

STORAGE = SETTINGS + """
[app:main]
use = egg:swift#{kind}
"""

PROXY = SETTINGS + """
[pipeline:main]
pipeline = s3api tempauth proxy-server

[filter:s3api]
use = egg:swift#s3api
location = {region}

[filter:tempauth]
use = egg:swift#tempauth
user_{account}_{user} = {secret} .admin

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
"""


class NoCache:
    """Swift insists on a memcached; it may be one that has just forgotten everything."""

    def get(self, *_, **__):
        return None

    set = delete = incr = decr = get_multi = set_multi = get


def main(login, secret, region):
    account, user = login.split(':')
    with folder_with_attributes() as folder:
        names = {'folder': folder, 'account': account, 'user': user, 'secret': secret, 'region': region}
        os.makedirs(os.path.join(folder, 'devices', 'disk'))
        write(folder, 'swift.conf', '[swift-hash]\nswift_hash_path_suffix = test\n')
        utils.set_swift_dir(folder)
        for kind in ('account', 'container', 'object'):
            socket = free_socket()
            save_ring(folder, kind, port_of(socket))
            serve(socket, loadapp(write(folder, f'{kind}.conf', STORAGE.format(kind=kind, **names))))
        proxy = loadapp(write(folder, 'proxy.conf', PROXY.format(**names)))

        def without_cache(environ, start_response):
            environ['swift.cache'] = NoCache()
            return proxy(environ, start_response)

        socket = free_socket()
        serve(socket, without_cache)
        print(port_of(socket), flush=True)
        hubs.trampoline(sys.stdin.fileno(), read=True)


def folder_with_attributes():
    """Swift keeps what it knows of a file in the file's extended attributes, which not every file system has."""
    places = [tempfile.gettempdir(), '/var/tmp', '/dev/shm', os.getcwd()]
    for place in places:
        try:
            folder = tempfile.TemporaryDirectory(prefix='banyan-s3-', dir=place)
        except OSError:
            continue
        try:
            os.setxattr(folder.name, 'user.banyan', b'')
            return folder
        except OSError:
            folder.cleanup()
    sys.exit(f'No folder with extended attributes: neither {" nor ".join(places)} has them.')


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


def save_ring(folder, kind, port):
    builder = RingBuilder(PART_POWER, REPLICAS, 1)
    builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': port, 'device': 'disk', 'weight': 1})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, f'{kind}.ring.gz'))


def free_socket():
    return eventlet.listen(('127.0.0.1', 0))


def port_of(socket):
    return socket.getsockname()[1]


def serve(socket, app):
    # Names of headers as they are given: "ETag" and not "Etag".
    settings = {'protocol': SwiftHttpProtocol, 'capitalize_response_headers': False, 'log_output': False}
    eventlet.spawn(wsgi.server, socket, app, **settings)


main(*sys.argv[1:])
