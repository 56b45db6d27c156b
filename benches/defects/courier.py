"""A courier in Python over a pair of Unix sockets, with at most one seeded defect: courier.py none|DEFECT."""

import json
import logging
import os
import select
import socket
import struct
import sys
import tempfile
import time

HEADER_BYTES = 8
MULTIPLIER = 2654435761
DEFECTS = ["none", "poll", "log-line", "chunked-reads"]
DEFECT = sys.argv[1] if len(sys.argv) == 2 else ""


def header(seed, number):
    """The header of a message as an integer. Warm-up messages have negative numbers."""
    return (seed + number) * MULTIPLIER & 0xFFFFFFFF


def print_line(value):
    print(json.dumps(value), flush=True)


class Channel:
    def __init__(self, end):
        self.end = end
        self.poller = select.poll()
        self.poller.register(end, select.POLLIN)
        self.log = logging.getLogger("courier")
        if DEFECT == "log-line":
            logging.basicConfig(stream=tempfile.TemporaryFile("w"), level=logging.INFO)

    def send(self, message):
        if DEFECT == "poll":
            self.poll_until(select.POLLOUT)
        self.end.sendall(message)

    def receive(self, length):
        """Receives a message of this length, or `None` if the other end is closed."""
        if DEFECT == "poll":
            self.poll_until(select.POLLIN)
        if DEFECT == "chunked-reads":
            message = self.read_in_chunks(length)
        else:
            message = self.end.recv(length, socket.MSG_WAITALL)
        if DEFECT == "log-line":
            self.log.info("received a message of %d bytes", length)
        return message if len(message) == length else None

    def poll_until(self, event):
        self.poller.modify(self.end, event)
        while not self.poller.poll(100):
            pass

    def read_in_chunks(self, length):
        chunks = []
        while length > 0:
            chunk = self.end.recv(min(length, 2048))
            if not chunk:
                break
            chunks.append(chunk)
            length -= len(chunk)
        return b"".join(chunks)


class Counts:
    """Counts of received messages, and the sum of their headers."""

    def __init__(self, seed):
        self.seed, self.delivered, self.sum = seed, 0, 0

    def add(self, number, message):
        if number >= 0:
            value = int(message[:HEADER_BYTES], 16)
            self.sum = (self.sum + value) & 0xFFFFFFFF
            self.delivered += value == header(self.seed, number)


def respond(channel, case):
    """Receives messages and returns them, part after part, until the initiator closes its end."""
    number, end = -case["warmup_samples"] * case["batch"], 0
    while True:
        counts = Counts(case["seed"])
        end += case["samples"] * case["batch"]
        for number in range(number, end):
            message = channel.receive(case["message_bytes"])
            if message is None:
                return
            counts.add(number, message)
            channel.send(message)
        channel.end.sendall(struct.pack("QQ", counts.delivered, counts.sum))
        number = end


def measure(channel, case, begin, warmup):
    """Measures a part whose first recorded message has the number `begin`."""
    answers = Counts(case["seed"])
    filler = b"." * (case["message_bytes"] - HEADER_BYTES)
    all_messages = case["samples"] * case["batch"]
    samples, first_send, last = [], 0, 0
    for sample in range(begin - warmup, begin + all_messages, case["batch"]):
        start = time.monotonic_ns()
        if sample == begin:
            first_send = start
        for number in range(sample, sample + case["batch"]):
            message = b"%08x" % header(case["seed"], number) + filler
            channel.send(message)
            answer = channel.receive(len(message))
            answers.add(number, answer)
            if sample < begin and answer != message:
                raise ValueError("the responder returned a different message")
        last = time.monotonic_ns()
        if sample >= begin:
            samples.append(last - start)
    delivered, responder_sum = struct.unpack("QQ", channel.end.recv(16, socket.MSG_WAITALL))
    done = {
        "samples_ns": samples,
        "elapsed_ns": last - first_send,
        "attempted": all_messages,
        "accepted": all_messages,
        "delivered": min(delivered, answers.delivered),
        "responder_sum": responder_sum,
        "initiator_sum": answers.sum,
    }
    print_line({"done": done})
    return all_messages


def main():
    if DEFECT not in DEFECTS:
        sys.exit(f"usage: courier.py {'|'.join(DEFECTS)}")
    case = json.loads(sys.stdin.readline())["case"]
    ours, theirs = socket.socketpair()
    responder = os.fork()
    if responder == 0:
        ours.close()
        respond(Channel(theirs), case)
        os._exit(0)
    theirs.close()
    channel = Channel(ours)
    print_line({"connected": {"initiator_pid": os.getpid(), "responder_pid": responder}})
    number, warmup = 0, case["warmup_samples"] * case["batch"]
    # The harness sends "go" for each part, and closes standard input after the last.
    while sys.stdin.readline().strip() == '"go"':
        number += measure(channel, case, number, warmup)
        warmup = 0


if __name__ == "__main__":
    main()
