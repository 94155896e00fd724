// Checks that every operation was sent once and accepted.
import { readFileSync } from "node:fs";

/** Takes the name, status and text of each reply, and prints a summary. */
export const accepted = (replies) => {
  const index = JSON.parse(readFileSync(`${process.env.BDC_OPENAPI}/schemas/index.json`, "utf8"));
  const left = new Set(Object.keys(index.operations));
  for (const { name, status, text } of replies) {
    const refused = text.startsWith("{") && JSON.parse(text).error === true;
    if (status !== 200 || refused) throw new Error(`${name} was replied to with ${status} ${text}`);
    // The upload of a file is not an operation.
    if (!left.delete(name) && name !== "upload") throw new Error(`${name} is not an operation, or was sent twice`);
  }
  if (left.size > 0) throw new Error(`not sent: ${[...left].join(", ")}`);
  console.log(`${replies.length} requests accepted`);
};
