import { createServer } from "node:http";
import { parse, stringify } from "lossless-json"; // npm install lossless-json; it keeps every digit of an amount

createServer(async (request, reply) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts).toString("utf8");
  // Store `body` here: what was answered with 200 is not sent again.
  reply.end();
  const { response } = parse(body);
  const state = response?.error ? "failed" : response?.hardrefreshing ? "interim" : "done";
  console.log(request.url, state, stringify(response));
}).listen(Number(process.argv[2]), "127.0.0.1");
