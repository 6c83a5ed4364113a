/** How a call is made again after an error that passes. */

/** A write is sent again under the same request id, so it is done once. */
export interface RetryPolicy {
  /** How often a call is made at most, the first time included. */
  attempts: number;
  /** The wait before the second attempt; each further one is twice as long. */
  firstWaitMs: number;
  /** The longest wait, unless the server asks for a longer one. */
  longestWaitMs: number;
  /** The part of a wait by which chance makes it shorter or longer. */
  jitter: number;
}

export const retryPolicy: Readonly<RetryPolicy> = {
  attempts: 5, firstWaitMs: 100, longestWaitMs: 2000, jitter: 0.2,
};

/** The wait after so many attempts. */
export function waitMs(policy: RetryPolicy, attempts: number, asked = 0): number {
  const wait = Math.min(policy.firstWaitMs * 2 ** (attempts - 1), policy.longestWaitMs);
  const chance = 1 + policy.jitter * (2 * Math.random() - 1);
  return Math.max(wait * chance, asked * (1 + policy.jitter * Math.random()));
}

/** Waits; a signal ends the wait at once. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (signal?.aborted) done();
    else signal?.addEventListener("abort", done);
  });
}

/** A request id with so much chance that no two are ever equal. */
export function requestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
