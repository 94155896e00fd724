import { readFileSync } from "node:fs";

/** The folder of the schemas: paths in the index are relative to it. */
const schemas = new URL("schemas/", import.meta.url);
const read = (path) => JSON.parse(readFileSync(new URL(path, schemas), "utf8"));

export const folder = new URL("./", import.meta.url);

export const index = () => read("index.json");

export const schema = (operation) => read(entry(operation).schema);

export const vectors = (operation) => read(entry(operation).vectors);

function entry(operation) {
  const { operations, callbacks } = index();
  const entries = { ...operations, callback: callbacks };
  if (!Object.hasOwn(entries, operation)) {
    throw new RangeError(`there is no operation ${operation}; there are ${Object.keys(entries).join(", ")}`);
  }
  return entries[operation];
}
