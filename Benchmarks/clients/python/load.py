"""A load by grpcio's client, with the options of README.md as NAME=VALUE.

A call has what such clients send: a deadline of its own, a traceparent and a request id that no
other call has, and the library's user-agent. The messages are made beforehand.
"""

import asyncio
import itertools
import struct
import sys
import time

import grpc

PATH = "/relation.v1.FriendService/CheckFriends"
# Calls that are measured at least: as many as are in flight may have been answered before.
LEAST = 1_000
MIXER, MASK = 0x9E3779B97F4A7C15, (1 << 64) - 1


def messages(name):
    """The messages of a file, each with gRPC's five bytes before it."""
    with open(name, "rb") as file:
        text = file.read()
    found, at = [], 0
    while at < len(text):
        end = at + 5 + struct.unpack(">I", text[at + 1:at + 5])[0]
        found.append(text[at + 5:end])
        at = end
    return found


def heads(number, kind):
    """The deadline in seconds and the metadata of a call."""
    timeout = None if kind == "none" else 20 + number % 1_000_000 / 1e6
    if kind != "all":
        return timeout, ()
    mixed = number * MIXER & MASK
    return timeout, (
        ("traceparent", f"00-{mixed:016x}{mixed ^ MASK:016x}-{mixed | 1:016x}-00"),
        ("x-request-id", f"{mixed:016x}"))


class Load:
    def __init__(self, options):
        self.options = options
        self.requests = messages(options["file"])
        self.answers = messages(options["answers"])
        self.numbers = itertools.count()
        self.calls = self.failed = 0

    def channel(self, number):
        # Channels with the same options would share a connection.
        options = [("relation.number", number)]
        if not self.options["ca"]:
            return grpc.aio.insecure_channel(self.options["address"], options)
        with open(self.options["ca"], "rb") as file:
            trusted = grpc.ssl_channel_credentials(file.read())
        options.append(("grpc.ssl_target_name_override", "localhost"))
        return grpc.aio.secure_channel(self.options["address"], trusted, options)

    async def work(self, channel):
        function = channel.unary_unary(PATH)
        while True:
            number = next(self.numbers)
            index = number % len(self.requests)
            timeout, metadata = heads(number, self.options["head"])
            metadata = (("authorization", f"Bearer {self.options['key']}"), *metadata)
            try:
                answer = await function(self.requests[index], timeout=timeout, metadata=metadata)
                passed = answer == self.answers[index]
            except grpc.RpcError as error:
                print(error, file=sys.stderr)
                passed = False
            self.failed += not passed
            self.calls += 1

    async def run(self):
        channels = [self.channel(number) for number in range(int(self.options["connections"]))]
        tasks = [
            asyncio.create_task(self.work(channel))
            for channel in channels for _ in range(int(self.options["streams"]))]
        while self.calls == 0:
            await asyncio.sleep(0.001)
        await asyncio.sleep(float(self.options["warm"]))
        print("begin", flush=True)
        begin, before = time.monotonic(), self.calls
        await asyncio.sleep(float(self.options["seconds"]))
        while self.calls < before + LEAST:
            await asyncio.sleep(0.001)
        made, taken = self.calls - before, time.monotonic() - begin
        print(f'{{"calls": {made}, "seconds": {taken}, "failed": {self.failed}}}', flush=True)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for channel in channels:
            await channel.close()


if __name__ == "__main__":
    asyncio.run(Load(dict(word.split("=", 1) for word in sys.argv[1:])).run())
