// With connector.json, the client takes any reply with JSON for a mistake, even if the request was accepted.
import { createApiClient as specified } from "./generated/zod.js";
import { createApiClient as deployed } from "./generated/zod_deployed.js";
import { callAll, headers, operations, sandbox } from "./operations.mjs";

const { id, body } = operations()[0];
const thrown = await specified(sandbox)[id](body).then(() => undefined, (error) => error);
if (!/Invalid response/.test(thrown?.message)) throw new Error("connector.json is sufficient now: change documents.md");
const client = deployed(sandbox, { axiosConfig: { headers } });
await callAll((id, body) => client[id](body));
