// A hook that refuses texts with the word "spam": node veto.mjs 8080
import http from "node:http";

http.createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const asked = JSON.parse(Buffer.concat(chunks));
  const items = asked.data.items.flatMap((item, index) =>
    Object.values(item.texts).some((text) => text.includes("spam"))
      ? [{ index, code: 38001, info: "no spam" }]
      : []);
  response.end(JSON.stringify({ items }));
}).listen(Number(process.argv[2]), "127.0.0.1");
