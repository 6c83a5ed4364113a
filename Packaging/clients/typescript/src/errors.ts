/** A call that failed, with the reason that the service gave. */

import type { ErrorReason } from "./contract.js";

export type Code =
  | "CANCELLED" | "UNKNOWN" | "INVALID_ARGUMENT" | "DEADLINE_EXCEEDED" | "NOT_FOUND"
  | "ALREADY_EXISTS" | "PERMISSION_DENIED" | "RESOURCE_EXHAUSTED" | "FAILED_PRECONDITION"
  | "ABORTED" | "OUT_OF_RANGE" | "UNIMPLEMENTED" | "INTERNAL" | "UNAVAILABLE" | "DATA_LOSS"
  | "UNAUTHENTICATED";

/** An error as Connect has it in JSON. */
export interface ErrorBody {
  code?: string;
  message?: string;
  details?: { type?: string; debug?: Record<string, unknown> }[];
}

const DOMAIN = "relation.v1";
const PREFIX = "ERROR_REASON_";
// Codes after which a stream of changes goes on: some are the words of proxies.
const PASSING: readonly Code[] = [
  "UNAVAILABLE", "ABORTED", "CANCELLED", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED",
];
/** The name of a reason without the beginning that all have. */
export type ReasonName = ErrorReason extends `ERROR_REASON_${infer Name}` ? Name : never;

/** A call that failed as a whole. The outcome of an item is in the answer, not here. */
export class CallError extends Error {
  readonly code: Code;
  /** The reason, such as `USER_NOT_FOUND`; empty if the service gave none. May be a newer one. */
  readonly reason: ReasonName | "" = "";
  /** The metadata of the reason, such as `limit` and `actual`. */
  readonly metadata: Record<string, string> = {};
  /** Each invalid field of the request, with its rule. */
  readonly fields: { field: string; rule: string }[] = [];
  /** The time after which the server asks to try again. */
  readonly retryAfterMs: number | undefined;
  /** How often the call was made. */
  attempts = 1;

  constructor(code: Code, message: string, details: ErrorBody["details"] = []) {
    super(message);
    this.name = "CallError";
    this.code = code;
    for (const { type, debug = {} } of details) {
      if (type === "google.rpc.ErrorInfo" && debug.domain === DOMAIN) {
        this.reason = String(debug.reason ?? "").replace(PREFIX, "") as ReasonName;
        this.metadata = { ...(debug.metadata as Record<string, string> | undefined) };
      } else if (type === "google.rpc.BadRequest") {
        const violations = debug.fieldViolations as Record<string, string>[] | undefined;
        this.fields = (violations ?? []).map(
          ({ field = "", description = "" }) => ({ field, rule: description }));
      } else if (type === "google.rpc.RetryInfo") {
        this.retryAfterMs = Number.parseFloat(String(debug.retryDelay ?? "0")) * 1000;
      }
    }
  }

  /** Whether the same call may succeed later, if it does no harm to make it twice. */
  get mayBeRepeated(): boolean {
    if (this.code === "UNAVAILABLE") return this.reason !== "BEHIND";
    if (this.code === "RESOURCE_EXHAUSTED") return this.retryAfterMs !== undefined;
    return this.reason === "OUTCOME_UNKNOWN" || this.reason === "CONFLICT";
  }

  /** Whether another stream of changes may go on after the one that ended so. */
  get endsAStreamOnly(): boolean {
    if (PASSING.includes(this.code)) return this.reason !== "READER_FENCED";
    return this.reason === "" && (this.code === "UNKNOWN" || this.code === "INTERNAL");
  }
}

/** The error of a body of Connect. */
export function errorOf(body: ErrorBody): CallError {
  const code = (body.code ?? "unknown").toUpperCase().replace("CANCELED", "CANCELLED") as Code;
  return new CallError(code, body.message ?? "", body.details);
}

/** The error of an answer of HTTP that is not OK; one that is not Connect's is of a proxy. */
export async function errorOfAnswer(answer: Response): Promise<CallError> {
  const text = await answer.text();
  try {
    const body = JSON.parse(text) as ErrorBody;
    if (typeof body.code === "string") return errorOf(body);
  } catch {
    // It is not JSON.
  }
  const passes = answer.status >= 500 || [408, 425, 429].includes(answer.status);
  return new CallError(passes ? "UNAVAILABLE" : "UNKNOWN", `HTTP ${answer.status}`);
}

/** The error of something that was thrown while a call was made. */
export function errorOfThrown(thrown: unknown, ended: Code | undefined): CallError {
  if (thrown instanceof CallError) return thrown;
  const { message, cause } = thrown as { message?: string; cause?: { message?: string } };
  const words = [message, cause?.message].filter(Boolean).join(": ");
  return new CallError(ended ?? "UNAVAILABLE", ended ? ended.toLowerCase() : words);
}
