"""A long way between a client and a server of this machine, for kernels without netem: no privileges needed.

    delay_relay.py PORT MILLISECONDS

Prints the port that it listens on (loopback), and relays each connection to PORT. Every byte comes MILLISECONDS later, in both
directions; a new connection costs the round trip of its handshake.
"""

import asyncio
import collections
import socket
import sys

target, delay = int(sys.argv[1]), float(sys.argv[2]) / 1000
# What is under way in one direction at most, in bytes.
LIMIT = 4 << 20


class End(asyncio.Protocol):
    """One end of a connection: what comes in here goes out at the other end, later."""

    def __init__(self, other=None):
        self.loop = asyncio.get_running_loop()
        self.other = other
        self.transport = None
        self.under_way = collections.deque()
        self.size = 0
        self.timer = None
        # Before the handshake is over nothing can be sent.
        self.ready = self.loop.time() + 2 * delay

    def connection_made(self, transport):
        self.transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.other is None:
            self.loop.create_task(self.connect())
        else:
            self.other.arm()

    async def connect(self):
        self.other = End(self)
        self.other.ready = 0
        try:
            await self.loop.create_connection(lambda: self.other, "127.0.0.1", target)
        except OSError:
            self.transport.abort()

    def data_received(self, data):
        self.put(data)
        self.size += len(data)
        if self.size > LIMIT:
            self.transport.pause_reading()

    def eof_received(self):
        self.put(None)
        return True

    def connection_lost(self, error):
        self.put(None)

    def put(self, data):
        self.under_way.append((max(self.loop.time(), self.ready) + delay, data))
        self.arm()

    def arm(self):
        if self.timer is None and self.under_way and self.other is not None and self.other.transport is not None:
            self.timer = self.loop.call_at(self.under_way[0][0], self.deliver)

    def deliver(self):
        self.timer = None
        while self.under_way and self.under_way[0][0] <= self.loop.time():
            data = self.under_way.popleft()[1]
            if self.other.transport.is_closing():
                continue
            if data is None:
                self.other.transport.close()
                continue
            self.size -= len(data)
            self.other.transport.write(data)
        if self.size <= LIMIT and not self.transport.is_closing():
            self.transport.resume_reading()
        self.arm()


async def main():
    server = await asyncio.get_running_loop().create_server(End, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


try:
    asyncio.run(main())
except KeyboardInterrupt:
    pass
