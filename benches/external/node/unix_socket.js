// An external transport for Node: two processes over a Unix socket, on Windows over a named pipe. PROTOCOL.md says what
// is said. Any number of messages may be on their way.
'use strict';

const { fork } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const readline = require('node:readline');

const HEAD_BYTES = 8;
const SPREAD = 2654435761;

const head = (seed, number) => Math.imul(seed + number, SPREAD) >>> 0;
const now = () => Number(process.hrtime.bigint());

/** Calls back with every message of this many bytes, however the stream was cut. */
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

function respond(address, ask) {
  const socket = net.connect(address);
  let number = -ask.warmup_samples * ask.batch;
  let end = ask.samples * ask.batch;
  let sum = 0;
  let delivered = 0;
  messagesOf(socket, ask.message_bytes, (message) => {
    if (number >= 0) {
      const value = parseInt(message.latin1Slice(0, HEAD_BYTES), 16);
      sum = (sum + value) >>> 0;
      if (value === head(ask.seed, number)) delivered++;
    }
    number++;
    socket.write(message);
    if (number === end) {
      process.send({ sum, delivered });
      // Another part may follow.
      sum = delivered = 0;
      end += ask.samples * ask.batch;
    }
  });
}

function initiate(line) {
  const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);
  const asked = JSON.parse(line);
  const ask = asked.case;
  if (asked.protocol !== 1) say({ unsupported: 'another version of the protocol: expected 1' });
  else if (ask.mode !== '2proc') say({ unsupported: 'it has two processes: expected 2proc' });
  else if (ask.scenario !== 'roundtrip') say({ unsupported: 'it sends back what it gets: expected roundtrip' });
  else serve(ask, say);
}

function serve(ask, say) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roundtrip-'));
  const address = process.platform === 'win32' ? `\\\\.\\pipe\\${path.basename(folder)}` : path.join(folder, 'socket');
  const server = net.createServer((socket) => {
    server.close();
    fs.rmSync(folder, { recursive: true, force: true });
    const facts = { node: process.version };
    say({ connected: { initiator_pid: process.pid, responder_pid: child.pid, facts } });
    const lines = readline.createInterface({ input: process.stdin });
    const measure = initiator(socket, child, ask, say);
    // Each line is a "go".
    lines.on('line', measure);
    lines.once('close', () => process.exit(0));
  });
  let child;
  server.listen(address, () => {
    child = fork(__filename, ['responder', address, JSON.stringify(ask)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.on('exit', () => process.exit(1));
  });
}

/** What measures a part whenever it is called. */
function initiator(socket, child, ask, say) {
  const messages = ask.samples * ask.batch;
  let next = -ask.warmup_samples * ask.batch;
  let number = next;
  let all = 0;
  let sum = 0;
  let delivered = 0;
  let corrupted = 0;
  let begin = 0;
  let first = 0;
  let end = 0;
  let samples = [];
  const message = Buffer.alloc(ask.message_bytes, '.');
  const send = () => {
    message.latin1Write(head(ask.seed, next++).toString(16).padStart(HEAD_BYTES, '0'), 0);
    // A socket may keep what it is given: with several on their way each has memory of its own.
    socket.write(ask.window === 1 ? message : Buffer.from(message));
  };
  messagesOf(socket, ask.message_bytes, (answer) => {
    const at = now();
    if (number >= 0) {
      const value = parseInt(answer.latin1Slice(0, HEAD_BYTES), 16);
      sum = (sum + value) >>> 0;
      if (value === head(ask.seed, number)) delivered++;
    } else if (!answer.subarray(HEAD_BYTES).equals(message.subarray(HEAD_BYTES))) {
      corrupted++;
    }
    number++;
    const isSample = number % ask.batch === 0;
    if (isSample && number > 0) samples.push(at - begin);
    if (isSample) begin = ask.window === 1 ? now() : at;
    if (number === 0) first = begin;
    end = at;
    if (next < all) send();
  });
  child.on('message', (responder) => {
    // The last answer may still be on its way.
    const finish = () => {
      if (number < all) return setImmediate(finish);
      say({
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
    for (let window = Math.min(ask.window, all - next); window > 0; window--) send();
  };
}
