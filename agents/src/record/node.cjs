// Counts the sizes of the messages that a program of Node sends, from within:
//   ROUNDTRIP_SIZES=sizes.csv node --require ./sizes.cjs program.js
// At exit it writes `from_bytes,to_bytes,count`. A process that it forks would write to the same file, so each adds its number
// where another process has the name: `sizes.csv.1234`. Only what is public is wrapped, and all of it behaves as before.
'use strict';

const { ChildProcess } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const v8 = require('node:v8');

// So many sizes stand as they are; of more, neighbours within an eighth of a power of two are put together.
const EXACT_MAX = 200;
// Under `advanced` each message has a head of four bytes with its length; under `json` a line's end.
const ADVANCED_HEAD_BYTES = 4;
const JSON_END_BYTES = 1;

const file = process.env.ROUNDTRIP_SIZES;
const owner = process.env.ROUNDTRIP_SIZES_OWNER;
const counts = new Map();

function count(bytes) {
  if (bytes > 0) counts.set(bytes, (counts.get(bytes) ?? 0) + 1);
}

// What goes through a channel between processes is serialised by Node itself where nobody can look: once more here.
function serialisedBytes(message, serialization) {
  if (serialization === 'advanced') return v8.serialize(message).length + ADVANCED_HEAD_BYTES;
  return Buffer.byteLength(JSON.stringify(message)) + JSON_END_BYTES;
}

function wrapSend(holder, serializationOf) {
  const send = holder.send;
  holder.send = function (message, ...rest) {
    const result = send.call(this, message, ...rest);
    try {
      count(serialisedBytes(message, serializationOf(this)));
    } catch {
      // Node has refused it just so, or will tell.
    }
    return result;
  };
}

// The parent chooses how messages are serialised. Node hides it from the child, so a parent that is counted too tells it.
const own = process.env.ROUNDTRIP_SERIALIZATION ?? 'json';
const ofChildren = new WeakMap();
if (process.send) wrapSend(process, () => own);

// A child has its own `send` once it is spawned with a channel.
const { spawn } = ChildProcess.prototype;
ChildProcess.prototype.spawn = function (options) {
  options?.envPairs?.push(`ROUNDTRIP_SERIALIZATION=${options.serialization ?? 'json'}`);
  const result = spawn.call(this, options);
  if (typeof this.send === 'function') {
    ofChildren.set(this, options?.serialization ?? 'json');
    wrapSend(this, (child) => ofChildren.get(child));
  }
  return result;
};

// Pipes, sockets of the system and TCP are all `net.Socket`. A chunk is counted, however the kernel takes it.
for (const name of ['write', 'end']) {
  const method = net.Socket.prototype[name];
  net.Socket.prototype[name] = function (chunk, encoding, ...rest) {
    const result = method.call(this, chunk, encoding, ...rest);
    const named = typeof encoding === 'string' ? encoding : undefined;
    count(typeof chunk === 'string' ? Buffer.byteLength(chunk, named) : chunk?.byteLength ?? 0);
    return result;
  };
}

function part(bytes) {
  if (bytes < 8) return bytes;
  const power = Math.floor(Math.log2(bytes));
  return power * 8 + Math.floor(bytes / 2 ** (power - 3)) - 8;
}

function table() {
  const sizes = [...counts].sort(([one], [other]) => one - other);
  const key = sizes.length <= EXACT_MAX ? (bytes) => bytes : part;
  const buckets = [];
  for (const [bytes, times] of sizes) {
    const last = buckets.at(-1);
    if (last?.key === key(bytes)) {
      last.to = bytes;
      last.times += times;
    } else {
      buckets.push({ key: key(bytes), from: bytes, to: bytes, times });
    }
  }
  return `from_bytes,to_bytes,count\n${buckets.map(({ from, to, times }) => `${from},${to},${times}\n`).join('')}`;
}

if (file) {
  // Children inherit both, and are not the owner.
  if (!owner) process.env.ROUNDTRIP_SIZES_OWNER = String(process.pid);
  const path = owner ? `${file}.${process.pid}` : file;
  process.on('exit', () => {
    const unfinished = `${path}.${process.pid}.tmp`;
    fs.writeFileSync(unfinished, table());
    fs.renameSync(unfinished, path);
  });
}
