// Counts the sizes of the messages that a Node program sends, inside its processes:
//   ROUNDTRIP_SIZES=sizes.csv node --require ./sizes.cjs program.js
// At exit it writes `from_bytes,to_bytes,count`. A forked process would write to the same file, so it
// appends its process ID: `sizes.csv.1234`. Only public functions are wrapped, and they behave as before.
'use strict';

const { ChildProcess } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const v8 = require('node:v8');

// Up to this many sizes are listed exactly. With more, neighbours within an eighth of a power of two are merged.
const EXACT_MAX = 200;
// With `advanced`, four bytes with the length precede each message; with `json`, a line end follows.
const ADVANCED_HEADER_BYTES = 4;
const JSON_END_BYTES = 1;

const file = process.env.ROUNDTRIP_SIZES;
const owner = process.env.ROUNDTRIP_SIZES_OWNER;
const counts = new Map();

function count(bytes) {
  if (bytes > 0) counts.set(bytes, (counts.get(bytes) ?? 0) + 1);
}

// Node serialises messages between processes internally, so this serialises them again to get their size.
function serialisedBytes(message, serialization) {
  if (serialization === 'advanced') return v8.serialize(message).length + ADVANCED_HEADER_BYTES;
  return Buffer.byteLength(JSON.stringify(message)) + JSON_END_BYTES;
}

function wrapSend(holder, serializationOf) {
  const send = holder.send;
  holder.send = function (message, ...rest) {
    const result = send.call(this, message, ...rest);
    try {
      count(serialisedBytes(message, serializationOf(this)));
    } catch {
      // Node rejects this message too, and reports the error.
    }
    return result;
  };
}

// The parent chooses the serialisation. Node hides it from the child, so a recorded parent passes it in the environment.
const own = process.env.ROUNDTRIP_SERIALIZATION ?? 'json';
const ofChildren = new WeakMap();
if (process.send) wrapSend(process, () => own);

// A child spawned with a channel has its own `send`.
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

// Pipes, Unix sockets and TCP are all `net.Socket`. Each chunk counts once, even if the kernel splits it.
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
  // Children inherit both variables, and do not own the file.
  if (!owner) process.env.ROUNDTRIP_SIZES_OWNER = String(process.pid);
  const path = owner ? `${file}.${process.pid}` : file;
  process.on('exit', () => {
    const unfinished = `${path}.${process.pid}.tmp`;
    fs.writeFileSync(unfinished, table());
    fs.renameSync(unfinished, path);
  });
}
