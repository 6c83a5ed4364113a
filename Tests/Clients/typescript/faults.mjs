// Adds a friend, and follows changes over two broken streams: node faults.mjs ADDRESS

import { Client } from "relation-client";

const client = new Client(process.argv[2]);
const request = { userId: "ann", items: [{ userId: "bob" }] };
console.log("applied", (await client.friend.addFriends(request)).applied);
for await (const { resumeToken } of client.changes({ userId: "ann" })) {
  console.log(resumeToken);
  if (resumeToken === "token-3") break;
}
