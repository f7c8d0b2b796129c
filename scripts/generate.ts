import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { publishedFiles } from "./schemas.ts";

/** `npm run generate`: writes what is made from the schemas. A test compares it, so a change is a decision. */
const ROOT = resolve(import.meta.dir, "..");

for (const [path, text] of publishedFiles()) {
  const file = join(ROOT, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(path);
}
