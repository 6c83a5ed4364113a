// Adds a friend, lists two, and follows changes over broken streams: node faults.mjs ADDRESS

import { Client, apiKey } from "relation-client";

let number = 0;
const client = new Client(process.argv[2], { credential: () => apiKey(`${++number}`), app: 7 });
const request = { userId: "ann", items: [{ userId: "bob" }] };
console.log("applied", (await client.friend.addFriends(request)).applied);
for await (const { userId } of client.friend.listFriends.all({ userId: "ann" })) {
  console.log(userId);
}
for await (const { resumeToken } of client.changes({ userId: "ann" })) {
  console.log(resumeToken);
  if (resumeToken === "token-3") break;
}
