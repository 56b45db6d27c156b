// Slows `node` down: loaded with --require, it makes the parent of a fork spin before each answer is delivered. The time is
// the share SHARE, defined in a line before this one, of the time with a message in flight.
const childProcess = require('node:child_process');
// Milliseconds.
const now = () => performance.now();
// Iterations between clock readings: each reading allocates, and too many would cause extra garbage collections.
const TURNS = 500;

// The child has a channel to its parent, and is not slowed down.
if (process.send === undefined) {
  const { fork } = childProcess;
  childProcess.fork = (...parameters) => {
    const child = fork(...parameters);
    const { send, emit } = child;
    let inFlight = 0;
    // The end of the time already extended.
    let done = now();
    child.send = (...message) => {
      if (inFlight === 0) done = now();
      inFlight += 1;
      return send.apply(child, message);
    };
    child.emit = (event, ...values) => {
      if (event === 'message') {
        inFlight -= 1;
        const answered = now();
        const until = answered + SHARE * (answered - done);
        while (now() < until) for (let turn = 0; turn < TURNS; turn++);
        done = until;
      }
      return emit.call(child, event, ...values);
    };
    return child;
  };
}
