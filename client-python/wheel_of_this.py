"""Packs the wheel with the standard library, so that no build tool has to be there."""

import base64
import hashlib
import pathlib
import runpy
import zipfile

FOLDER = pathlib.Path(__file__).parent
NAME = 'banyan_client'


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = runpy.run_path(str(FOLDER / 'banyan/version.py'))['VERSION']
    info = f'{NAME}-{version}.dist-info'
    files = {f'banyan/{path.name}': path.read_bytes() for path in sorted((FOLDER / 'banyan').glob('*.py'))}
    files[f'{info}/METADATA'] = f'Metadata-Version: 2.1\nName: banyan-client\nVersion: {version}\n'.encode()
    files[f'{info}/WHEEL'] = b'Wheel-Version: 1.0\nGenerator: banyan\nRoot-Is-Purelib: true\nTag: py3-none-any\n'
    digests = {name: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode() for name, data in files.items()}
    record = [f'{name},sha256={digests[name]},{len(data)}\n' for name, data in files.items()]
    files[f'{info}/RECORD'] = ''.join([*record, f'{info}/RECORD,,\n']).encode()
    name = f'{NAME}-{version}-py3-none-any.whl'
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, 'w', zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
    return name
