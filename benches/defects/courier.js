// A courier in Node over TCP, with at most one seeded defect: node courier.js bytes|fields none|DEFECT
// `bytes` sends header and body separately, `fields` has integers as its body.
'use strict';

const { fork } = require('node:child_process');
const net = require('node:net');
const readline = require('node:readline');

const HEADER_BYTES = 8;
const DEFECTS = ['none', 'missing-nodelay', 'json', 'gc-pressure'];
const [variant, defect] = process.argv.slice(2);

const header = (seed, number) => Math.imul(seed + number, 2654435761) >>> 0;
const now = () => Number(process.hrtime.bigint());

/** A header, and a body from elsewhere. */
const bytes = {
  body: (length) => Buffer.alloc(length, '.'),
  send: (socket, { head, body }) => {
    socket.write(head, 'latin1');
    socket.write(body);
  },
  decode: (message) => ({ head: message.latin1Slice(0, HEADER_BYTES), body: message.subarray(HEADER_BYTES) }),
};

/** The same with integers. */
const fields = {
  body: (length) => Uint32Array.from({ length: length / 4 }, (_, at) => 1000000 + at),
  send: (socket, { head, body }) => {
    socket.write(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body.buffer)]));
  },
  decode: (message) => {
    const body = Uint8Array.prototype.slice.call(message, HEADER_BYTES);
    return { head: message.latin1Slice(0, HEADER_BYTES), body: new Uint32Array(body.buffer) };
  },
};

/** The defect `json`: the same fields as a line of text. */
const lines = {
  body: fields.body,
  send: (socket, { head, body }) => socket.write(`${JSON.stringify({ head, body: Array.from(body) })}\n`),
  decode: (message) => {
    const { head, body } = JSON.parse(message.latin1Slice());
    return { head, body: Uint32Array.from(body) };
  },
};

const form = variant === 'bytes' ? bytes : defect === 'json' ? lines : fields;

/** Calls `received` for each message, which has `length` bytes or is a line. */
function receive(socket, length, received) {
  let rest = Buffer.alloc(0);
  const next = form === lines ? () => rest.indexOf('\n') + 1 : () => (rest.length < length ? 0 : length);
  socket.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = next(); end > 0; end = next()) {
      const message = form.decode(rest.subarray(0, end));
      rest = rest.subarray(end);
      if (defect === 'gc-pressure') remember(message);
      received(message);
    }
  });
}

/** The defect `gc-pressure`: keeps the fields of the last messages as objects, which outlive their generation. */
const remembered = [];
let oldest = 0;
function remember(message) {
  const found = [];
  for (let at = 0; at < 512; at++) found.push({ at, value: message.body[at % message.body.length], next: null });
  remembered[oldest++ % 500] = found;
}

function respond(port, testCase) {
  const socket = net.connect(port, '127.0.0.1').setNoDelay(true);
  const messages = testCase.samples * testCase.batch;
  let number = -testCase.warmup_samples * testCase.batch;
  let end = messages;
  let sum = 0;
  let delivered = 0;
  receive(socket, testCase.message_bytes, (message) => {
    if (number >= 0) {
      const value = parseInt(message.head, 16);
      sum = (sum + value) >>> 0;
      if (value === header(testCase.seed, number)) delivered++;
    }
    number++;
    form.send(socket, message);
    if (number === end) {
      process.send({ sum, delivered });
      sum = delivered = 0;
      end += messages;
    }
  });
}

const printLine = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

function initiate(line) {
  const testCase = JSON.parse(line).case;
  const server = net.createServer((socket) => {
    server.close();
    if (defect !== 'missing-nodelay') socket.setNoDelay(true);
    const measure = initiator(socket, child, testCase);
    printLine({ connected: { initiator_pid: process.pid, responder_pid: child.pid } });
    const harness = readline.createInterface({ input: process.stdin });
    // Each line is a "go".
    harness.on('line', measure);
    harness.once('close', () => process.exit(0));
  });
  let child;
  server.listen(0, '127.0.0.1', () => {
    const words = [variant, defect, server.address().port, JSON.stringify(testCase)];
    child = fork(__filename, words, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.on('exit', () => process.exit(1));
  });
}

/** Returns a function that measures a part. */
function initiator(socket, child, testCase) {
  const messages = testCase.samples * testCase.batch;
  const body = form.body(testCase.message_bytes - HEADER_BYTES);
  let next = -testCase.warmup_samples * testCase.batch;
  let all = 0;
  let sum = 0;
  let delivered = 0;
  let begin = 0;
  let first = 0;
  let end = 0;
  let samples = [];
  let responder = null;
  const sendNext = () => {
    const head = header(testCase.seed, next++).toString(16).padStart(HEADER_BYTES, '0');
    form.send(socket, { head, body });
  };
  const finish = () => {
    if (next < all || responder === null) return;
    const accepted = { attempted: messages, accepted: messages, delivered: Math.min(delivered, responder.delivered) };
    const sums = { responder_sum: responder.sum, initiator_sum: sum };
    printLine({ done: { samples_ns: samples, elapsed_ns: end - first, ...accepted, ...sums } });
    sum = delivered = 0;
    samples = [];
    responder = null;
  };
  let answers = next;
  receive(socket, testCase.message_bytes, (answer) => {
    end = now();
    if (answers >= 0) {
      const value = parseInt(answer.head, 16);
      sum = (sum + value) >>> 0;
      if (value === header(testCase.seed, answers)) delivered++;
    } else if (String(answer.body) !== String(body)) {
      printLine({ failed: 'the responder returned a different message' });
    }
    answers++;
    if (answers % testCase.batch === 0) {
      if (answers > 0) samples.push(end - begin);
      begin = now();
      if (answers === 0) first = begin;
    }
    if (next < all) sendNext();
    else if (answers === all) finish();
  });
  child.on('message', (counts) => {
    responder = counts;
    if (answers === all) finish();
  });
  return () => {
    all += messages;
    first = begin = now();
    sendNext();
  };
}

if (!DEFECTS.includes(defect)) {
  console.error(`usage: courier.js bytes|fields ${DEFECTS.join('|')}`);
  process.exit(1);
} else if (process.argv[4] !== undefined) {
  respond(Number(process.argv[4]), JSON.parse(process.argv[5]));
} else {
  readline.createInterface({ input: process.stdin }).once('line', initiate);
}
