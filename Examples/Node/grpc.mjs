// Calls of gRPC by Node's own HTTP/2, without a library.

import http2 from "node:http2";
import util from "node:util";

const STATUSES = [
  "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
  "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",
  "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
];

/** A call ended with another status than OK. */
export class CallFailed extends Error {
  /** `details` has the typed details by their names, such as `google.rpc.ErrorInfo`. */
  constructor(status, message, details = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

/** One connection. `contract` has the messages of the service and those of google.rpc. */
export class Client {
  #session;
  #contract;

  constructor(address, contract) {
    this.#contract = contract;
    this.#session = http2.connect(`http://${address}`);
    this.#session.on("error", () => {}); // Each call gets the error.
  }

  /** Opens a call of any kind, such as `relation.v1.ChangeService/Watch`. */
  open(path, options) {
    return new Call(this.#session, this.#contract, path, options);
  }

  /** Makes a call that has one request and one answer. */
  async call(path, request, options) {
    const call = this.open(path, options);
    call.send(request, options?.extra);
    call.halfClose();
    const answers = [];
    for await (const answer of call) answers.push(answer);
    if (answers.length !== 1) throw new CallFailed("INTERNAL", `${answers.length} answers`);
    return answers[0];
  }

  close() {
    this.#session.close();
  }
}

/** An open call. Its answers are read by `for await`, or one by one with `next()`. */
class Call {
  #contract;
  #types;
  #stream;
  #metadata = {}; // Headers and trailers of the answer.
  #end = new AbortController();
  #answers = this.#read();

  constructor(session, contract, path, { metadata, milliseconds = 10000 } = {}) {
    this.#contract = contract;
    this.#types = contract.method(path);
    const headers = {
      ":method": "POST",
      ":path": `/${path}`,
      "content-type": "application/grpc",
      "grpc-timeout": `${milliseconds}m`,
      te: "trailers",
      ...metadata,
    };
    const keep = (headers) => Object.assign(this.#metadata, headers);
    const timer = setTimeout(() => this.#end.abort("DEADLINE_EXCEEDED"), milliseconds);
    this.#stream = session.request(headers, { signal: this.#end.signal });
    this.#stream.on("response", keep).on("trailers", keep);
    this.#stream.on("close", () => clearTimeout(timer)).on("error", () => {}); // `next` throws it.
  }

  /** Sends a message, with further bytes at its end if they are given. */
  send(message, extra = Buffer.alloc(0)) {
    const bytes = Buffer.concat([this.#contract.encode(this.#types.request, message), extra]);
    const prefix = Buffer.alloc(5); // A byte for compression, and the length.
    prefix.writeUInt32BE(bytes.length, 1);
    this.#stream.write(Buffer.concat([prefix, bytes]));
  }

  /** Says that no more messages follow. */
  halfClose() {
    this.#stream.end();
  }

  cancel() {
    this.#end.abort("CANCELLED");
  }

  /** The next answer as an iterator has it. Throws `CallFailed` if the call ended not with OK. */
  next() {
    return this.#answers.next();
  }

  [Symbol.asyncIterator]() {
    return this.#answers;
  }

  async *#read() {
    let bytes = Buffer.alloc(0);
    for await (const chunk of this.#chunks()) {
      bytes = Buffer.concat([bytes, chunk]);
      while (bytes.length >= 5 && bytes.length >= 5 + bytes.readUInt32BE(1)) {
        const end = 5 + bytes.readUInt32BE(1);
        yield this.#contract.decode(this.#types.answer, bytes.subarray(5, end));
        bytes = bytes.subarray(end);
      }
    }
  }

  async *#chunks() {
    try {
      yield* this.#stream;
    } catch (error) {
      if (this.#metadata["grpc-status"] === undefined) throw this.#broken(error);
    }
    const status = STATUSES[this.#metadata["grpc-status"]] ?? "UNKNOWN";
    if (status !== "OK") throw new CallFailed(status, ...this.#words());
  }

  #broken(error) {
    const [, words] = util.getSystemErrorMap().get((error.cause ?? error).errno) ?? [];
    const status = this.#end.signal.reason ?? "UNAVAILABLE";
    return new CallFailed(status, words ?? error.message);
  }

  /** The message and the details of the status. */
  #words() {
    const { "grpc-message": words = "", "grpc-status-details-bin": bytes = "" } = this.#metadata;
    const status = this.#contract.decode("google.rpc.Status", Buffer.from(bytes, "base64"));
    const details = (status.details ?? []).map(({ typeUrl, value }) => {
      const type = typeUrl.split("/").at(-1);
      return [type, this.#contract.decode(type, Buffer.from(value ?? "", "base64"))];
    });
    return [decodeURIComponent(words), Object.fromEntries(details)];
  }
}
