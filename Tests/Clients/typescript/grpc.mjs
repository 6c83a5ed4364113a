// The installed client in the form in which Tests/Contract/node/run.mjs uses one.

import { CallError, Client as Installed } from "relation-client";

const camel = (name) => name[0].toLowerCase() + name.slice(1);

/** An error of a call with its details by their names, as the runner reads them. */
export class CallFailed extends Error {
  constructor({ code, message, reason, metadata, fields, retryAfterMs }) {
    super(message);
    this.status = code;
    this.details = {};
    const info = { domain: "relation.v1", reason };
    if (Object.keys(metadata).length > 0) info.metadata = metadata;
    if (reason) this.details["google.rpc.ErrorInfo"] = info;
    if (fields.length > 0) this.details["google.rpc.BadRequest"] = { fieldViolations: fields };
    if (retryAfterMs !== undefined) this.details["google.rpc.RetryInfo"] = {};
  }
}

const failed = (error) => {
  throw error instanceof CallError ? new CallFailed(error) : error;
};

/** The requests of a stream, one after the other as a case sends them. */
class Requests {
  #ready = [];
  #wanted = [];

  put(next) {
    if (this.#wanted.length > 0) this.#wanted.shift()(next);
    else this.#ready.push(next);
  }

  next() {
    if (this.#ready.length > 0) return Promise.resolve(this.#ready.shift());
    return new Promise((resolve) => this.#wanted.push(resolve));
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}

export class Client {
  #client;

  constructor(address) {
    this.#client = new Installed(address, { retries: null }); // Cases look at the first answer.
  }

  /** The function of a call such as `relation.v1.FriendService/AddFriends`. */
  #function(path) {
    const [, service, call] = path.match(/\.(\w+)Service\/(\w+)$/);
    return this.#client[camel(service)][camel(call)];
  }

  call(path, request, { metadata: headers, milliseconds: timeoutMs }) {
    return this.#function(path)(request, { headers, timeoutMs }).catch(failed);
  }

  /** A stream of answers: its one request comes before it is read, unless it takes many. */
  open(path, { metadata: headers, milliseconds: timeoutMs }) {
    if (path.includes("/Import")) {
      const requests = new Requests();
      const stream = this.#function(path)(requests, { headers, timeoutMs });
      return {
        send: (request) => requests.put({ value: request, done: false }),
        halfClose: () => requests.put({ done: true }),
        next: () => stream.next().catch(failed),
        cancel: () => stream.cancel(),
      };
    }
    let stream;
    return {
      send: (request) => { stream = this.#function(path)(request, { headers, timeoutMs }); },
      halfClose: () => {},
      next: () => stream.next().catch(failed),
      cancel: () => stream.cancel(),
    };
  }

  close() {}
}
