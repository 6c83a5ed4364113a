// @ts-check
// The calls of the service, by Connect: JSON both ways, over this page's own origin.

const KEPT = {credential: 'relation.credential', app: 'relation.app'};

/**
 * The credential and the app that calls carry; they live in this tab only.
 *
 * @returns {Caller}
 */
export function caller() {
  return {
    credential: sessionStorage.getItem(KEPT.credential) ?? '',
    app: sessionStorage.getItem(KEPT.app) ?? '',
  };
}

/**
 * Keeps a credential and an app for this tab; empty texts forget them.
 *
 * @param {Caller} caller
 */
export function setCaller({credential, app}) {
  for (const [key, value] of [[KEPT.credential, credential], [KEPT.app, app]]) {
    if (value) sessionStorage.setItem(key, value);
    else sessionStorage.removeItem(key);
  }
}

/**
 * The fields of a request that say who calls, and in which app.
 *
 * @param {string} app
 * @returns {Record<string, string>}
 */
export function callerFields(app = caller().app) {
  const {credential} = caller();
  /** @type {Record<string, string>} */
  const fields = {};
  if (credential) {
    fields.authorization = /^(Bearer|UserSig) /.test(credential)
      ? credential : `Bearer ${credential}`;
  }
  if (app) fields['x-app-id'] = app;
  return fields;
}

/** A call that failed: `code` is the gRPC code in lower case, `reason` the ErrorReason, if any. */
export class CallError extends Error {
  /**
   * @param {Refusal} refusal
   * @param {number} status
   */
  constructor({code, message, details}, status) {
    super(message ?? code ?? `HTTP ${status}`);
    this.name = 'CallError';
    this.code = code ?? 'unknown';
    this.status = status;
    this.details = details ?? [];
    const info = this.details.find(detail => detail.type === 'google.rpc.ErrorInfo');
    this.reason = info?.debug?.reason ?? '';
  }
}

/** @param {string} method */
const path = method => `/relation.v1.${method}`;

/**
 * Makes a call of one request and one answer, such as `call('FriendService/CheckFriends', {…})`.
 *
 * Throws a `CallError`, or what `fetch` throws if the server cannot be reached.
 *
 * @template {string} Name
 * @param {Name} method
 * @param {RequestOf<Name>} request
 * @param {AbortSignal} [signal]
 * @param {string} [app]
 * @returns {Promise<AnswerOf<Name>>}
 */
export async function call(method, request, signal, app) {
  const answer = await fetch(path(method), {
    method: 'POST', signal, body: JSON.stringify(request),
    headers: {'content-type': 'application/json', ...callerFields(app)},
  });
  let message;
  try {
    message = await answer.json();
  } catch {
    throw new CallError({message: `HTTP ${answer.status} without JSON`}, answer.status);
  }
  if (!answer.ok) throw new CallError(message, answer.status);
  return message;
}

/**
 * One message behind its five bytes: flags, and the length.
 *
 * @param {Dynamic} request
 */
function framed(request) {
  const text = new TextEncoder().encode(JSON.stringify(request));
  const frame = new Uint8Array(5 + text.length);
  new DataView(frame.buffer).setUint32(1, text.length);
  frame.set(text, 5);
  return frame;
}

/**
 * Makes a call that streams: `requests` is one or a list; gives one answer after the other.
 *
 * @template {string} Name
 * @param {Name} method
 * @param {RequestOf<Name> | RequestOf<Name>[]} requests
 * @param {AbortSignal} signal
 * @param {string} [app]
 * @returns {AsyncGenerator<AnswerOf<Name>, void>}
 */
export async function* stream(method, requests, signal, app) {
  const frames = [requests].flat().map(framed);
  const answer = await fetch(path(method), {
    method: 'POST', signal, body: new Blob(frames),
    headers: {'content-type': 'application/connect+json', ...callerFields(app)},
  });
  if (!answer.ok) throw new CallError({message: `HTTP ${answer.status}`}, answer.status);
  const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader();
  let held = new Uint8Array();
  try {
    for (;;) {
      const {value, done} = await reader.read();
      if (done) throw new CallError({code: 'unavailable', message: 'the stream was cut off'}, 0);
      held = joined(held, value);
      let begin = 0;
      while (held.length - begin >= 5) {
        const end = begin + 5 + new DataView(held.buffer, begin + 1).getUint32(0);
        if (held.length < end) break;
        const message = JSON.parse(new TextDecoder().decode(held.subarray(begin + 5, end)));
        if (held[begin] & 2) {
          if (message.error) throw new CallError(message.error, answer.status);
          return;
        }
        yield message;
        begin = end;
      }
      held = held.slice(begin);
    }
  } finally {
    // The stream may be left before its end: then the server is notified.
    reader.cancel().catch(() => {});
  }
}

/**
 * @param {Uint8Array} one
 * @param {Uint8Array} other
 */
function joined(one, other) {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/**
 * All rows of a list, page by page: gives `{rows, answer}` of each page.
 *
 * @template {string} Name
 * @template {keyof AnswerOf<Name>} Field
 * @param {Name} method
 * @param {RequestOf<Name>} request
 * @param {Field} field
 * @param {AbortSignal} signal
 * @param {string} [app]
 * @returns {AsyncGenerator<{rows: RowOf<AnswerOf<Name>[Field]>[], answer: AnswerOf<Name>}, void>}
 */
export async function* pages(method, request, field, signal, app) {
  for (let pageToken = ''; ;) {
    const answer = await call(method, {...request, pageToken}, signal, app);
    yield {rows: answer[field] ?? [], answer};
    pageToken = answer.nextPageToken;
    if (!pageToken) return;
  }
}

/**
 * The text of a page of operators, such as `/metrics`.
 *
 * @param {string} name
 * @param {AbortSignal} signal
 */
export async function page(name, signal) {
  const answer = await fetch(name, {signal});
  return {status: answer.status, text: await answer.text()};
}

/** Where calls are made if the server does not say it. */
const USUAL = '127.0.0.1:7450';

/**
 * Where programs make their calls: `{address, encrypted}`, as this browser reaches it.
 *
 * The pages have an address of their own. A server that listens on all addresses is called by the
 * name of this page.
 *
 * @param {AbortSignal} signal
 */
export async function placeOfCalls(signal) {
  const {status, text} = await page('/console/calls.json', signal);
  const {address = USUAL, encrypted = false} = status === 200 ? JSON.parse(text) : {};
  return {encrypted, address: address.replace(/^(0\.0\.0\.0|\[::\]):/, `${location.hostname}:`)};
}

/**
 * `AbortSignal` with what TypeScript 4.8 does not know of it.
 *
 * @type {{any(signals: AbortSignal[]): AbortSignal, timeout(milliseconds: number): AbortSignal}}
 */
export const Signals = /** @type {any} */ (AbortSignal);

/** A new id for a write, with which it may be sent twice and is done once. */
export function requestId() {
  return crypto.randomUUID();
}
