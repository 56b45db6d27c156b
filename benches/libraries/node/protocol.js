// The protocol for external programs, ../../external/PROTOCOL.md, and the measurement.
'use strict';

const readline = require('node:readline');

const HEADER_BYTES = 8;
const MULTIPLIER = 2654435761;

const header = (testCase, number) => Math.imul(testCase.seed + number, MULTIPLIER) >>> 0;
const now = () => Number(process.hrtime.bigint());
const printLine = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

/** Counts of received messages, which are buffers or strings, and the sum of the headers of recorded ones. */
class Counts {
  delivered = 0;
  sum = 0;

  add(testCase, number, message) {
    if (number < 0) return;
    const digits = typeof message === 'string' ? message.slice(0, HEADER_BYTES) : message.latin1Slice(0, HEADER_BYTES);
    const value = parseInt(digits, 16);
    this.sum = (this.sum + value) >>> 0;
    if (value === header(testCase, number)) this.delivered++;
  }
}

/** Counts the responder's messages, and calls `report` with its counts at the end of each part. */
class Responder {
  #testCase;
  #report;
  #counts = new Counts();
  #number;
  #end;

  constructor(testCase, report) {
    this.#testCase = testCase;
    this.#report = report;
    this.#number = -testCase.warmup_samples * testCase.batch;
    this.#end = testCase.samples * testCase.batch;
  }

  received(message) {
    this.#counts.add(this.#testCase, this.#number, message);
    if (++this.#number < this.#end) return;
    const { delivered, sum } = this.#counts;
    this.#report({ delivered, sum });
    this.#counts = new Counts();
    this.#end += this.#testCase.samples * this.#testCase.batch;
  }
}

/** Measures a part. `begin` returns its first message, and `received` takes an answer and returns the next, if any. */
class Part {
  #testCase;
  #encode;
  #first;
  #number;
  #end;
  #buffer;
  #message;
  #start = 0;
  #firstSend = 0;
  #last = 0;
  #samples = [];
  #counts = new Counts();
  #responder;

  constructor(testCase, encode, first, warmup) {
    this.#testCase = testCase;
    this.#encode = encode;
    this.#first = first;
    this.#number = first - warmup;
    this.#end = first + testCase.samples * testCase.batch;
    this.#buffer = Buffer.alloc(testCase.message_bytes, '.');
  }

  begin() {
    const message = this.#next();
    this.#start = now();
    if (this.#number === this.#first) this.#firstSend = this.#start;
    return message;
  }

  received(answer) {
    const at = now();
    this.#counts.add(this.#testCase, this.#number, answer);
    if (this.#number < this.#first && !Buffer.from(answer).equals(Buffer.from(this.#message))) {
      throw new Error('the responder returned a different message');
    }
    this.#number++;
    if ((this.#number - this.#first) % this.#testCase.batch !== 0) return this.#next();
    if (this.#number > this.#first) this.#samples.push(at - this.#start);
    this.#last = at;
    if (this.#number < this.#end) return this.begin();
    this.#report();
    return undefined;
  }

  /** Takes the responder's counts, which may arrive before the last answer. */
  finish(responder) {
    this.#responder = responder;
    this.#report();
  }

  #report() {
    const responder = this.#responder;
    if (responder === undefined || this.#number < this.#end) return;
    const messages = this.#end - this.#first;
    printLine({
      done: {
        samples_ns: this.#samples,
        elapsed_ns: this.#last - this.#firstSend,
        attempted: messages,
        accepted: messages,
        delivered: Math.min(this.#counts.delivered, responder.delivered),
        responder_sum: responder.sum,
        initiator_sum: this.#counts.sum,
      },
    });
  }

  #next() {
    const digits = header(this.#testCase, this.#number).toString(16).padStart(HEADER_BYTES, '0');
    this.#buffer.latin1Write(digits, 0);
    this.#message = this.#encode(this.#buffer);
    return this.#message;
  }
}

function unsupported({ protocol, case: testCase }, mode) {
  if (protocol !== 1) return 'unsupported protocol version: expected 1';
  if (testCase.mode !== mode) return `only mode ${mode} is supported`;
  if (testCase.scenario !== 'roundtrip') return 'only scenario roundtrip is supported';
  if (testCase.window !== 1) return 'only a window of 1 is supported';
  return undefined;
}

function fail(why) {
  printLine({ failed: why });
  process.exit(1);
}

/**
 * Serves the harness. `open(testCase)` resolves to `responderPid` and `measure(part)`, which exchanges the part's messages and
 * calls `part.finish`. `encode` makes a message of a buffer.
 */
async function initiate({ mode = '2proc', settings, encode = (buffer) => buffer, open }) {
  const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const request = JSON.parse((await lines.next()).value);
  const why = unsupported(request, mode);
  if (why) {
    printLine({ unsupported: why });
    process.exit(0);
  }
  const testCase = request.case;
  const { responderPid, measure } = await open(testCase);
  const facts = { version: process.versions.node, settings };
  printLine({ connected: { initiator_pid: process.pid, responder_pid: responderPid, facts } });
  let first = 0;
  let warmup = testCase.warmup_samples * testCase.batch;
  // Each line is a "go". The harness closes standard input after the last part.
  while (!(await lines.next()).done) {
    measure(new Part(testCase, encode, first, warmup));
    first += testCase.samples * testCase.batch;
    warmup = 0;
  }
  process.exit(0);
}

module.exports = { Responder, fail, initiate };
