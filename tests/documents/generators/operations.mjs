// Sends the example of every operation through a generated client.
import { readFileSync } from "node:fs";

export const sandbox = process.env.BDC_SANDBOX;
export const headers = { "X-API-Key": "demo-header-key" };

const read = (file) => JSON.parse(readFileSync(`${process.env.BDC_OPENAPI}/${file}`, "utf8"));

/** The operations in the order of the collection: the id, the whole-body example, and how a file is uploaded. */
export const operations = () => {
  const posts = Object.values(read("connector.json").paths).map(({ post }) => [post.operationId, post]);
  const byId = new Map(posts);
  const names = read("postman.json").item.map(({ name }) => name);
  return names.filter((name) => byId.has(name)).map((id) => ({
    id,
    body: byId.get(id).requestBody.content["application/json"].examples.full.value,
    upload: byId.get(id)["x-upload"],
  }));
};

/** Calls every operation; `call` takes the id and a body, and returns the JSON of the reply. */
export const callAll = async (call) => {
  const replies = new Map();
  for (const { id, body, upload } of operations()) {
    if (upload) {
      body.data.url = replies.get(upload["address-from"])[upload.address];
      await fetch(body.data.url, { method: "PUT", headers: { "Content-Type": "application/json" }, body: "[]" });
    }
    const reply = await call(id, body);
    // null means that it did not fail.
    if (![false, null].includes(reply?.error)) throw new Error(`${id}: ${JSON.stringify(reply)}`);
    replies.set(id, reply);
  }
  console.log(`${replies.size} operations, each with its reply`);
};
