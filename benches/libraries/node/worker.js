// Two threads over SharedArrayBuffer. The argument is how the receiver waits: wait (Atomics.wait) or poll (Atomics.load).
'use strict';

const { once } = require('node:events');
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');
const { Responder, fail, initiate } = require('./protocol.js');

// The message has its own cache line.
const MESSAGE_AT = 64;

/** A message in shared memory, after a count of messages sent. */
class Slot {
  #sent;
  #bytes;
  #received = 0;
  #waits;

  constructor(memory, waits) {
    this.#sent = new Int32Array(memory, 0, 1);
    this.#bytes = new Uint8Array(memory, MESSAGE_AT);
    this.#waits = waits;
  }

  send(message) {
    this.#bytes.set(message);
    Atomics.add(this.#sent, 0, 1);
    if (this.#waits) Atomics.notify(this.#sent, 0);
  }

  receive(message) {
    while (Atomics.load(this.#sent, 0) === this.#received) {
      if (this.#waits) Atomics.wait(this.#sent, 0, this.#received);
    }
    // Wraps like the shared integer.
    this.#received = (this.#received + 1) | 0;
    message.set(this.#bytes);
  }
}

if (isMainThread) {
  const argument = process.argv[2];
  if (!['wait', 'poll'].includes(argument)) throw new Error(`invalid argument ${argument}: expected wait or poll`);
  const waits = argument === 'wait';
  const settings = waits ? 'Atomics.wait and notify' : 'polls Atomics.load';
  initiate({ mode: '2thread', settings, open: (testCase) => open(testCase, waits) });
} else {
  respond(workerData);
}

function respond({ testCase, waits, requests, answers }) {
  const [request, answer] = [new Slot(requests, waits), new Slot(answers, waits)];
  const responder = new Responder(testCase, (counts) => parentPort.postMessage(counts));
  const message = Buffer.alloc(testCase.message_bytes);
  parentPort.postMessage('ready');
  for (;;) {
    request.receive(message);
    answer.send(message);
    responder.received(message);
  }
}

async function open(testCase, waits) {
  const [requests, answers] = [1, 2].map(() => new SharedArrayBuffer(MESSAGE_AT + testCase.message_bytes));
  const worker = new Worker(__filename, { workerData: { testCase, waits, requests, answers } });
  worker.on('error', (error) => fail(`the responder failed: ${error.message}`));
  await once(worker, 'message');
  const [request, answer] = [new Slot(requests, waits), new Slot(answers, waits)];
  const received = Buffer.alloc(testCase.message_bytes);
  let part;
  worker.on('message', (counts) => part.finish(counts));
  const measure = (nextPart) => {
    part = nextPart;
    for (let message = part.begin(); message !== undefined; message = part.received(received)) {
      request.send(message);
      answer.receive(received);
    }
  };
  return { responderPid: process.pid, measure };
}
