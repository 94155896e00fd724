// Validates every vector in the folder BDC_OPENAPI against its schema, with each validator.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { different, validators, warnings } from "./validators.mjs";

const folder = join(process.env.BDC_OPENAPI, "vectors");
const read = (path) => JSON.parse(readFileSync(join(folder, path), "utf8"));

const wrong = [];
const counts = {};
const differences = {};
const index = read("index.json");

const listed = new Set(["index.json", ...index.map((entry) => entry.file)]);
for (const file of readdirSync(folder)) {
  if (!listed.has(file)) wrong.push(`vectors/${file}: is not in vectors/index.json`);
}

/** What a validator says about each of these bodies. */
const verdicts = async (compile, schema, bodies) => {
  const unexpected = (error) => `error (${error.message})`;
  let validate;
  try {
    validate = await compile(schema);
  } catch (error) {
    return bodies.map(() => unexpected(error));
  }
  return bodies.map((body) => {
    try {
      const { valid, errors } = validate(body);
      return valid ? "valid" : `invalid (${JSON.stringify(errors ?? [])})`;
    } catch (error) {
      return unexpected(error);
    }
  });
};

for (const { file, schema, valid, invalid } of index) {
  const vectors = read(file);
  const validOnes = vectors.filter((vector) => vector.valid).length;
  if (validOnes !== valid || vectors.length - validOnes !== invalid) {
    wrong.push(
      `vectors/${file}: has ${validOnes} valid and ${vectors.length - validOnes} invalid vectors, ` +
        `vectors/index.json says ${valid} and ${invalid}`,
    );
  }
  for (const [name, compile] of Object.entries(validators)) {
    const given = await verdicts(compile, read(schema), vectors.map((vector) => vector.body));
    for (const [position, got] of given.entries()) {
      counts[name] = (counts[name] ?? 0) + 1;
      const vector = vectors[position];
      const expected = vector.valid ? "valid" : "invalid";
      if (got.split(" ")[0] === expected) continue;
      if (different[name]?.test(got)) differences[name] = (differences[name] ?? 0) + 1;
      else wrong.push(`${name}: vectors/${file}: ${vector.why}: expected ${expected}, got ${got}`);
    }
  }
}
wrong.push(...warnings);
if (Object.keys(counts).length === 0) wrong.push("vectors/index.json: lists no vectors");
for (const name of Object.keys(different)) {
  if (!differences[name]) wrong.push(`${name}: no verdict differs any more`);
}

if (wrong.length > 0) {
  console.error(wrong.join("\n"));
  process.exitCode = 1;
} else {
  const agreed = (name) => (name in different ? `${counts[name] - differences[name]} of ` : "");
  console.log(Object.entries(counts).map(([name, count]) => `${name} ${agreed(name)}${count}`).join(", "));
}
