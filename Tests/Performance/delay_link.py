"""A long way between two network namespaces of this machine, every port of it, for kernels without netem: needs root.

    delay_link.py MILLISECONDS [BYTES]

Makes the namespaces and a network between them (a pair of TUN devices), says in one line where they are and what the server's side
is called, and carries each packet, of BYTES at most (1500), over MILLISECONDS later, in both directions, in order, losing none:

    /proc/1234/fd/5 /proc/1234/fd/7 10.77.0.2

    nsenter --net=/proc/1234/fd/7 SERVER ...    nsenter --net=/proc/1234/fd/5 CLIENT ...

Everything goes when this process goes, however it ends: the namespaces have no names, and last as long as a process in them.
"""

import collections
import ctypes
import fcntl
import os
import select
import socket
import struct
import sys
import time

CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK, SIOCSIFMTU, SIOCSIFTXQLEN = 0x8914, 0x8916, 0x891C, 0x8922, 0x8943
IFF_UP, IFF_RUNNING = 0x0001, 0x0040
# Bytes of a packet at most.
PACKET = int(sys.argv[2]) if len(sys.argv) > 2 else 1500
# Packets read from one side before the other is looked at.
BATCH = 64
# Packets that wait in a device until they are read.
QUEUE = 20000


def request(name, form, *values):
    return struct.pack("16s" + form, name.encode(), *values)


def address(name, numbers):
    return request(name, "HH4s8x", socket.AF_INET, 0, socket.inet_aton(numbers))


def side(numbers):
    """Moves this process to a new namespace, and makes the device there: the namespace and the device, both open."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "no network namespace")
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tun, TUNSETIFF, request("far", "H22x", IFF_TUN | IFF_NO_PI))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFMTU, request("far", "i20x", PACKET))
        fcntl.ioctl(control, SIOCSIFTXQLEN, request("far", "i20x", QUEUE))
        fcntl.ioctl(control, SIOCSIFADDR, address("far", numbers))
        fcntl.ioctl(control, SIOCSIFNETMASK, address("far", "255.255.255.0"))
        for name in ("lo", "far"):
            fcntl.ioctl(control, SIOCSIFFLAGS, request(name, "H22x", IFF_UP | IFF_RUNNING))
    return os.open("/proc/self/ns/net", os.O_RDONLY), tun


def carry(one, other, delay):
    # Each packet takes the same time, so one queue in the order of arrival holds both directions.
    under_way = collections.deque()
    across = {one: other, other: one}
    while True:
        wait = None
        while under_way:
            wait = under_way[0][0] - time.monotonic()
            if wait > 0:
                break
            _, device, packet = under_way.popleft()
            os.write(device, packet)
            wait = None
        for device in select.select([one, other], [], [], wait)[0]:
            due = time.monotonic() + delay
            try:
                for _ in range(BATCH):
                    under_way.append((due, across[device], os.read(device, PACKET)))
            except BlockingIOError:
                continue


def main():
    delay = float(sys.argv[1]) / 1000
    client, one = side("10.77.0.1")
    server, other = side("10.77.0.2")
    own = f"/proc/{os.getpid()}/fd"
    print(f"{own}/{client} {own}/{server} 10.77.0.2", flush=True)
    carry(one, other, delay)


try:
    main()
except KeyboardInterrupt:
    pass
