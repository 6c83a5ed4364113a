// @ts-check
// A stream of changes that goes on where it broke, over restarts of the server.

import {on} from '../shared/dom.js';
import {stream} from '../shared/api.js';

/** The first wait before a lost stream is opened again; each further one is twice as long. */
export const FIRST_WAIT_MS = 500;
/** The longest wait. */
export const LONGEST_WAIT_MS = 15_000;
/** After so much silence the server sends a message without an event. */
const HEARTBEAT_MS = 10_000;
/** A stream that is silent for so long is lost. */
const SILENCE_MS = 3 * HEARTBEAT_MS;

/** The reasons with which a stream ends that may be opened again. */
const PASSING = new Set(['SLOW_READER', 'STOPPING', 'OVERLOADED', 'THROTTLED']);

/**
 * Whether a stream that ended with this error may be opened again.
 *
 * @param {Failure} error
 */
function passes(error) {
  if (error.name !== 'CallError') return true;
  if (PASSING.has(error.reason ?? '')) return true;
  // A proxy whose server is away answers without a code of gRPC.
  return error.code === 'unavailable' || error.code === 'unknown' && (error.status ?? 0) >= 500;
}

/**
 * The token that the end of a stream names, if it names one.
 *
 * @param {Failure} error
 */
function tokenOf(error) {
  const info = error.details?.find(({type}) => type === 'google.rpc.ErrorInfo');
  return info?.debug?.metadata?.resume_token ?? '';
}

/**
 * Waits, or less if `woken` is called; tells the seconds that are left.
 *
 * @param {number} milliseconds
 * @param {(seconds: number, leave: () => void) => void} report
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function pause(milliseconds, report, signal) {
  return new Promise(done => {
    const end = performance.now() + milliseconds;
    const notify = () => {
      const left = Math.max(0, end - performance.now());
      report(Math.ceil(left / 1000), leave);
      if (left === 0) leave();
    };
    const leave = () => {
      clearInterval(timer);
      signal.removeEventListener('abort', leave);
      done();
    };
    on(signal, 'abort', leave, {once: true});
    const timer = setInterval(notify, 200);
    notify();
  });
}

/**
 * Follows changes until `signal` aborts: `seen` is called with each message, and `state` with a
 * word and more about the stream.
 *
 * `place` keeps the token. It throws the error of a stream that would fail again.
 *
 * @param {Relation.WatchRequest} request
 * @param {Token} place
 * @param {(message: Relation.WatchResponse) => void} seen
 * @param {(word: StreamState, more?: More) => void} state
 * @param {AbortSignal} signal
 */
export async function follow(request, place, seen, state, signal) {
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted) {
    state('connecting');
    const own = new AbortController();
    const end = () => own.abort();
    on(signal, 'abort', end, {once: true});
    let silence = setTimeout(end, SILENCE_MS);
    /** @type {string} */
    let lost;
    try {
      const asked = {...request, heartbeatMs: String(HEARTBEAT_MS), resumeToken: place.get()};
      for await (const message of stream('ChangeService/Watch', asked, own.signal)) {
        clearTimeout(silence);
        silence = setTimeout(end, SILENCE_MS);
        wait = FIRST_WAIT_MS;
        seen(message);
        // The token is kept after the event is shown, so a break between them repeats it at most.
        if (message.resumeToken) {
          place.set(message.resumeToken);
          state('live');
        } else {
          state('state');
        }
      }
      lost = 'the server ended the stream';
    } catch (/** @type {any} */ error) {
      if (signal.aborted) return;
      if (error.reason === 'INVALID_RESUME_TOKEN' && place.get()) {
        place.set('');
        state('forgotten');
        continue;
      }
      if (!passes(error)) throw error;
      if (tokenOf(error)) place.set(tokenOf(error));
      lost = own.signal.aborted ? 'the stream was silent' : error.message;
    } finally {
      clearTimeout(silence);
      signal.removeEventListener('abort', end);
    }
    await pause(wait, (seconds, now) => state('waiting', {seconds, lost, now}), signal);
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
  }
}
