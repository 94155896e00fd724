// Without `format`, the client does not read a reply.
import { Api } from "./generated/swagger.js";
import { callAll, headers, sandbox } from "./operations.mjs";

const client = new Api({ baseUrl: sandbox, baseApiParams: { headers, format: "json" } });
// The methods are in groups, and have the operation in camel case.
const methods = Object.assign({}, ...Object.values(client).filter((group) => typeof group === "object"));
const camel = (id) => id.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
await callAll(async (id, body) => (await methods[camel(id)](body)).data);
