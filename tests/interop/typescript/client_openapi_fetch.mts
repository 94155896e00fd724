// The types that openapi-typescript writes, with openapi-fetch: a typed call, a refusal, and then everything.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { isSafeNumber, parse } from "lossless-json";
import createClient from "openapi-fetch";
import type { operations, paths } from "./generated_openapi_typescript/schema.js";

const schemas = `${process.env.BDC_OPENAPI}/schemas`;
const sandbox = process.env.BDC_SANDBOX!;
// What every partner has for itself.
const own = { apikey: "demo-apikey", appid: "demo-appid", uid: "demo-business" };

// The generated types do not say which operations want the header: all get it.
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
const taken = await client.POST("/api/push/income", { body: { ...own, data } });
assert.equal(taken.response.status, 200);
console.log(200, taken.data, await inspect(`businesses/${own.uid}/records`));

// @ts-expect-error: the compiler refuses it, and so does the service.
const refused = await client.POST("/api/push/income", { body: { ...own, data: { ...data, amount: "19.99" } } });
assert.equal(refused.response.status, 400);
// The answer need not say why: the sandbox does.
console.log(400, (await lastRequest()).reasons);

// The compiler checks here that every valid body of the vectors has the generated type of its operation.
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

/** The valid vectors of an operation, with our own credentials and business in them. */
function vectors(operation: Operation): (Vector & { fits: boolean })[] {
  const text = readFileSync(`${schemas}/${operation.vectors}`, "utf8");
  // A number that a double cannot hold becomes NaN, which is then written as `null`.
  const numbers = parse(text, null, (number) => (isSafeNumber(number) ? Number(number) : NaN)) as Vector[];
  const all: Vector[] = JSON.parse(text);
  return all.flatMap((vector, i) => {
    const ours = Object.fromEntries(Object.entries(own).filter(([name]) => name in vector.body));
    const fits = !JSON.stringify(numbers[i]).includes("null");
    return vector.valid ? [{ ...vector, body: { ...vector.body, ...ours }, fits }] : [];
  });
}

/** Puts a settlement file where the service says: it takes a file from nowhere else. */
async function upload(entries: unknown): Promise<string> {
  const { data, response } = await client.POST("/api/pull/storage-upload-url", { body: own });
  assert.equal(response.status, 200, JSON.stringify((await lastRequest()).reasons));
  // The interface documents no answer: what deployed services answer has no type.
  const { url } = data as unknown as { url: string };
  await fetch(url, { method: "PUT", body: JSON.stringify(entries) });
  return url;
}

/** Whether they are the same as far as the sandbox shows it: it hides secrets, and names that it does not know. */
function same(arrived: any, meant: any): boolean {
  if (arrived === "[hidden]") return true;
  if (typeof meant === "string") return arrived === meant || arrived === `${meant.split("?")[0]}?[hidden]`;
  if (typeof meant !== "object" || typeof arrived !== "object") return arrived === meant;
  return (
    isDeepStrictEqual(Object.keys(arrived).sort(), Object.keys(meant).sort()) &&
    Object.keys(meant).every((name) => same(arrived[name], meant[name]))
  );
}

/** Whether the records are what `data` carries: itself, or the items of a list, or of the lists in it. */
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
    // Each is sent to an empty sandbox.
    await fetch(`${sandbox}/_sandbox/reset`, { method: "POST" });
    if (name === "push_settlement_file") body.data.url = await upload(settled);
    // The type of the body was checked above; here it is that of any operation.
    const { response } = await client.POST(operation.path, { body: body as never });
    const logged = await lastRequest();
    const records = await inspect<{ data: unknown }>(`businesses/${own.uid}/records`);
    const recorded = operation.asynchronous && operation.effect === "write";
    const meant = name === "push_settlement_file" ? settled : body.data;
    const problem =
      response.status !== 200
        ? `answered ${response.status} ${JSON.stringify(logged.reasons)}`
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
  console.error(`${problems.length} bodies did not arrive as sent: look at the generated types and at what is sent.`);
  process.exit(1);
}
const count = Object.keys(index).length;
console.log(`${count} of ${count} operations, ${exact} bodies as sent, ${rounded} rounded to a double`);
