"""An external transport in Python: two processes over multiprocessing.Pipe.

To measure your library, replace the part marked "Replace". Protocol:
https://github.com/roundtrip-ipc/roundtrip/blob/main/benches/external/PROTOCOL.md
"""

import json
import multiprocessing
import os
import platform
import sys
import time

HEADER_BYTES = 8
MULTIPLIER = 2654435761


def header(seed, number):
    """The header of a message as an integer. Warm-up messages have negative numbers."""
    return (seed + number) * MULTIPLIER & 0xFFFFFFFF


def print_line(value):
    print(json.dumps(value), flush=True)


class Counts:
    """Counts of received messages, and the sum of their headers."""

    def __init__(self, seed):
        self.seed, self.delivered, self.sum = seed, 0, 0

    def add(self, number, message):
        value = int(message[:HEADER_BYTES], 16)
        if number >= 0:
            self.sum = (self.sum + value) & 0xFFFFFFFF
            self.delivered += value == header(self.seed, number)


def respond(channel, case):
    """Receives messages, and in "roundtrip" returns them, part after part, until the initiator closes its end."""
    per_sample = case["batch"] * case["messages_per_operation"]
    is_stream = case["scenario"] == "stream"
    number, end = -case["warmup_samples"] * per_sample, 0
    while True:
        counts = Counts(case["seed"])
        end += case["samples"] * per_sample
        for number in range(number, end):
            try:
                message = channel.recv_bytes()
            except EOFError:
                return
            counts.add(number, message)
            if not is_stream:
                channel.send_bytes(message)
            elif (end - number - 1) % per_sample == 0:
                channel.send(time.monotonic_ns())
        channel.send((counts.delivered, counts.sum))
        number = end


def measure(channel, case, begin, warmup):
    """Measures a part whose first recorded message has the number `begin`."""
    answers = Counts(case["seed"])
    per_sample = case["batch"] * case["messages_per_operation"]
    is_stream = case["scenario"] == "stream"
    filler = b"." * (case["message_bytes"] - HEADER_BYTES)
    all_messages = case["samples"] * per_sample
    samples, first_send = [], 0
    for sample in range(begin - warmup, begin + all_messages, per_sample):
        messages = [b"%08x" % header(case["seed"], sample + i) + filler for i in range(per_sample)]
        start = time.monotonic_ns()
        if sample == begin:
            first_send = start
        for i, message in enumerate(messages):
            channel.send_bytes(message)
            if not is_stream:
                answer = channel.recv_bytes()
                answers.add(sample + i, answer)
                if sample < begin and answer != message:
                    raise ValueError("the responder returned a different message")
        last = channel.recv() if is_stream else time.monotonic_ns()
        if sample >= begin:
            samples.append(last - start)
    delivered, responder_sum = channel.recv()
    done = {
        "samples_ns": samples,
        "elapsed_ns": last - first_send,
        "attempted": all_messages,
        "accepted": all_messages,
        "delivered": delivered if is_stream else min(delivered, answers.delivered),
        "responder_sum": responder_sum,
    }
    if not is_stream:
        done["initiator_sum"] = answers.sum
    print_line({"done": done})
    return all_messages


def main():
    request = json.loads(sys.stdin.readline())
    case = request["case"]
    if request["protocol"] != 1:
        return print_line({"unsupported": "unsupported protocol version: expected 1"})
    if case["mode"] != "2proc":
        return print_line({"unsupported": "only mode 2proc is supported"})
    if case["window"] != 1:
        return print_line({"unsupported": "only a window of 1 is supported"})
    # Replace: create the channel with your library. Its ends need recv_bytes, send_bytes, recv, send and close.
    # Before importing it, set sys.path[0] to its folder in the checkout, so that each commit measures its own version. From
    # benchmarks/roundtrip, the root is os.path.join(sys.path[0], "..", "..").
    ours, theirs = multiprocessing.Pipe()
    responder = multiprocessing.Process(target=respond, args=(theirs, case), daemon=True)
    responder.start()
    # Now only the responder has this end, so each process notices when the other exits.
    theirs.close()
    facts = {"python": platform.python_version()}
    print_line({"connected": {"initiator_pid": os.getpid(), "responder_pid": responder.pid, "facts": facts}})
    number, warmup = 0, case["warmup_samples"] * case["batch"] * case["messages_per_operation"]
    # The harness sends "go" for each part, and closes standard input after the last.
    while sys.stdin.readline().strip() == '"go"':
        number += measure(ours, case, number, warmup)
        warmup = 0
    return None


if __name__ == "__main__":
    main()
