// Validates every vector in the folder BDC_OPENAPI against its schema, with Ajv in strict mode.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

const folder = join(process.env.BDC_OPENAPI, "vectors");
const read = (path) => JSON.parse(readFileSync(join(folder, path), "utf8"));

const wrong = [];
const counts = {};
const index = read("index.json");

const listed = new Set(["index.json", ...index.map((entry) => entry.file)]);
for (const file of readdirSync(folder)) {
  if (!listed.has(file)) wrong.push(`vectors/${file}: is not in vectors/index.json`);
}

// Messages that strict mode would only log are errors too.
const options = (name) => {
  const complain = (...words) => wrong.push(`${name}: ${words.join(" ")}`);
  return { strict: true, allErrors: true, logger: { log: complain, warn: complain, error: complain } };
};
const ajv2020 = new Ajv2020(options("Ajv"));
const ajv07 = new Ajv(options("Ajv as draft-07"));
const validators = {
  "Ajv": (schema) => ajv2020.compile(schema),
  // It supports only its own dialect, so `$schema` is removed.
  "Ajv as draft-07": ({ $schema, ...schema }) => ajv07.compile(schema),
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
    const validate = compile(read(schema));
    for (const vector of vectors) {
      counts[name] = (counts[name] ?? 0) + 1;
      if (validate(vector.body) === vector.valid) continue;
      const got = vector.valid ? `invalid (${ajv07.errorsText(validate.errors)})` : "valid";
      wrong.push(`${name}: vectors/${file}: ${vector.why}: expected ${vector.valid ? "valid" : "invalid"}, got ${got}`);
    }
  }
}
if (Object.keys(counts).length === 0) wrong.push("vectors/index.json: lists no vectors");

if (wrong.length > 0) {
  console.error(wrong.join("\n"));
  process.exitCode = 1;
} else {
  console.log(Object.entries(counts).map(([name, count]) => `${name} ${count}`).join(", "));
}
