// Uses the installed npm packages: validates vectors, type-checked, and sends them to the installed sandbox.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Ajv2020 } from "ajv/dist/2020.js";
import { folder, index, schema, vectors, type PushIncomeRequest } from "business-data-connector-openapi";

// A field of another type would not compile.
const body: PushIncomeRequest = {
  apikey: "demo-apikey",
  appid: "demo-appid",
  uid: "demo-business",
  data: { id: "INV-1", amount: 19.99 },
};
// @ts-expect-error
const mistyped: PushIncomeRequest = { ...body, data: { amount: "19.99" } };

assert(folder.href.startsWith(new URL("node_modules/", import.meta.url).href), folder.href);
const validate = new Ajv2020().compile(schema("push_income"));
assert(validate(body), JSON.stringify(validate.errors));
const tested = vectors("push_income");
for (const { body, valid, why } of tested) assert.equal(validate(body), valid, why);

const sandbox = spawn("node_modules/.bin/bdc-sandbox", ["--listen", "127.0.0.1:0"], {
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const { value } = await createInterface(sandbox.stdout)[Symbol.asyncIterator]().next();
  const url = value.split(" ")[2] + index().operations["push_income"]?.path;
  const headers = { "Content-Type": "application/json" };
  const send = async (body: unknown) =>
    (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).status;
  const statuses = [await send(body), await send(mistyped)];
  assert.deepEqual(statuses, [200, 400]);
  console.log(`TypeScript: ${tested.length} vectors, and the sandbox answered ${statuses.join(", ")}`);
} finally {
  sandbox.kill();
}
