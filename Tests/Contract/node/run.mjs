// Runs the cases of Tests/Contract against a server, with a client that knows proto/ alone:
// node run.mjs DESCRIPTORS DETAILS ADDRESS [CALL]

import crypto from "node:crypto";
import fs from "node:fs";
import { CallFailed, Client } from "../../../Examples/Node/grpc.mjs";
import { Contract } from "../../../Examples/Node/protobuf.mjs";

const CASES = new URL("../cases/", import.meta.url);
const readJson = (file) => JSON.parse(fs.readFileSync(file, "utf8"));

/** What a call answered, in the form in which a step expects it. */
async function outcome(receive) {
  try {
    return { answer: await receive() };
  } catch (error) {
    if (!(error instanceof CallFailed)) return { error: { status: String(error) } };
    const { status, details } = error;
    const info = details["google.rpc.ErrorInfo"] ?? {};
    const ours = info.domain === "relation.v1" ? info : {};
    const fields = details["google.rpc.BadRequest"]?.fieldViolations?.map(({ field }) => field);
    const retry = "google.rpc.RetryInfo" in details || undefined;
    return { error: { status, reason: ours.reason, metadata: ours.metadata, fields, retry } };
  }
}

/** A value of a case with its variables put in. */
function expand(value, names) {
  if (typeof value === "string") return value.replace(/\$\{(\w+)\}/g, (_, name) => names[name]);
  if (Array.isArray(value)) return value.map((item) => expand(item, names));
  if (typeof value !== "object" || value === null) return value;
  if ("$repeat" in value) {
    const scope = { ...names };
    const one = (_, index) => expand(value.$repeat, Object.assign(scope, { index: `${index}` }));
    const made = Array.from({ length: value.times }, one);
    return typeof value.$repeat === "string" ? made.join("") : made.flat();
  }
  const pairs = Object.entries(value).map((pair) => expand(pair, names));
  return Object.fromEntries(pairs);
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** The first difference in words, or undefined. Saves the values that `$save` names. */
function difference(expected, came, names, path = "") {
  const keys = isObject(expected) ? Object.keys(expected) : [];
  const matcher = keys.length === 1 ? keys[0] : undefined;
  const inner = expected?.[matcher];
  const text = JSON.stringify;
  const differs = () => `${path}: expected ${text(expected)}, came ${text(came)}`;
  if (matcher === "$save") {
    if (came === undefined) return differs();
    names[inner] = String(came);
  } else if (matcher === "$any") {
    if (inner !== (Array.isArray(came) ? "list" : typeof came)) return differs();
  } else if (matcher === "$has" && Array.isArray(inner)) {
    const found = (item) => came.some((one) => difference(item, one, names) === undefined);
    if (!Array.isArray(came) || !inner.every(found)) return differs();
  } else if (isObject(expected) && isObject(came)) {
    const wanted = matcher === "$has" ? inner : expected;
    for (const key of Object.keys(matcher === "$has" ? inner : { ...came, ...expected })) {
      const wrong = difference(wanted[key], came[key], names, `${path}.${key}`);
      if (wrong !== undefined) return wrong;
    }
  } else if (Array.isArray(expected) && Array.isArray(came) && expected.length === came.length) {
    for (const index of expected.keys()) {
      const wrong = difference(expected[index], came[index], names, `${path}[${index}]`);
      if (wrong !== undefined) return wrong;
    }
  } else if (expected !== came) {
    return differs();
  }
}

/** One run of a case, with users and an app of its own. */
class Run {
  streams = {};
  names = { run: crypto.randomBytes(5).toString("hex") };

  constructor(client, contract) {
    this.client = client;
    this.contract = contract;
  }

  /** Does all steps of a case, and tells what was wrong, or undefined. */
  async wrong({ app, users = [], unknown = [], steps }) {
    for (const name of [...users, ...unknown]) this.names[name] = `${name}-${this.names.run}`;
    const first = app === undefined ? [] : [{
      call: "AppService/CreateApp", request: app,
      answer: { $has: { app: { $has: { appId: { $save: "app" } } } } },
    }];
    const made = users.map((name) => ({
      call: "ProfileService/UpdateProfile", answer: { $has: { applied: true } },
      request: { userId: this.names[name], profile: { gender: 0 }, updateMask: "gender" },
    }));
    for (const step of [...first, ...made, ...steps]) {
      for (let index = 0; index < (step.times ?? 1); index++) {
        this.names.index = String(index);
        const wrong = await this.check(expand(step, this.names));
        if (wrong !== undefined) return wrong.replace(/^\./, "");
      }
    }
  }

  /** Does a step until it is answered as expected or may not be repeated; the difference. */
  async check(step) {
    const end = Date.now() + (step.retryForMs ?? 0);
    const expected = {};
    for (const key of ["answer", "error", "end"]) if (key in step) expected[key] = step[key];
    for (;;) {
      const came = await this.step(step);
      const wrong = difference(expected, came, this.names);
      const again = (step.skipping && "answer" in came) || Date.now() < end;
      if (wrong === undefined || !again) return wrong;
    }
  }

  /** Does one step, and returns what came. */
  async step(step) {
    const app = "app" in this.names ? { "x-app-id": this.names.app } : {};
    const options = {
      metadata: { ...app, ...step.metadata },
      milliseconds: step.timeoutMs ?? 20000,
      extra: Buffer.from(step.extra ?? "", "hex"),
    };
    if ("call" in step) {
      return outcome(() => this.client.call(`relation.v1.${step.call}`, step.request, options));
    }
    if ("decode" in step) return this.decode(step);
    if ("open" in step) {
      const call = this.client.open(`relation.v1.${step.open}`, options);
      this.streams[step.stream] = call;
      if ("request" in step) {
        call.send(step.request, options.extra);
        call.halfClose();
      }
    } else if ("receive" in step) {
      const came = await outcome(() => this.streams[step.receive].next());
      if (came.answer?.done) return { end: true };
      return "answer" in came ? { answer: came.answer.value } : came;
    } else if ("send" in step) {
      this.streams[step.send].send(step.request, options.extra);
    } else if ("halfClose" in step) {
      this.streams[step.halfClose].halfClose();
    } else {
      this.streams[step.cancel].cancel();
    }
    return {};
  }

  decode({ decode: name, bytes, again }) {
    const message = this.contract.decode(`relation.v1.${name}`, Buffer.from(bytes, "hex"));
    const same = this.contract.encode(`relation.v1.${name}`, message).toString("hex") === bytes;
    return same || !again ? { answer: message } : { error: { status: "DATA_LOSS" } };
  }

  async end() {
    for (const call of Object.values(this.streams)) call.cancel();
    if (!("app" in this.names)) return;
    await this.step({ call: "AppService/DeleteApp", request: { appId: this.names.app } });
  }
}

const [descriptors, details, address, only] = process.argv.slice(2);
const contract = new Contract(readJson(descriptors), readJson(details));
const client = new Client(address, contract);
let [passed, failed] = [0, 0];
for (const service of fs.readdirSync(CASES).sort()) {
  for (const file of fs.readdirSync(new URL(service, CASES)).sort()) {
    if (only && file !== `${only}.json`) continue;
    for (const test of readJson(new URL(`${service}/${file}`, CASES)).cases) {
      const run = new Run(client, contract);
      const wrong = await run.wrong(test);
      await run.end();
      wrong === undefined ? passed++ : failed++;
      if (wrong) console.log(`${service}/${file.replace(".json", "")}: ${test.name}: ${wrong}`);
    }
  }
}
client.close();
console.log(`${passed} cases passed, ${failed} failed`);
process.exitCode = passed > 0 && failed === 0 ? 0 : 1;
