// Requests that go on while answers come: node both.mjs ADDRESS

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
