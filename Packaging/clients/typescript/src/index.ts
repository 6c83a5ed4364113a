/** A client of the relation-chain service. */

export * from "./contract.js";
export { Client, apiKey, userSig } from "./client.js";
export type { ChangesOptions, ClientOptions, Credential } from "./client.js";
export { CallError } from "./errors.js";
export type { Code } from "./errors.js";
export { retryPolicy } from "./retries.js";
export type { RetryPolicy } from "./retries.js";
export { Stream } from "./stream.js";
export type {
  BothStream, CallOptions, Paged, Pages, ServerStream, Transport, Unary,
} from "./calls.js";
