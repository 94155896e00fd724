// Checks the types that json-schema-to-typescript generated, and lets the compiler check every vector against them.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const folder = join(process.env.BDC_OPENAPI, "schemas");
const read = (path) => JSON.parse(readFileSync(join(folder, path), "utf8"));

const wrong = [];
const index = read("index.json");
// The callbacks have a schema and vectors, like an operation.
const operations = [...Object.entries(index.operations), ["callback", index.callbacks]];
const records = [...Object.values(index.records), ...Object.values(index.callbacks.records)];
const files = [index.types, ...records, ...operations.map(([, entry]) => entry.schema)];
const schemas = new Map(files.map(read).map((schema) => [schema.title, schema]));

// One vector per line, so that the line of a diagnostic identifies the vector.
const vectors = operations.flatMap(([, { schema, vectors }]) => {
  const type = read(schema).title;
  return read(vectors).map((vector) => ({ type, ...vector }));
});
// JSON may contain U+2028 and U+2029, which the compiler considers line endings.
const escaped = (end) => `\\u${end.charCodeAt(0).toString(16)}`;
const literal = (body) => JSON.stringify(body).replace(/[\u2028\u2029]/g, escaped);
const lines = vectors.map(({ type, body }) => `((_: connector.${type}) => _)(${literal(body)});`);
writeFileSync("vectors.ts", `import type * as connector from "./connector.js";\n${lines.join("\n")}\n`);

// Like `tsc --strict --noEmit connector.ts vectors.ts`.
const program = ts.createProgram(["connector.ts", "vectors.ts"], {
  strict: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts"],
  module: ts.ModuleKind.NodeNext,
  types: [],
});
const checker = program.getTypeChecker();

const made = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile("connector.ts")));
const types = new Map(made.map((symbol) => [symbol.name, checker.getDeclaredTypeOfSymbol(symbol)]));
for (const name of schemas.keys()) if (!types.has(name)) wrong.push(`${name}: the type is missing`);
for (const [name, type] of types) {
  const schema = schemas.get(name);
  if (!schema) {
    wrong.push(`${name}: no schema has this title`);
    continue;
  }
  const shown = (field, optional) => (optional ? `${field}?` : field);
  const has = type.getProperties().map((field) => shown(field.name, field.flags & ts.SymbolFlags.Optional)).sort();
  const required = schema.required ?? [];
  const properties = Object.keys(schema.properties).map((field) => shown(field, !required.includes(field))).sort();
  if (has.join() !== properties.join()) wrong.push(`${name}: has the fields ${has.join()}, the schema has ${properties.join()}`);
}

const diagnostics = new Map();
for (const { file, start, messageText } of ts.getPreEmitDiagnostics(program)) {
  const message = ts.flattenDiagnosticMessageText(messageText, " ");
  if (file?.fileName === "vectors.ts") {
    diagnostics.set(vectors[file.getLineAndCharacterOfPosition(start).line - 1], message);
  } else {
    wrong.push(`${file?.fileName ?? "tsc"}: ${message}`);
  }
}
for (const vector of vectors) {
  const diagnostic = diagnostics.get(vector);
  // A schema that allows any JSON becomes the type of an object.
  if (vector.why.endsWith(" as `response`") && vector.valid && diagnostic !== undefined) continue;
  if (vector.valid !== (diagnostic === undefined)) {
    const expected = vector.valid ? "valid" : "invalid";
    const named = `${vector.type}: ${vector.operation}: ${vector.why}`;
    wrong.push(`${named}: expected ${expected}, got ${diagnostic ?? "no diagnostic"}`);
  }
}
if (vectors.length === 0) wrong.push("schemas/index.json: refers to no vectors");

if (wrong.length > 0) {
  console.error(wrong.join("\n"));
  process.exitCode = 1;
} else {
  const valid = vectors.filter((vector) => vector.valid).length;
  console.log(`${types.size} types, ${valid} valid vectors accepted, ${vectors.length - valid} invalid ones rejected`);
}
