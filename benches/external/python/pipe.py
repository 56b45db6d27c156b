"""An external transport in Python: two processes over multiprocessing.Pipe. PROTOCOL.md says what is said."""

import json
import multiprocessing
import os
import platform
import sys
import time

HEAD_BYTES = 8
SPREAD = 2654435761


def head(seed, number):
    """The head of a message as a number; those of the warm-up have the numbers below 0."""
    return (seed + number) * SPREAD & 0xFFFFFFFF


def say(answer):
    print(json.dumps(answer), flush=True)


class Seen:
    """Who receives adds up the heads."""

    def __init__(self, seed):
        self.seed, self.delivered, self.sum = seed, 0, 0

    def add(self, number, message):
        value = int(message[:HEAD_BYTES], 16)
        if number >= 0:
            self.sum = (self.sum + value) & 0xFFFFFFFF
            self.delivered += value == head(self.seed, number)


def respond(channel, case):
    """Sends back what it receives, part after part, until the other end is closed."""
    per_sample = case["batch"] * case["messages_per_operation"]
    is_stream = case["scenario"] == "stream"
    number, end = -case["warmup_samples"] * per_sample, 0
    while True:
        seen = Seen(case["seed"])
        end += case["samples"] * per_sample
        for number in range(number, end):
            try:
                message = channel.recv_bytes()
            except EOFError:
                return
            seen.add(number, message)
            if not is_stream:
                channel.send_bytes(message)
            elif (end - number - 1) % per_sample == 0:
                channel.send(time.monotonic_ns())
        channel.send((seen.delivered, seen.sum))
        number = end


def measure(channel, case, begin, warmup):
    """The samples of one part, whose first recorded message has the number begin."""
    answers = Seen(case["seed"])
    per_sample = case["batch"] * case["messages_per_operation"]
    is_stream = case["scenario"] == "stream"
    filler = b"." * (case["message_bytes"] - HEAD_BYTES)
    all_messages = case["samples"] * per_sample
    samples, first_send = [], 0
    for sample in range(begin - warmup, begin + all_messages, per_sample):
        messages = [b"%08x" % head(case["seed"], sample + i) + filler for i in range(per_sample)]
        start = time.monotonic_ns()
        if sample == begin:
            first_send = start
        for i, message in enumerate(messages):
            channel.send_bytes(message)
            if not is_stream:
                answer = channel.recv_bytes()
                answers.add(sample + i, answer)
                if sample < begin and answer != message:
                    raise ValueError("an answer is not what was sent")
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
    say({"done": done})
    return all_messages


def main():
    asked = json.loads(sys.stdin.readline())
    case = asked["case"]
    if asked["protocol"] != 1:
        return say({"unsupported": "another version of the protocol: expected 1"})
    if case["mode"] != "2proc":
        return say({"unsupported": "it has two processes: expected 2proc"})
    if case["window"] != 1:
        return say({"unsupported": "it has one message on its way: expected a window of 1"})
    ours, theirs = multiprocessing.Pipe()
    responder = multiprocessing.Process(target=respond, args=(theirs, case), daemon=True)
    responder.start()
    # Only the responder holds its end now, so that it notices when we are gone, and we when it is.
    theirs.close()
    facts = {"python": platform.python_version()}
    say({"connected": {"initiator_pid": os.getpid(), "responder_pid": responder.pid, "facts": facts}})
    number, warmup = 0, case["warmup_samples"] * case["batch"] * case["messages_per_operation"]
    # The harness says "go" for each part, and closes our standard input when it wants no more.
    while sys.stdin.readline().strip() == '"go"':
        number += measure(ours, case, number, warmup)
        warmup = 0
    return None


if __name__ == "__main__":
    main()
