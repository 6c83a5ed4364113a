// Requests that go on while answers come: node both.mjs ADDRESS

import { createServer } from "node:net";
import { Client } from "relation-client";

const client = new Client(process.argv[2]);
const row = (userId) => ({ row: { userId } });
const deferred = () => {
  let done;
  return Object.assign(new Promise((resolve) => { done = resolve; }), { done: () => done() });
};
const all = async (stream) => { for await (const _ of stream); };

/** Reads a stream that must fail, and then waits until its requests were closed, if they can be. */
async function fails(what, stream, closed) {
  await all(stream).catch(({ code, reason }) => console.log(what, reason || code));
  await closed;
}

// Each row follows the answer to the one before.
let answered, last;
async function* oneByOne() {
  for (const name of ["ann", "bob", "carl"]) {
    answered = deferred();
    yield row(name);
    await answered;
  }
}
for await (const { progress } of client.account.importAccounts(oneByOne())) {
  if (progress.lastDurableRow !== last) console.log("durable", last = progress.lastDurableRow);
  answered.done();
}
console.log("ended");

async function* broken() {
  yield row("dora");
  throw new Error("no more rows");
}
await all(client.account.importAccounts(broken())).catch(
  ({ code, message }) => console.log(code, message));

// The server ends the call, or the caller does, or the way: the requests end with it.
async function* endless(closed) {
  try {
    for (let number = 0; ; number++) yield row(`user-${number}`);
  } finally {
    closed.done();
  }
}
let closed = deferred();
const elsewhere = { headers: { "x-app-id": "99" } };
await fails("refused", client.account.importAccounts(endless(closed), elsewhere), closed);

closed = deferred();
const control = new AbortController();
const { signal } = control;
const stream = client.account.importAccounts(endless(closed), { signal });
await stream.next();
control.abort();
await fails("cancelled", stream, closed);

closed = deferred();
const nowhere = new Client("http://127.0.0.1:1");
await fails("gone", nowhere.account.importAccounts(endless(closed)), closed);

// Who waits for a request that does not come hears of the end too.
async function* never() {
  await new Promise(() => {});
}
await fails("late", client.account.importAccounts(never(), { timeoutMs: 200 }));

// A host that takes the connection and says nothing: the deadline ends the wait, and the program.
const silent = createServer(() => {}).listen(0, "127.0.0.1");
await new Promise((resolve) => silent.once("listening", resolve));
const tls = new Client(`https://127.0.0.1:${silent.address().port}`);
closed = deferred();
const shortly = { timeoutMs: 200 };
await fails("silent", tls.account.importAccounts(endless(closed), shortly), closed);
silent.close();

// Requests that are always there leave the end of the call its turn, and may fail at their own end.
let asked = 0;
const ready = {
  [Symbol.asyncIterator]: () => ready,
  next: async () => ({ done: false, value: row(`user-${asked++}`) }),
  return: async () => { throw new Error("of no call"); },
};
await fails("ready", client.account.importAccounts(ready, elsewhere));
const taken = asked;
await new Promise((resolve) => setTimeout(resolve, 50));
console.log(asked === taken ? "takes no more" : `took ${asked - taken} more`);

// Requests are closed also if the call cannot begin.
closed = deferred();
const keyless = new Client(process.argv[2], { credential: () => { throw new Error("no key"); } });
async function* untouched() { yield row("eve"); }
const requests = untouched();
const wasReturn = requests.return.bind(requests);
requests.return = (value) => { closed.done(); return wasReturn(value); };
await fails("keyless", keyless.account.importAccounts(requests), closed);
