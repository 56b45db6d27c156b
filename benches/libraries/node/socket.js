// Two processes over a Unix socket with node:net; on Windows, over a named pipe.
'use strict';

const { fork } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { Responder, fail, initiate } = require('./protocol.js');

const [, , argument, address, testCase] = process.argv;
if (argument === 'responder') respond(address, JSON.parse(testCase));
else initiate({ settings: 'defaults', open });

/** Calls `received` for each message. With a window of 1, no chunk contains parts of two messages. */
function onMessage(socket, bytes, received) {
  const message = Buffer.alloc(bytes);
  let filled = 0;
  socket.on('data', (chunk) => {
    chunk.copy(message, filled);
    filled += chunk.length;
    if (filled < bytes) return;
    filled = 0;
    received(message);
  });
}

function respond(address, testCase) {
  const responder = new Responder(testCase, (counts) => process.send(counts));
  const socket = net.connect(address);
  onMessage(socket, testCase.message_bytes, (message) => {
    socket.write(message);
    responder.received(message);
  });
  process.on('disconnect', () => process.exit(1));
}

async function open(testCase) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roundtrip-'));
  const address = process.platform === 'win32' ? `\\\\.\\pipe\\${path.basename(folder)}` : path.join(folder, 'socket');
  const removeFolder = () => fs.rmSync(folder, { recursive: true, force: true });
  const server = net.createServer().listen(address);
  await once(server, 'listening');
  const child = fork(__filename, ['responder', address, JSON.stringify(testCase)], {
    // Its output would be read as an answer of the protocol.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.on('exit', (code, signal) => {
    removeFolder();
    fail(`the responder exited with ${signal ?? code}`);
  });
  const [socket] = await once(server, 'connection');
  server.close();
  removeFolder();
  let part;
  onMessage(socket, testCase.message_bytes, (answer) => {
    const next = part.received(answer);
    if (next !== undefined) socket.write(next);
  });
  child.on('message', (counts) => part.finish(counts));
  const measure = (nextPart) => {
    part = nextPart;
    socket.write(part.begin());
  };
  return { responderPid: child.pid, measure };
}
