// Two processes over the IPC channel of child_process.fork. The argument is its serialization: json or advanced.
'use strict';

const { fork } = require('node:child_process');
const { once } = require('node:events');
const { Responder, fail, initiate } = require('./protocol.js');

// JSON has no bytes, so its messages are strings.
const ENCODE = { json: (buffer) => buffer.latin1Slice(), advanced: (buffer) => buffer };

const isMessage = (value) => typeof value === 'string' || Buffer.isBuffer(value);

const [, , argument, testCase] = process.argv;
if (argument === 'responder') respond(JSON.parse(testCase));
else measureWith(argument);

function measureWith(serialization) {
  const encode = ENCODE[serialization];
  if (!encode) throw new Error(`invalid argument ${serialization}: expected ${Object.keys(ENCODE).join(' or ')}`);
  initiate({ settings: `serialization ${serialization}`, encode, open: (testCase) => open(testCase, serialization) });
}

function respond(testCase) {
  const responder = new Responder(testCase, (counts) => process.send(counts));
  process.on('message', (message) => {
    process.send(message);
    responder.received(message);
  });
  process.send({ ready: true });
}

async function open(testCase, serialization) {
  const child = fork(__filename, ['responder', JSON.stringify(testCase)], {
    serialization,
    // Its output would be read as an answer of the protocol.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.on('exit', (code, signal) => fail(`the responder exited with ${signal ?? code}`));
  await once(child, 'message');
  let part;
  child.on('message', (value) => {
    if (!isMessage(value)) return part.finish(value);
    const next = part.received(value);
    if (next !== undefined) child.send(next);
  });
  const measure = (nextPart) => {
    part = nextPart;
    child.send(part.begin());
  };
  return { responderPid: child.pid, measure };
}
