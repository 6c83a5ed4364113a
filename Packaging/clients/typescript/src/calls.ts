/** The forms of a call. A service has a function for each of its calls. */

import type { Stream } from "./stream.js";

export interface CallOptions {
  /** The deadline of the call. Without it that of the client; streams have none by themselves. */
  timeoutMs?: number;
  /** Further headers, which take the place of those of the client. */
  headers?: Record<string, string>;
  /** Cancels the call. */
  signal?: AbortSignal;
}

/** A call of one request and one answer. */
export interface Unary<Request, Answer> {
  (request: Request, options?: CallOptions): Promise<Answer>;
}

/** A call that answers by pages. */
export interface Pages<Request, Answer> extends Unary<Request, Answer> {
  /** Each page, from that of the request's token on. Only a missing token ends a list. */
  pages(request: Request, options?: CallOptions): AsyncGenerator<Answer, void, undefined>;
}

/** A call that answers one list by pages. */
export interface Paged<Request, Answer, Item> extends Pages<Request, Answer> {
  /** Each item of all pages, which are asked for as they are needed. */
  all(request: Request, options?: CallOptions): AsyncGenerator<Item, void, undefined>;
}

/** A call of one request and many answers. */
export interface ServerStream<Request, Answer> {
  (request: Request, options?: CallOptions): Stream<Answer>;
}

/**
 * A call of many requests and many answers.
 *
 * All requests of an array or another `Iterable` are sent before an answer is read. Those of an
 * `AsyncIterable`, such as an `async function*`, go on while answers come. That takes Node and a
 * connection of its own, and no `fetch` of the client; in a browser the stream is UNIMPLEMENTED.
 */
export interface BothStream<Request, Answer> {
  (requests: Iterable<Request> | AsyncIterable<Request>, options?: CallOptions): Stream<Answer>;
}

/** How services make their calls. */
export interface Transport {
  unary<Request extends object, Answer>(path: string, writes: boolean): Unary<Request, Answer>;
  pages<Request extends object, Answer>(path: string): Pages<Request, Answer>;
  paged<Request extends object, Answer, Item>(
    path: string, items: keyof Answer): Paged<Request, Answer, Item>;
  serverStream<Request, Answer>(path: string): ServerStream<Request, Answer>;
  bothStream<Request, Answer>(path: string): BothStream<Request, Answer>;
}
