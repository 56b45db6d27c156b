// Measures the channel of child_process.fork. This file is both ends. It speaks the protocol of
// benches/external/PROTOCOL.md; its argument is the serialization, `advanced` or `json`.
'use strict';

const HEADER_BYTES = 8;
const SPREAD = 2654435761;

/** The header of a message: its number, spread over 32 bits, as eight hexadecimal digits. */
const header = (seed, number) => Math.imul(seed + number, SPREAD) >>> 0;
const text = (value) => value.toString(16).padStart(HEADER_BYTES, '0');
const headerOf = (message) => parseInt(message.slice(0, HEADER_BYTES), 16);
const now = () => Number(process.hrtime.bigint());

if (process.argv[2] === 'responder') respond();
else initiate(process.argv[2]);

/** Returns messages, and reports their sum and errors at the end of each part. */
function respond() {
  let work;
  let number;
  let end;
  let sum = 0;
  let wrong = 0;
  process.send({ ready: true });
  process.on('message', (message) => {
    if (typeof message !== 'string') {
      work = message;
      number = -work.warmup;
      end = work.messages;
      return;
    }
    if (number >= 0) {
      const value = headerOf(message);
      sum = (sum + value) >>> 0;
      if (value !== header(work.seed, number) || message.length !== work.bytes) wrong++;
    }
    number++;
    if (!work.isStream) process.send(message);
    else if (number % work.perSample === 0) process.send({ last: now() });
    if (number === end) {
      process.send({ sum, wrong });
      sum = wrong = 0;
      end += work.messages;
    }
  });
}

function initiate(serialization) {
  const lines = require('node:readline').createInterface({ input: process.stdin });
  const print = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);
  const child = require('node:child_process').fork(__filename, ['responder'], {
    serialization,
    // Its output would be read as an answer of the protocol.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  // The harness ends the program by closing its standard input.
  lines.on('close', () => process.exit(0));
  child.on('exit', (code, signal) => {
    print({ failed: `the child exited with ${signal ?? code}` });
    process.exit(1);
  });

  const ready = new Promise((resolve) => child.once('message', resolve));
  let measure;
  lines.on('line', async (line) => {
    const message = JSON.parse(line);
    if (message === 'go') {
      measure();
      return;
    }
    const request = message.case;
    if (message.protocol !== 1) print({ unsupported: `protocol ${message.protocol}: expected 1` });
    else if (request.mode !== '2proc') print({ unsupported: 'fork starts a process: expected 2proc' });
    else {
      await ready;
      measure = initiator(child, request, print);
      const facts = { node: process.version, v8: process.versions.v8 };
      print({ connected: { initiator_pid: process.pid, responder_pid: child.pid, facts } });
    }
  });
}

/** Returns a function that measures a part. The first part begins with the warm-up, whose messages have negative numbers. */
function initiator(child, request, print) {
  const isStream = request.scenario === 'stream';
  const perSample = request.batch * request.messages_per_operation;
  const messages = request.samples * perSample;
  const warmup = request.warmup_samples * perSample;
  const filler = '.'.repeat(request.message_bytes - HEADER_BYTES);

  let sent = -warmup;
  let answered = -warmup;
  let all = 0;
  let samples;
  let sum;
  let wrong;
  let begin = 0;
  let first = 0;
  let end = 0;
  let inFlight = '';

  const prepare = () => {
    inFlight = text(header(request.seed, sent)) + filler;
    // Reading a character flattens the concatenated string; otherwise sending would do that.
    inFlight.charCodeAt(0);
  };
  const send = () => {
    sent++;
    child.send(inFlight);
  };

  child.on('message', (answer) => {
    const at = now();
    if (typeof answer !== 'string') {
      if (answer.last === undefined) finish(answer);
      else transferred(answer.last);
      return;
    }
    if (answered >= 0) {
      const value = headerOf(answer);
      sum = (sum + value) >>> 0;
      if (value !== header(request.seed, answered) || answer.length !== request.message_bytes) wrong++;
    } else if (!answer.endsWith(filler)) {
      wrong++;
    }
    answered++;
    const isSample = answered % perSample === 0;
    if (isSample) record(at);
    if (sent < all) prepare();
    // With a window of 1, exclude the check and the preparation from the next time.
    if (isSample) begin = request.window === 1 ? now() : at;
    if (sent < all) send();
  });

  /** Records the end of a sample. */
  const record = (at) => {
    if (answered > 0) samples.push(at - begin);
    if (answered === 0) first = now();
    end = at;
  };

  const sendTransfer = () => {
    begin = now();
    for (let left = perSample; left > 0; left--) {
      prepare();
      send();
    }
  };

  /** Records a complete transfer. `last` is when the responder received its last message, by the clock that all processes share. */
  const transferred = (last) => {
    answered += perSample;
    record(last);
    if (sent < all) sendTransfer();
  };

  /** Reports a part once the responder has received all of it. */
  const finish = (responder) => {
    const lost = wrong + responder.wrong;
    print({
      done: {
        samples_ns: samples,
        elapsed_ns: end - first,
        attempted: messages,
        accepted: messages,
        delivered: messages - lost,
        corrupted: lost,
        responder_sum: responder.sum,
        initiator_sum: isStream ? undefined : sum,
      },
    });
  };

  child.send({ warmup, messages, isStream, perSample, bytes: request.message_bytes, seed: request.seed });
  return () => {
    samples = [];
    sum = wrong = 0;
    all += messages;
    prepare();
    first = begin = now();
    if (isStream) sendTransfer();
    for (let more = isStream ? 0 : Math.min(request.window, all - sent); more > 0; more--) {
      send();
      if (more > 1) prepare();
    }
  };
}
