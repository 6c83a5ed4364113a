#!/usr/bin/env node
// A first story with the relation-chain service: friends, a refusal, a block, and a change.
//
// Debian has no gRPC and no protobuf library for Node that this program could take. So it brings
// small ones, grpc.mjs and protobuf.mjs, which read the contract from what `buf build` writes.

import fs from "node:fs";
import { CallFailed, Client } from "./grpc.mjs";
import { Contract } from "./protobuf.mjs";

const [anna, ben, carl] = ["example-anna", "example-ben", "example-carl"];
const unknown = "example-unknown"; // An id that is no account.

const read = (name) => JSON.parse(fs.readFileSync(new URL(`build/${name}`, import.meta.url)));
const address = process.argv[2] ?? process.env.RELATION_SERVER ?? "127.0.0.1:7450";
const client = new Client(address, new Contract(read("contract.json"), read("details.json")));
const call = (path, request) => client.call(`relation.v1.${path}`, request);

// An import leaves accounts that exist as they are, so it may be repeated.
async function makeAccounts() {
  const stream = client.open("relation.v1.AccountService/ImportAccounts");
  // A long import reads answers while it sends.
  for (const userId of [anna, ben, carl]) stream.send({ row: { userId } });
  stream.halfClose();
  let existed = 0;
  let last = {};
  for await (const { row, progress } of stream) {
    last = progress ?? last;
    // A row has an answer only if it was refused or has something to say.
    if (row?.reason === "REASON_EXISTED") existed++;
  }
  const { accepted = 0, refused = 0 } = last; // A number that is zero is not there.
  console.log(`accounts: ${accepted} taken, ${existed} existed, ${refused} refused`);
}

// The call answers OK, and each user has a result code of its own.
async function addFriends() {
  const items = [ben, carl, unknown].map((userId) => ({ userId, source: "Web" }));
  const { results } = await call("FriendService/AddFriends", { userId: anna, items });
  for (const { userId, code, reason } of results) {
    let words = code;
    if (code === "FRIEND_STATUS_SUCC") words = "a friend now";
    else if (code === "FRIEND_STATUS_PENDING") words = "asked, and waits for an answer";
    else if (reason === "REASON_SNS_FRIEND_ADD_FRIEND_EXIST") words = "a friend already";
    console.log(`add ${userId}: ${words}`);
  }
}

// Only a missing token ends a list: a page may be shorter than was asked.
async function listFriends() {
  let pageToken = "";
  do {
    const request = { userId: anna, pageSize: 1, pageToken };
    const { friends = [], nextPageToken } = await call("FriendService/ListFriends", request);
    console.log(["page:", ...friends.map(({ userId }) => userId)].join(" "));
    pageToken = nextPageToken;
  } while (pageToken);
}

async function checkRelations() {
  const request = { userId: anna, userIds: [ben, unknown] };
  const { results } = await call("FriendService/GetRelations", request);
  for (const { userId, code, relation } of results) {
    console.log(`check ${userId}: ${code === "FRIEND_STATUS_SUCC" ? relation : code}`);
  }
}

// A call that fails as a whole says why in google.rpc.Status, which its trailers carry.
async function readRefusal() {
  try {
    await call("FriendService/ListFriends", { userId: unknown });
  } catch (error) {
    const info = error.details?.["google.rpc.ErrorInfo"];
    if (!info) throw error; // The service did not refuse it: the network failed, for example.
    console.log(`refused: ${info.reason}`);
  }
}

// Reads a stream of changes up to the first message that is the right one.
async function watch(request, isRight) {
  const stream = client.open("relation.v1.ChangeService/Watch");
  stream.send(request);
  stream.halfClose();
  for await (const message of stream) {
    if (isRight(message)) return message; // To leave the loop ends the call.
  }
  throw new CallFailed("UNAVAILABLE", "the server ended the stream");
}

// Takes the place that Anna's changes have come to, blocks Carl, and goes on from there.
async function blockAndWatch() {
  const request = { userId: anna, kinds: ["CHANGE_KIND_ADD_BLACKLIST"] };
  // A stream without a token begins with the present state; the first token comes at its end.
  const { resumeToken } = await watch(request, (message) => message.resumeToken);
  const block = { userId: anna, userIds: [carl] };
  const { results } = await call("BlacklistService/AddToBlacklist", block);
  for (const { userId, code } of results) console.log(`block ${userId}: ${code}`);
  // No change between the two streams is missed. Keep the last token of every stream.
  const { event } = await watch({ ...request, resumeToken }, (message) => message.event);
  console.log(["event:", event.kind, ...event.items.map(({ userId }) => userId)].join(" "));
}

try {
  await makeAccounts();
  // An earlier run has blocked Carl, and a user on the blacklist cannot be added.
  await call("BlacklistService/RemoveFromBlacklist", { userId: anna, userIds: [carl] });
  await addFriends();
  await listFriends();
  await checkRelations();
  await readRefusal();
  await blockAndWatch();
} catch (error) {
  if (!(error instanceof CallFailed)) throw error;
  console.error(`${address}: ${error.message}`);
  process.exitCode = 1;
} finally {
  client.close();
}
