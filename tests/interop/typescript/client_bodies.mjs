// Writes the valid bodies of every operation to a file, so that the compiler checks them against the generated types.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const schemas = `${process.env.BDC_OPENAPI}/schemas`;
const read = (file) => JSON.parse(readFileSync(`${schemas}/${file}`, "utf8"));
const bodies = Object.entries(read("index.json").operations).map(([operation, { vectors }]) => [
  operation,
  read(vectors).filter(({ valid }) => valid).map(({ body }) => body),
]);
mkdirSync("generated_openapi_typescript", { recursive: true });
writeFileSync("generated_openapi_typescript/bodies.json", JSON.stringify(Object.fromEntries(bodies)));
