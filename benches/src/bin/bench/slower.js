// Makes a `node` that is slower: passed with --require, it lets the parent of a fork spin for the share SHARE, which stands
// in a line before this one, of the time between a send and the next answer, before anybody sees the answer.
const childProcess = require('node:child_process');
const now = () => Number(process.hrtime.bigint());

// The child has a channel to its parent, and is left alone.
if (process.send === undefined) {
  const { fork } = childProcess;
  childProcess.fork = (...parameters) => {
    const child = fork(...parameters);
    const { send, emit } = child;
    let sent = now();
    child.send = (...message) => {
      sent = now();
      return send.apply(child, message);
    };
    child.emit = (event, ...values) => {
      const answered = now();
      const until = answered + SHARE * (answered - sent);
      while (event === 'message' && now() < until);
      return emit.call(child, event, ...values);
    };
    return child;
  };
}
