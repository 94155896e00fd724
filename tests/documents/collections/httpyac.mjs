import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { accepted } from "./accepted.mjs";

const file = readFileSync(`${process.env.BDC_OPENAPI}/requests.http`, "utf8");
// What a user changes, too.
writeFileSync("requests.http", file.replace(/^@baseUrl = .*$/m, `@baseUrl = ${process.env.BDC_SANDBOX}`));
const output = execFileSync("node_modules/.bin/httpyac", ["send", "requests.http", "--all", "--json"], {
  encoding: "utf8",
  maxBuffer: 1e8,
});
const { requests } = JSON.parse(output);
accepted(requests.map(({ name, response }) => ({ name, status: response?.statusCode, text: response?.body ?? "" })));
