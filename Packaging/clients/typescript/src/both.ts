/** Requests that go on while answers come: by the HTTP/2 of Node, since `fetch` cannot do it. */

import { CallError } from "./errors.js";
import { enveloped } from "./stream.js";

/** What is used of a stream of `node:http2`, whose types a program need not have. */
interface Both extends AsyncIterable<Uint8Array> {
  readonly pending: boolean;
  readonly closed: boolean;
  write(bytes: Uint8Array): boolean;
  end(): void;
  close(code: number): void;
  destroy(): void;
  on(event: "response", listener: (headers: Record<string, unknown>) => void): void;
  on(event: "drain" | "close", listener: () => void): void;
  on(event: "error", listener: (error: Error) => void): void;
}

interface Session {
  request(headers: Record<string, string>): Both;
  close(): void;
  destroy(): void;
  on(event: "error", listener: (error: Error) => void): void;
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

/** Ends an iterator early; an error of its own end is none of the call. */
export function closeRequests(requests: AsyncIterator<unknown>) {
  void (async () => requests.return?.())().catch(() => {});
}

/** The end of a stream, for a sender that waits for it and for something else. */
class End {
  isOver = false;
  #wake = () => {};

  now() {
    this.isOver = true;
    this.#wake();
  }

  /** Waits for `step`; undefined if the stream ends first. `Promise.race` would keep all steps. */
  before<Value>(step: Promise<Value>): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve(undefined);
      if (this.isOver) resolve(undefined);
      step.then(resolve, reject);
    });
  }
}

/** Sends what `requests` gives, as the server takes it; a stream that ends takes no more. */
async function send(requests: AsyncIterator<unknown>, stream: Both, end: End) {
  let drained = () => {};
  stream.on("drain", () => drained());
  while (!end.isOver && !stream.closed) {
    const next = await end.before(requests.next());
    if (!next) break;
    if (next.done) return stream.end();
    const room = new Promise<void>((resolve) => (drained = resolve));
    if (!stream.write(enveloped([next.value]))) await end.before(room);
  }
  closeRequests(requests);
}

/** Makes a call on a connection of its own; what came is the answer as `fetch` has it. */
export async function both(
  address: string, headers: Record<string, string>, requests: AsyncIterator<unknown>,
  signal: AbortSignal,
): Promise<Response> {
  const { connect } = await http2();
  const { origin, pathname } = new URL(address);
  const session = connect(origin);
  let stream: Both;
  try {
    stream = session.request({ ":method": "POST", ":path": pathname, ...headers });
  } catch (thrown) { // A header that HTTP does not allow.
    session.destroy();
    throw thrown;
  }
  // A stream that waits for its connection, or whose last bytes have no room, closes for no word.
  const cancel = () => {
    if (!stream.pending && !stream.closed) return stream.close(CANCEL);
    stream.destroy();
    session.destroy();
  };
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
  };
  session.on("error", fail);
  stream.on("error", fail);
  const end = new End();
  const ended = new Promise<void>((resolve) => stream.on("close", () => {
    signal.removeEventListener("abort", cancel);
    session.close();
    end.now();
    resolve();
  }));
  signal.addEventListener("abort", cancel);
  if (signal.aborted) cancel();
  send(requests, stream, end).catch((thrown: unknown) => {
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
        if (!done) return control.enqueue(value);
        control.close();
        // The answer is whole, so requests that still wait for room are needed by none.
        if (!end.isOver) stream.destroy();
      } catch (thrown) {
        control.error(failure ?? thrown);
      }
    },
    cancel,
  }, { highWaterMark: 0 });
  return new Response(body, { status });
}
