"""The protocol for external programs, ../../external/PROTOCOL.md, and the measurement.

The ends of a channel are pairs of functions: send(message), and receive() that returns a message.
"""

import json
import multiprocessing
import multiprocessing.connection
import os
import platform
import sys
import threading
import time

HEADER_BYTES = 8
MULTIPLIER = 2654435761


def header(case, number):
    """The header of a message as an integer. Warm-up messages have negative numbers."""
    return (case["seed"] + number) * MULTIPLIER & 0xFFFFFFFF


def per_sample(case):
    return case["batch"] * case["messages_per_operation"]


class Counts:
    """Counts of recorded messages, and the sum of their headers."""

    def __init__(self, case):
        self.case, self.delivered, self.sum = case, 0, 0

    def add(self, number, message):
        value = int(message[:HEADER_BYTES], 16)
        if number >= 0:
            self.sum = (self.sum + value) & 0xFFFFFFFF
            self.delivered += value == header(self.case, number)


def exit_with_initiator():
    """Ends a responder that waits for a message of a killed initiator."""
    multiprocessing.parent_process().join()
    os._exit(1)


def exit_with_responder(sentinel, is_over):
    """Ends an initiator that waits for a message of a killed responder."""
    multiprocessing.connection.wait([sentinel])
    if is_over.is_set():
        return
    print_line({"failed": "the responder exited"})
    os._exit(1)


def respond(end, control, case):
    """Receives messages, and in "roundtrip" returns them, part after part, until the initiator ends this process."""
    threading.Thread(target=exit_with_initiator, daemon=True).start()
    control.send("ready")
    send, receive = end
    is_roundtrip = case["scenario"] == "roundtrip"
    number = -case["warmup_samples"] * per_sample(case)
    end_of_part = 0
    while True:
        counts = Counts(case)
        end_of_part += case["samples"] * per_sample(case)
        while number < end_of_part:
            message = receive()
            if is_roundtrip:
                send(message)
            elif (number + 1) % per_sample(case) == 0:
                control.send(time.monotonic_ns())
            counts.add(number, message)
            number += 1
        control.send((counts.delivered, counts.sum))


def measure(end, control, case, begin, warmup):
    """Measures a part whose first recorded message has the number `begin`."""
    send, receive = end
    is_roundtrip = case["scenario"] == "roundtrip"
    filler = b"." * (case["message_bytes"] - HEADER_BYTES)
    counts, samples, first_send = Counts(case), [], 0
    messages_of_part = case["samples"] * per_sample(case)
    for sample in range(begin - warmup, begin + messages_of_part, per_sample(case)):
        messages = [b"%08x" % header(case, sample + i) + filler for i in range(per_sample(case))]
        answers = []
        start = time.monotonic_ns()
        for message in messages:
            send(message)
            if is_roundtrip:
                answers.append(receive())
        last = time.monotonic_ns() if is_roundtrip else control.recv()
        if sample < begin and is_roundtrip and answers != messages:
            raise ValueError("the responder returned a different message")
        for i, answer in enumerate(answers):
            counts.add(sample + i, answer)
        if sample == begin:
            first_send = start
        if sample >= begin:
            samples.append(last - start)
    delivered, responder_sum = control.recv()
    done = {
        "samples_ns": samples,
        "elapsed_ns": last - first_send,
        "attempted": messages_of_part,
        "accepted": messages_of_part,
        "delivered": min(delivered, counts.delivered) if is_roundtrip else delivered,
        "responder_sum": responder_sum,
    }
    if is_roundtrip:
        done["initiator_sum"] = counts.sum
    print_line({"done": done})
    return messages_of_part


def print_line(value):
    print(json.dumps(value), flush=True)


def unsupported(request, scenarios):
    """Why this program does not support the request, if it does not."""
    case = request["case"]
    if request["protocol"] != 1:
        return "unsupported protocol version: expected 1"
    if case["mode"] != "2proc":
        return "only mode 2proc is supported"
    if case["scenario"] not in scenarios:
        return f"unsupported scenario: expected {' or '.join(scenarios)}"
    if case["window"] != 1:
        return "only a window of 1 is supported"
    return None


def main(open_channel, settings, scenarios):
    """Serves the harness. `open_channel` returns our end, the responder's, and what to call once both have opened it."""
    request = json.loads(sys.stdin.readline())
    case = request["case"]
    if why := unsupported(request, scenarios):
        return print_line({"unsupported": why})
    ours, theirs, opened = open_channel(case)
    control, responders_control = multiprocessing.Pipe()
    responder = multiprocessing.Process(target=respond, args=(theirs, responders_control, case), daemon=True)
    responder.start()
    # Now only the responder has this end, so `control.recv` fails if it exits.
    responders_control.close()
    control.recv()
    opened()
    is_over = threading.Event()
    threading.Thread(target=exit_with_responder, args=(responder.sentinel, is_over), daemon=True).start()
    facts = {"version": platform.python_version(), "settings": settings}
    print_line({"connected": {"initiator_pid": os.getpid(), "responder_pid": responder.pid, "facts": facts}})
    number, warmup = 0, case["warmup_samples"] * per_sample(case)
    # The harness sends "go" for each part, and closes standard input after the last.
    while sys.stdin.readline().strip() == '"go"':
        number += measure(ours, control, case, number, warmup)
        warmup = 0
    # At exit, multiprocessing ends the responder.
    is_over.set()
    return None
