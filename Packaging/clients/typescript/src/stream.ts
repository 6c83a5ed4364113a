/** Streams of Connect: each message has a byte of flags and its length in front. */

import { type Code, errorOf, errorOfAnswer, errorOfThrown } from "./errors.js";
import type { ErrorBody } from "./errors.js";

const END = 2;

/** The messages of a request as the body of a stream. */
export function enveloped(messages: unknown[]): Uint8Array {
  const parts = messages.map((message) => new TextEncoder().encode(JSON.stringify(message)));
  const body = new Uint8Array(parts.reduce((length, part) => length + 5 + part.length, 0));
  let at = 0;
  for (const part of parts) {
    new DataView(body.buffer).setUint32(at + 1, part.length);
    body.set(part, at + 5);
    at += 5 + part.length;
  }
  return body;
}

/** An open stream of answers. `for await` reads it, and cancels it when it leaves the loop. */
export class Stream<Answer> implements AsyncIterableIterator<Answer> {
  readonly #control: AbortController;
  readonly #answers: AsyncGenerator<Answer, void, undefined>;
  readonly #close: () => void;
  #ended: Code | undefined;

  constructor(open: (signal: AbortSignal) => Promise<Response>, timeoutMs?: number,
    signal?: AbortSignal) {
    this.#control = new AbortController();
    const timer = timeoutMs === undefined ? undefined
      : setTimeout(() => this.#end("DEADLINE_EXCEEDED"), timeoutMs);
    const cancel = () => this.cancel();
    this.#close = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      this.#control.abort();
    };
    signal?.addEventListener("abort", cancel);
    if (signal?.aborted) this.cancel();
    const opened = open(this.#control.signal);
    opened.catch(() => {}); // The reader gets the error.
    this.#answers = this.#read(opened);
  }

  /** Ends the stream. */
  cancel(): void {
    this.#end("CANCELLED");
  }

  next(): Promise<IteratorResult<Answer, undefined>> {
    return this.#answers.next() as Promise<IteratorResult<Answer, undefined>>;
  }

  async return(): Promise<IteratorResult<Answer, undefined>> {
    this.cancel();
    await this.#answers.return();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #end(code: Code): void {
    this.#ended ??= code;
    this.#close();
  }

  async *#read(opened: Promise<Response>): AsyncGenerator<Answer, void, undefined> {
    try {
      const answer = await opened;
      if (!answer.ok || !answer.body) throw await errorOfAnswer(answer);
      const reader = answer.body.getReader();
      let bytes = new Uint8Array(0);
      for (;;) {
        while (bytes.length >= 5) {
          const end = 5 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(1);
          if (bytes.length < end) break;
          const message: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(5, end)));
          if (bytes[0] & END) {
            const { error } = message as { error?: ErrorBody };
            if (error) throw errorOf(error);
            return;
          }
          bytes = bytes.subarray(end);
          yield message as Answer;
        }
        const { done, value } = await reader.read();
        if (done) throw new Error("the stream ended without a status");
        const longer = new Uint8Array(bytes.length + value.length);
        longer.set(bytes);
        longer.set(value, bytes.length);
        bytes = longer;
      }
    } catch (thrown) {
      throw errorOfThrown(thrown, this.#ended);
    } finally {
      this.#close();
    }
  }
}
