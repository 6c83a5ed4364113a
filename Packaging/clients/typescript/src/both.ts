/** Requests that go on while answers come: by the HTTP/2 of Node, since `fetch` cannot do it. */

import { CallError } from "./errors.js";
import { enveloped } from "./stream.js";

/** What is used of a stream of `node:http2`, whose types a program need not have. */
interface Both extends AsyncIterable<Uint8Array> {
  write(bytes: Uint8Array): boolean;
  end(): void;
  close(code: number): void;
  on(event: "response", told: (headers: Record<string, unknown>) => void): void;
  on(event: "drain" | "close", told: () => void): void;
  on(event: "error", told: (error: Error) => void): void;
}

interface Session {
  request(headers: Record<string, string>): Both;
  close(): void;
  on(event: "error", told: (error: Error) => void): void;
}

interface Http2 {
  connect(origin: string): Session;
}

const CANCEL = 8; // The code of HTTP/2 for what is not needed any more.

/** Node's HTTP/2, where there is one. The name is none that a bundler for pages looks for. */
async function http2(): Promise<Http2> {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  if (process?.versions?.node === undefined) {
    throw new CallError(
      "UNIMPLEMENTED",
      "a browser sends a request whole before it reads an answer: give the requests as an array");
  }
  const name = "node:http2";
  return import(/* webpackIgnore: true */ /* @vite-ignore */ name) as Promise<Http2>;
}

/** Sends what `requests` gives, as the server takes it; a stream that ends takes no more. */
async function send(requests: AsyncIterator<unknown>, stream: Both, ended: Promise<void>) {
  let drained = () => {};
  stream.on("drain", () => drained());
  for (;;) {
    const next = await Promise.race([requests.next(), ended]);
    if (!next) return void requests.return?.();
    if (next.done) return stream.end();
    const room = new Promise<void>((resolve) => (drained = resolve));
    if (!stream.write(enveloped([next.value]))) await Promise.race([room, ended]);
  }
}

/** Makes a call on a connection of its own; what came is the answer as `fetch` has it. */
export async function both(
  address: string, headers: Record<string, string>, requests: AsyncIterable<unknown>,
  signal: AbortSignal,
): Promise<Response> {
  const { connect } = await http2();
  const { origin, pathname } = new URL(address);
  const session = connect(origin);
  let stream: Both;
  try {
    stream = session.request({ ":method": "POST", ":path": pathname, ...headers });
  } catch (thrown) { // A header that HTTP does not allow.
    session.close();
    throw thrown;
  }
  const cancel = () => stream.close(CANCEL);
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
  };
  session.on("error", fail);
  stream.on("error", fail);
  const ended = new Promise<void>((resolve) => stream.on("close", () => {
    signal.removeEventListener("abort", cancel);
    session.close();
    resolve();
  }));
  signal.addEventListener("abort", cancel);
  if (signal.aborted) cancel();
  send(requests[Symbol.asyncIterator](), stream, ended).catch((thrown: unknown) => {
    const words = thrown instanceof Error ? thrown.message : String(thrown);
    fail(new CallError("CANCELLED", `the requests ended with an error: ${words}`));
    cancel();
  });
  const why = () => failure ?? new Error("the stream ended without an answer");
  const status = await new Promise<number>((resolve, reject) => {
    stream.on("response", (headers) => resolve(Number(headers[":status"])));
    void ended.then(() => reject(why()));
  });
  const chunks = stream[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    async pull(control) {
      try {
        const { done, value } = await chunks.next();
        if (done) control.close();
        else control.enqueue(value);
      } catch (thrown) {
        control.error(failure ?? thrown);
      }
    },
    cancel,
  }, { highWaterMark: 0 });
  return new Response(body, { status });
}
