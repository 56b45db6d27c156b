// One repetition over the channel that child_process.fork opens: this file is both ends. It speaks the protocol of
// benches/external/PROTOCOL.md, and is passed to `node` with the name of the serialization: `advanced` or `json`.
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

/** Sends back what it receives, and says at the end of each part what it has received. */
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
  const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);
  const child = require('node:child_process').fork(__filename, ['responder'], {
    serialization,
    // What it printed would be taken for an answer.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  // Whoever speaks the protocol ends with its standard input.
  lines.on('close', () => process.exit(0));
  child.on('exit', (code, signal) => {
    say({ failed: `the child ended with ${signal ?? code}` });
    process.exit(1);
  });

  const ready = new Promise((resolve) => child.once('message', resolve));
  let measure;
  lines.on('line', async (line) => {
    const said = JSON.parse(line);
    if (said === 'go') {
      measure();
      return;
    }
    const ask = said.case;
    if (said.protocol !== 1) say({ unsupported: `protocol ${said.protocol}: expected 1` });
    else if (ask.mode !== '2proc') say({ unsupported: 'fork starts a process: expected 2proc' });
    else {
      await ready;
      measure = initiator(child, ask, say);
      const facts = { node: process.version, v8: process.versions.v8 };
      say({ connected: { initiator_pid: process.pid, responder_pid: child.pid, facts } });
    }
  });
}

/** What measures a part whenever it is called: the first time after the warm-up, whose messages have numbers below 0. */
function initiator(child, ask, say) {
  const isStream = ask.scenario === 'stream';
  const perSample = ask.batch * ask.messages_per_operation;
  const messages = ask.samples * perSample;
  const warmup = ask.warmup_samples * perSample;
  const filler = '.'.repeat(ask.message_bytes - HEADER_BYTES);

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
    inFlight = text(header(ask.seed, sent)) + filler;
    // Reading a character lays the two parts of the string in one piece, which sending would have to do otherwise.
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
      if (value !== header(ask.seed, answered) || answer.length !== ask.message_bytes) wrong++;
    } else if (!answer.endsWith(filler)) {
      wrong++;
    }
    answered++;
    const isSample = answered % perSample === 0;
    if (isSample) record(at);
    if (sent < all) prepare();
    // With one message on its way, what was just compared and prepared is not of its time.
    if (isSample) begin = ask.window === 1 ? now() : at;
    if (sent < all) send();
  });

  /** Another sample has ended. */
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

  /** A transfer has arrived, whose last message was received at this moment of the clock that all processes share. */
  const transferred = (last) => {
    answered += perSample;
    record(last);
    if (sent < all) sendTransfer();
  };

  /** The responder has received all of the part. */
  const finish = (responder) => {
    const lost = wrong + responder.wrong;
    say({
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

  child.send({ warmup, messages, isStream, perSample, bytes: ask.message_bytes, seed: ask.seed });
  return () => {
    samples = [];
    sum = wrong = 0;
    all += messages;
    prepare();
    first = begin = now();
    if (isStream) sendTransfer();
    for (let more = isStream ? 0 : Math.min(ask.window, all - sent); more > 0; more--) {
      send();
      if (more > 1) prepare();
    }
  };
}
