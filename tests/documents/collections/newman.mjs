import { promisify } from "node:util";
import newman from "newman";
import { accepted } from "./accepted.mjs";

const { run } = await promisify(newman.run)({
  collection: `${process.env.BDC_OPENAPI}/postman.json`,
  // What a user changes, too.
  envVar: [{ key: "baseUrl", value: process.env.BDC_SANDBOX }],
});
for (const { error, source } of run.failures) throw new Error(`${source.name}: ${error.message}`);
accepted(run.executions.map(({ item, response }) => ({ name: item.name, status: response.code, text: response.text() })));
