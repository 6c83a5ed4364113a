/** The client: an address, a credential, deadlines, retries, and the services. */

import { both, closeRequests } from "./both.js";
import type {
  BothStream, CallOptions, Paged, Pages, ServerStream, Transport, Unary,
} from "./calls.js";
import { Services, type WatchRequest, type WatchResponse } from "./contract.js";
import { CallError, type Code, errorOfAnswer, errorOfThrown } from "./errors.js";
import { type RetryPolicy, requestId, retryPolicy, sleep, waitMs } from "./retries.js";
import { Stream, enveloped } from "./stream.js";

/** The text of `authorization`, or a function that provides it before each attempt. */
export type Credential = string | (() => string | Promise<string>);

export interface ClientOptions {
  /** `apiKey(…)` or `userSig(…)`, or a function that answers one. */
  credential?: Credential;
  /** The number of the app in which a key acts. */
  app?: number;
  /** The deadline of a call; 30,000 without it. */
  timeoutMs?: number;
  /** `null` makes no call again, and adds no request ids. */
  retries?: RetryPolicy | null;
  /** Headers of each call. */
  headers?: Record<string, string>;
  /** A function in place of `fetch`; requests that go on while answers come do not use it. */
  fetch?: typeof fetch;
}

export interface ChangesOptions {
  /** After how much silence the server sends a message without an event; 25,000 without it. */
  heartbeatMs?: number;
  /** How long it goes on without a message although it tries; for ever without it. */
  givesUpAfterMs?: number;
  /** Called for each stream that was lost. */
  onLost?: (error: CallError) => void;
  /** Ends the loop. */
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

const LOOPBACK = /^(127\.|localhost(:|$)|\[::1\])/;
const STREAM_TYPE = "application/connect+json";
const SILENT_HEARTBEATS = 3;
const LEAST_SILENCE_MS = 10_000;

/** The credential of a back end or of an operator. */
export const apiKey = (key: string): string => `Bearer ${key}`;
/** The credential of a user's device, which the app signs. */
export const userSig = (signature: string): string => `UserSig ${signature}`;

/** What is done with a write: its options hold the request id. */
interface Write {
  options?: { requestId?: string; dryRun?: boolean };
}

/**
 * A client of one server.
 *
 * The address is `https://HOST:PORT` or `http://HOST:PORT`. Without a scheme it is TLS, unless the
 * host is this machine.
 */
export class Client extends Services {
  constructor(address = "127.0.0.1:7450", options: ClientOptions = {}) {
    super(new Fetching(address, options));
    this.#retries = options.retries ?? retryPolicy;
  }

  readonly #retries: RetryPolicy;

