// Tests openapi-fetch with the types of openapi-typescript: a typed call, a rejected one, and then every valid vector.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { isSafeNumber, parse } from "lossless-json";
import createClient from "openapi-fetch";
import type { operations, paths } from "./generated_openapi_typescript/schema.js";

const schemas = `${process.env.BDC_OPENAPI}/schemas`;
const sandbox = process.env.BDC_SANDBOX!;
// The credentials and the business of the sandbox.
const own = { apikey: "demo-apikey", appid: "demo-appid", uid: "demo-business" };

// The generated types do not say which operations require the header, so it is sent with all.
const client = createClient<paths>({ baseUrl: sandbox, headers: { "X-API-Key": "demo-header-key" } });

async function inspect<T>(path: string): Promise<T[]> {
  return (await fetch(`${sandbox}/_sandbox/${path}`)).json();
}

interface Reason {
  pointer: string;
  rule: string;
  expected: string;
  got: string;
}

async function lastRequest(): Promise<{ operation: string; body: unknown; reasons: Reason[] }> {
  const requests = await inspect<Awaited<ReturnType<typeof lastRequest>>>("requests");
  return requests[requests.length - 1]!;
}

const data = { id: "INV-1001", currency: "ZAR", amount: 19.99 };
const accepted = await client.POST("/api/push/income", { body: { ...own, data } });
assert.equal(accepted.response.status, 200);
console.log(200, accepted.data, await inspect(`businesses/${own.uid}/records`));

// @ts-expect-error: the compiler rejects it, and so does the service.
const rejected = await client.POST("/api/push/income", { body: { ...own, data: { ...data, amount: "19.99" } } });
assert.equal(rejected.response.status, 400);
// The reply does not contain the reason, but the log of the sandbox does.
console.log(400, (await lastRequest()).reasons);

// Here, the compiler checks that every valid body has the generated type of its operation.
type Body<Id extends keyof operations> = operations[Id]["requestBody"]["content"]["application/json"];
type Typed<Bodies extends { [Id in keyof operations]: Body<Id>[] }> = Bodies;
export type Checked = Typed<typeof import("./generated_openapi_typescript/bodies.json")>;

interface Operation {
  path: keyof paths;
  effect: "read" | "write";
  asynchronous: boolean;
  vectors: string;
}

interface Vector {
  why: string;
  valid: boolean;
  body: { data?: any };
}

const index: Record<string, Operation> = JSON.parse(readFileSync(`${schemas}/index.json`, "utf8")).operations;

/** The valid vectors of an operation, with the credentials and the business of the sandbox. */
function vectors(operation: Operation): (Vector & { fits: boolean })[] {
  const text = readFileSync(`${schemas}/${operation.vectors}`, "utf8");
  // A number that a double cannot represent becomes NaN, which is then written as `null`.
  const numbers = parse(text, null, (number) => (isSafeNumber(number) ? Number(number) : NaN)) as Vector[];
  const all: Vector[] = JSON.parse(text);
  return all.flatMap((vector, i) => {
    const ours = Object.fromEntries(Object.entries(own).filter(([name]) => name in vector.body));
    const fits = !JSON.stringify(numbers[i]).includes("null");
    return vector.valid ? [{ ...vector, body: { ...vector.body, ...ours }, fits }] : [];
  });
}

/** Uploads a settlement file to the URL that the service provides, the only one that it accepts. */
async function upload(entries: unknown): Promise<string> {
  const { data, response } = await client.POST("/api/pull/storage-upload-url", { body: own });
  assert.equal(response.status, 200, JSON.stringify((await lastRequest()).reasons));
  // The interface documents no reply body, so that of deployed services has no type.
  const { url } = data as unknown as { url: string };
  await fetch(url, { method: "PUT", body: JSON.stringify(entries) });
  return url;
}

/** Whether two values are equal as far as the sandbox shows them: it hides secrets and unknown names. */
function same(arrived: any, meant: any): boolean {
  if (arrived === "[hidden]") return true;
  if (typeof meant === "string") return arrived === meant || arrived === `${meant.split("?")[0]}?[hidden]`;
  if (typeof meant !== "object" || typeof arrived !== "object") return arrived === meant;
  return (
    isDeepStrictEqual(Object.keys(arrived).sort(), Object.keys(meant).sort()) &&
    Object.keys(meant).every((name) => same(arrived[name], meant[name]))
  );
}

/** Whether the records match `data`: itself, its items if it is a list, or the items of its lists. */
function held(records: { data: unknown }[], data: any): boolean {
  const lists = Object.keys(data).sort().map((name) => data[name]).filter(Array.isArray);
  const arrived = records.map((record) => record.data);
  return [[data], data, lists.flat()].some((carried) => isDeepStrictEqual(arrived, carried));
}

let [exact, rounded] = [0, 0];
const problems: string[] = [];
const settled = vectors(index.push_settlement!).find(({ why }) => why === "every field")!.body.data;
for (const [name, operation] of Object.entries(index)) {
  for (const { why, body, fits } of vectors(operation)) {
    // Each vector is sent to an empty sandbox.
    await fetch(`${sandbox}/_sandbox/reset`, { method: "POST", headers: { "Content-Type": "application/json" } });
    if (name === "push_settlement_file") body.data.url = await upload(settled);
    // The type of the body was checked above; here, it may be that of any operation.
    const { response } = await client.POST(operation.path, { body: body as never });
    const logged = await lastRequest();
    const records = await inspect<{ data: unknown }>(`businesses/${own.uid}/records`);
    const recorded = operation.asynchronous && operation.effect === "write";
    const meant = name === "push_settlement_file" ? settled : body.data;
    const problem =
      response.status !== 200
        ? `replied ${response.status} ${JSON.stringify(logged.reasons)}`
        : logged.operation !== name || !same(logged.body, body)
          ? `arrived as ${logged.operation} ${JSON.stringify(logged.body)}`
          : recorded && !held(records, meant)
            ? `recorded as ${JSON.stringify(records)}`
            : undefined;
    if (problem) problems.push(`${operation.vectors}: ${why}: ${JSON.stringify(body)}: ${problem}`);
    else if (fits) exact += 1;
    else rounded += 1;
  }
}
if (problems.length > 0) {
  console.error(problems.join("\n"));
  console.error(`${problems.length} bodies did not arrive as sent: check the generated types and what is sent.`);
  process.exit(1);
}
const count = Object.keys(index).length;
console.log(`${count} of ${count} operations, ${exact} bodies as sent, ${rounded} rounded to a double`);
