// Turns generated TypeScript into JavaScript.
import { readFileSync, writeFileSync } from "node:fs";
import ts from "typescript";

for (const name of process.argv.slice(2)) {
  const options = { compilerOptions: { module: "ESNext", target: "ES2022" } };
  const { outputText } = ts.transpileModule(readFileSync(`generated/${name}.ts`, "utf8"), options);
  writeFileSync(`generated/${name}.js`, outputText);
}
