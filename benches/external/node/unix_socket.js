// An external transport for Node: two processes over a Unix socket, or a named pipe on Windows. It supports any window.
// To measure your library, replace the parts marked "Replace". Protocol:
// https://github.com/roundtrip-ipc/roundtrip/blob/main/benches/external/PROTOCOL.md
'use strict';

const { fork } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const readline = require('node:readline');

const HEADER_BYTES = 8;
const MULTIPLIER = 2654435761;

const header = (seed, number) => Math.imul(seed + number, MULTIPLIER) >>> 0;
const now = () => Number(process.hrtime.bigint());

/**
 * Splits the stream into messages of `bytes` bytes and calls `received` for each.
 *
 * Replace: receive with your library. `socket.write` sends.
 */
function messagesOf(socket, bytes, received) {
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (; at + bytes <= rest.length; at += bytes) received(rest.subarray(at, at + bytes));
    rest = rest.subarray(at);
  });
}

if (process.argv[2] === 'responder') respond(process.argv[3], JSON.parse(process.argv[4]));
else readline.createInterface({ input: process.stdin }).once('line', initiate);

function respond(address, testCase) {
  // Replace: this opens the responder's end.
  const socket = net.connect(address);
  let number = -testCase.warmup_samples * testCase.batch;
  let end = testCase.samples * testCase.batch;
  let sum = 0;
  let delivered = 0;
  messagesOf(socket, testCase.message_bytes, (message) => {
    if (number >= 0) {
      const value = parseInt(message.latin1Slice(0, HEADER_BYTES), 16);
      sum = (sum + value) >>> 0;
      if (value === header(testCase.seed, number)) delivered++;
    }
    number++;
    socket.write(message);
    if (number === end) {
      process.send({ sum, delivered });
      // Another part may follow.
      sum = delivered = 0;
      end += testCase.samples * testCase.batch;
    }
  });
}

function initiate(line) {
  const printLine = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
  const request = JSON.parse(line);
  const testCase = request.case;
  if (request.protocol !== 1) printLine({ unsupported: 'unsupported protocol version: expected 1' });
  else if (testCase.mode !== '2proc') printLine({ unsupported: 'only mode 2proc is supported' });
  else if (testCase.scenario !== 'roundtrip') printLine({ unsupported: 'only scenario roundtrip is supported' });
  else serve(testCase, printLine);
}

function serve(testCase, printLine) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roundtrip-'));
  const address = process.platform === 'win32' ? `\\\\.\\pipe\\${path.basename(folder)}` : path.join(folder, 'socket');
  // Replace: this creates the channel.
  const server = net.createServer((socket) => {
    server.close();
    fs.rmSync(folder, { recursive: true, force: true });
    const facts = { node: process.version };
    printLine({ connected: { initiator_pid: process.pid, responder_pid: child.pid, facts } });
    const lines = readline.createInterface({ input: process.stdin });
    const measure = initiator(socket, child, testCase, printLine);
    // Each line is a "go".
    lines.on('line', measure);
    lines.once('close', () => process.exit(0));
  });
  let child;
  server.listen(address, () => {
    child = fork(__filename, ['responder', address, JSON.stringify(testCase)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.on('exit', () => process.exit(1));
  });
}

/** Returns a function that measures a part. */
function initiator(socket, child, testCase, printLine) {
  const messages = testCase.samples * testCase.batch;
  let next = -testCase.warmup_samples * testCase.batch;
  let number = next;
  let all = 0;
  let sum = 0;
  let delivered = 0;
  let corrupted = 0;
  let begin = 0;
  let first = 0;
  let end = 0;
  let samples = [];
  const message = Buffer.alloc(testCase.message_bytes, '.');
  const send = () => {
    message.latin1Write(header(testCase.seed, next++).toString(16).padStart(HEADER_BYTES, '0'), 0);
    // The socket may keep the buffer: with several messages in flight, each needs its own.
    socket.write(testCase.window === 1 ? message : Buffer.from(message));
  };
  messagesOf(socket, testCase.message_bytes, (answer) => {
    const at = now();
    if (number >= 0) {
      const value = parseInt(answer.latin1Slice(0, HEADER_BYTES), 16);
      sum = (sum + value) >>> 0;
      if (value === header(testCase.seed, number)) delivered++;
    } else if (!answer.subarray(HEADER_BYTES).equals(message.subarray(HEADER_BYTES))) {
      corrupted++;
    }
    number++;
    const isSample = number % testCase.batch === 0;
    if (isSample && number > 0) samples.push(at - begin);
    if (isSample) begin = testCase.window === 1 ? now() : at;
    if (number === 0) first = begin;
    end = at;
    if (next < all) send();
  });
  child.on('message', (responder) => {
    // The last answer may still be in flight.
    const finish = () => {
      if (number < all) return setImmediate(finish);
      printLine({
        done: {
          samples_ns: samples,
          elapsed_ns: end - first,
          attempted: messages,
          accepted: messages,
          delivered: Math.min(delivered, responder.delivered) - corrupted,
          corrupted,
          responder_sum: responder.sum,
          initiator_sum: sum,
        },
      });
      sum = delivered = corrupted = 0;
      samples = [];
    };
    finish();
  });
  return () => {
    all += messages;
    first = begin = now();
    for (let window = Math.min(testCase.window, all - next); window > 0; window--) send();
  };
}