  /**
   * Follows changes, over lost streams too: a new one goes on with the last token.
   *
   * Keep `resumeToken` of the last message that you are done with, and a later run goes on there.
   * It ends only by a refusal of the service, by the signal, or by `givesUpAfterMs`.
   */
  async *changes(
    request: WatchRequest, options: ChangesOptions = {},
  ): AsyncGenerator<WatchResponse, void, undefined> {
    const asked = { ...request };
    asked.heartbeatMs ??= String(options.heartbeatMs ?? 25_000);
    const silence = Math.max(SILENT_HEARTBEATS * Number(asked.heartbeatMs), LEAST_SILENCE_MS);
    const { signal, headers, givesUpAfterMs = Infinity } = options;
    let failures = 0;
    let lostAt = Date.now();
    for (;;) {
      let error = new CallError("UNAVAILABLE", "the stream ended");
      const stream = this.change.watch(asked, { signal, headers });
      try {
        for (;;) {
          const timer = setTimeout(() => stream.cancel(), silence);
          const { done, value } = await stream.next().finally(() => clearTimeout(timer));
          if (done) break;
          asked.resumeToken = value.resumeToken || asked.resumeToken;
          failures = 0;
          yield value;
        }
      } catch (thrown) {
        if (!(thrown instanceof CallError)) throw thrown;
        error = thrown;
      } finally {
        stream.cancel();
      }
      if (signal?.aborted) return;
      if (!error.endsAStreamOnly) throw error;
      asked.resumeToken = error.metadata.resume_token || asked.resumeToken;
      if (failures++ === 0) lostAt = Date.now();
      if (Date.now() - lostAt >= givesUpAfterMs) throw error;
      options.onLost?.(error);
      await sleep(waitMs(this.#retries, failures, error.retryAfterMs), signal);
      if (signal?.aborted) return;
    }
  }
}

/** Calls of Connect by `fetch`. */
class Fetching implements Transport {
  readonly #base: string;
  readonly #options: ClientOptions;
  readonly #retries: RetryPolicy | null;

  constructor(address: string, options: ClientOptions) {
    const hasScheme = address.includes("://");
    const scheme = LOOPBACK.test(address) ? "http://" : "https://";
    this.#base = (hasScheme ? address : scheme + address).replace(/\/$/, "");
    this.#options = options;
    this.#retries = options.retries === undefined ? retryPolicy : options.retries;
  }

  unary<Request extends object, Answer>(path: string, writes: boolean): Unary<Request, Answer> {
    return (request, options = {}) => this.#call<Answer>(path, request, writes, options);
  }

  pages<Request extends object, Answer>(path: string): Pages<Request, Answer> {
    const call = this.unary<Request, Answer>(path, false);
    async function* pages(request: Request, options?: CallOptions) {
      for (let pageToken: string | undefined; ; ) {
        const page = await call(pageToken ? { ...request, pageToken } : request, options);
        yield page;
        pageToken = (page as { nextPageToken?: string }).nextPageToken;
        if (!pageToken) return;
      }
    }
    return Object.assign(call, { pages });
  }

  paged<Request extends object, Answer, Item>(
    path: string, items: keyof Answer,
  ): Paged<Request, Answer, Item> {
    const call = this.pages<Request, Answer>(path);
    async function* all(request: Request, options?: CallOptions) {
      for await (const page of call.pages(request, options)) {
        yield* (page[items] as unknown as Item[] | undefined) ?? [];
      }
    }
    return Object.assign(call, { all });
  }

  serverStream<Request, Answer>(path: string): ServerStream<Request, Answer> {
    return (request, options) => this.#stream(path, [request], options);
  }

  bothStream<Request, Answer>(path: string): BothStream<Request, Answer> {
    return (requests, options) => isAsyncIterable(requests)
      ? this.#both(path, requests, options)
      : this.#stream(path, [...requests], options);
  }

  #both<Answer>(
    path: string, requests: AsyncIterable<unknown>, options: CallOptions = {},
  ): Stream<Answer> {
    const { timeoutMs, signal } = options;
    const open = async (ended: AbortSignal) => {
      const iterator = requests[Symbol.asyncIterator]();
      try {
        const authorization = await this.#authorization();
        const headers = this.#headers(STREAM_TYPE, timeoutMs, authorization, options);
        return await both(this.#base + path, headers, iterator, ended);
      } catch (thrown) {
        closeRequests(iterator);
        throw thrown;
      }
    };
    return new Stream(open, timeoutMs, signal);
  }

  #stream<Answer>(path: string, requests: unknown[], options: CallOptions = {}): Stream<Answer> {
    const { timeoutMs, signal } = options;
    const open = async (ended: AbortSignal) => this.#fetch(
      path, STREAM_TYPE, enveloped(requests), timeoutMs,
      await this.#authorization(), options, ended);
    return new Stream(open, timeoutMs, signal);
  }

  async #call<Answer>(
    path: string, request: object, writes: boolean, options: CallOptions,
  ): Promise<Answer> {
    const end = Date.now() + (options.timeoutMs ?? this.#options.timeoutMs ?? 30_000);
    const policy = this.#retries;
    const body = JSON.stringify(writes && policy ? withRequestId(request) : request);
    let mayRenew = typeof this.#options.credential === "function";
    for (let attempts = 1; ; attempts++) {
      let error: CallError;
      // An error of the function that provides the credential is none of the call.
      const authorization = await this.#authorization();
      try {
        return await this.#attempt(path, body, end - Date.now(), authorization, options);
      } catch (thrown) {
        error = errorOfThrown(thrown, undefined);
        error.attempts = attempts;
      }
      if (error.code === "UNAUTHENTICATED" && mayRenew) {
        mayRenew = false;
        continue;
      }
      if (!policy || !error.mayBeRepeated || attempts >= policy.attempts) throw error;
      const wait = waitMs(policy, attempts, error.retryAfterMs);
      if (Date.now() + wait >= end) throw error;
      await sleep(wait, options.signal);
    }
  }

  async #attempt<Answer>(
    path: string, body: string, timeoutMs: number, authorization: string | undefined,
    options: CallOptions,
  ): Promise<Answer> {
    const control = new AbortController();
    let ended: Code | undefined;
    const stop = (code: Code) => () => {
      ended ??= code;
      control.abort();
    };
    const cancel = stop("CANCELLED");
    const timer = setTimeout(stop("DEADLINE_EXCEEDED"), Math.max(timeoutMs, 0));
    options.signal?.addEventListener("abort", cancel);
    if (options.signal?.aborted) cancel();
    try {
      const answer = await this.#fetch(
        path, "application/json", body, timeoutMs, authorization, options, control.signal);
      if (!answer.ok) throw await errorOfAnswer(answer);
      return (await answer.json()) as Answer;
    } catch (thrown) {
      throw errorOfThrown(thrown, ended);
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", cancel);
    }
  }

  async #authorization(): Promise<string | undefined> {
    const { credential } = this.#options;
    return typeof credential === "function" ? credential() : credential;
  }

  #fetch(
    path: string, type: string, body: string | Uint8Array, timeoutMs: number | undefined,
    authorization: string | undefined, options: CallOptions, signal: AbortSignal,
  ): Promise<Response> {
    const { fetch: own = fetch } = this.#options;
    const headers = this.#headers(type, timeoutMs, authorization, options);
    return own(this.#base + path, { method: "POST", signal, body, headers });
  }

  #headers(
    type: string, timeoutMs: number | undefined, authorization: string | undefined,
    options: CallOptions,
  ): Record<string, string> {
    const { app, headers } = this.#options;
    return {
      "content-type": type,
      "connect-protocol-version": "1",
      ...(timeoutMs !== undefined && { "connect-timeout-ms": String(Math.ceil(timeoutMs)) }),
      ...(authorization !== undefined && { authorization }),
      ...(app !== undefined && { "x-app-id": String(app) }),
      ...headers,
      ...options.headers,
    };
  }
}

/** Whether requests go on while answers come. */
function isAsyncIterable<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
): items is AsyncIterable<Item> {
  return Symbol.asyncIterator in items;
}

/** The request under an id of its own, unless it has one or is only tried. */
function withRequestId(request: object): object {
  const { options } = request as Write;
  if (options?.requestId || options?.dryRun) return request;
  return { ...request, options: { ...options, requestId: requestId() } };
}
