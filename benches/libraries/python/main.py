"""Two processes over multiprocessing: a pipe, a queue, or shared memory with semaphores."""

import multiprocessing
import sys
from multiprocessing.shared_memory import SharedMemory

import protocol


def pipe(_case):
    ours, theirs = multiprocessing.Pipe()
    return (ours.send_bytes, ours.recv_bytes), (theirs.send_bytes, theirs.recv_bytes), lambda: None


def queues(queue):
    requests, answers = queue(), queue()
    return (requests.put, answers.get), (answers.put, requests.get), lambda: None


class Slot:
    """One message in shared memory, and a semaphore that the sender releases and the receiver acquires."""

    def __init__(self, message_bytes, waits):
        self.memory = SharedMemory(create=True, size=message_bytes)
        self.filled = multiprocessing.Semaphore(0)
        self.message_bytes, self.waits = message_bytes, waits

    def send(self, message):
        self.memory.buf[: self.message_bytes] = message
        self.filled.release()

    def receive(self):
        while not self.filled.acquire(block=self.waits):
            pass
        return bytes(self.memory.buf[: self.message_bytes])


def shared_memory(case, waits):
    request, answer = Slot(case["message_bytes"], waits), Slot(case["message_bytes"], waits)

    def unlink():
        # Both processes have mapped it. Without a name, it cannot outlive them.
        request.memory.unlink()
        answer.memory.unlink()

    return (request.send, answer.receive), (answer.send, request.receive), unlink


# Name, how to open it, settings, scenarios.
CHANNELS = {
    "pipe": (pipe, "defaults", ["roundtrip", "stream"]),
    "queue": (lambda _case: queues(multiprocessing.Queue), "defaults", ["roundtrip", "stream"]),
    "simple-queue": (lambda _case: queues(multiprocessing.SimpleQueue), "SimpleQueue", ["roundtrip", "stream"]),
    "shared-memory": (lambda case: shared_memory(case, waits=True), "acquire waits", ["roundtrip"]),
    "shared-memory-polling": (lambda case: shared_memory(case, waits=False), "acquire polls", ["roundtrip"]),
}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in CHANNELS:
        sys.exit(f"{sys.argv[1:]}: expected one of {', '.join(CHANNELS)}")
    protocol.main(*CHANNELS[sys.argv[1]])
