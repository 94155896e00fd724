// Reads the types that json-schema-to-typescript made, and has the compiler hold every vector against them.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const folder = join(process.env.BDC_OPENAPI, "schemas");
const read = (path) => JSON.parse(readFileSync(join(folder, path), "utf8"));

const wrong = [];
const index = read("index.json");
const operations = Object.entries(index.operations);
const files = [index.types, ...Object.values(index.records), ...operations.map(([, entry]) => entry.schema)];
const schemas = new Map(files.map(read).map((schema) => [schema.title, schema]));

// A vector a line, so that the line of a complaint tells the vector.
const vectors = operations.flatMap(([, { schema, vectors }]) => {
  const type = read(schema).title;
  return read(vectors).map((vector) => ({ type, ...vector }));
});
// JSON may have U+2028 and U+2029 as they are, which the compiler takes for ends of lines.
const escaped = (end) => `\\u${end.charCodeAt(0).toString(16)}`;
const literal = (body) => JSON.stringify(body).replace(/[\u2028\u2029]/g, escaped);
const lines = vectors.map(({ type, body }) => `((_: connector.${type}) => _)(${literal(body)});`);
writeFileSync("vectors.ts", `import type * as connector from "./connector.js";\n${lines.join("\n")}\n`);

// As `tsc --strict --noEmit connector.ts vectors.ts` would.
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
for (const name of schemas.keys()) if (!types.has(name)) wrong.push(`${name}: there is no such type`);
for (const [name, type] of types) {
  const schema = schemas.get(name);
  if (!schema) {
    wrong.push(`${name}: no schema has this title`);
    continue;
  }
  const said = (field, optional) => (optional ? `${field}?` : field);
  const has = type.getProperties().map((field) => said(field.name, field.flags & ts.SymbolFlags.Optional)).sort();
  const required = schema.required ?? [];
  const wants = Object.keys(schema.properties).map((field) => said(field, !required.includes(field))).sort();
  if (has.join() !== wants.join()) wrong.push(`${name}: has the fields ${has.join()}, the schema has ${wants.join()}`);
}

const complaints = new Map();
for (const { file, start, messageText } of ts.getPreEmitDiagnostics(program)) {
  const message = ts.flattenDiagnosticMessageText(messageText, " ");
  if (file?.fileName === "vectors.ts") {
    complaints.set(vectors[file.getLineAndCharacterOfPosition(start).line - 1], message);
  } else {
    wrong.push(`${file?.fileName ?? "tsc"}: ${message}`);
  }
}
for (const vector of vectors) {
  const complaint = complaints.get(vector);
  if (vector.valid !== (complaint === undefined)) {
    const expected = vector.valid ? "valid" : "invalid";
    const named = `${vector.type}: ${vector.operation}: ${vector.why}`;
    wrong.push(`${named}: expected ${expected}, got ${complaint ?? "no complaint"}`);
  }
}
if (vectors.length === 0) wrong.push("schemas/index.json: leads to no vectors");

if (wrong.length > 0) {
  console.error(wrong.join("\n"));
  process.exitCode = 1;
} else {
  const valid = vectors.filter((vector) => vector.valid).length;
  console.log(`${types.size} types, ${valid} valid vectors taken, ${vectors.length - valid} invalid ones refused`);
}
