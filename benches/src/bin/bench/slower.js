// Makes a `node` that is slower: passed with --require, it lets the parent of a fork spin for the share SHARE, which stands
// in a line before this one, of the time that it had a message on its way, before anybody sees the answer.
const childProcess = require('node:child_process');
// In milliseconds.
const now = () => performance.now();
// A time that is read is an object for a while: too many of them would have the garbage collected more often than without.
const TURNS = 500;

// The child has a channel to its parent, and is left alone.
if (process.send === undefined) {
  const { fork } = childProcess;
  childProcess.fork = (...parameters) => {
    const child = fork(...parameters);
    const { send, emit } = child;
    let onTheirWay = 0;
    // Up to here time has been made longer.
    let done = now();
    child.send = (...message) => {
      if (onTheirWay === 0) done = now();
      onTheirWay += 1;
      return send.apply(child, message);
    };
    child.emit = (event, ...values) => {
      if (event === 'message') {
        onTheirWay -= 1;
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
