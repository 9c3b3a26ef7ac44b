"""Pairs for the benchmark of a fleet.

    fleet.py make FOLDER COUNT WEBDAV SFTP   COUNT trees of 20 files below FOLDER, and on standard output a pair for each: a third of them go
                                             to this machine, a third to the folder WEBDAV and a third to the folder SFTP (URLs)
    fleet.py change FOLDER COUNT FILES       writes FILES of each tree again
"""

import json
import os
import pathlib
import random
import sys
import time


def tree(folder, number):
    return pathlib.Path(folder, f"pair{number:04}")


def files(folder, number):
    return [tree(folder, number) / f"folder {index % 4}" / f"file {index:02}" for index in range(20)]


def write(path):
    path.write_bytes(random.randbytes(4096))


def make(folder, count, webdav, sftp):
    os.umask(0)
    for number in range(count):
        for path in files(folder, number):
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path)
        here = pathlib.Path(folder, f"copy{number:04}").as_uri()
        destination, credential = ((here, None), (f"{webdav}/{number:04}", "webdav"), (f"{sftp}/{number:04}", "sftp"))[number % 3]
        # Due again long after the benchmark, unless somebody asks.
        pair = {"name": f"pair{number:04}", "owner": f"owner{number % 25}", "source": tree(folder, number).as_uri(), "destination": destination,
                "options": {"deletes": True}, "every": "24h"}
        if credential:
            pair["destinationCredential"] = credential
        print(json.dumps(pair))


def change(folder, count, wanted):
    # Listings tell versions apart by size and time, and SFTP's times are whole seconds.
    time.sleep(1.1)
    for number in range(count):
        for path in random.sample(files(folder, number), wanted):
            write(path)


def main():
    match sys.argv[1:]:
        case ["make", folder, count, webdav, sftp]:
            make(folder, int(count), webdav, sftp)
        case ["change", folder, count, wanted]:
            change(folder, int(count), int(wanted))
        case _:
            sys.exit(__doc__)


main()
