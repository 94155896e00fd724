// The tool prints the result.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";

const openapi = process.env.BDC_OPENAPI;
const files = ["--openapi", `${openapi}/connector.json`, "--overlay", `${openapi}/overlay.yaml`];
writeFileSync("applied.yaml", execFileSync("node_modules/.bin/overlayjs", files, { maxBuffer: 1e8 }));
