import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { declaredReasons, reasonTextsSource } from "./reasons.ts";

/** `npm run generate`: writes what is made from the schemas. A test compares it, so a change is a decision. */
const ROOT = resolve(import.meta.dir, "..");

// First, since what follows is made of it: in a process of its own it is read as it is now.
const reasons = reasonTextsSource(await declaredReasons());
writeFileSync(join(ROOT, "src/base/reason-texts.ts"), reasons);
const { publishedFiles } = await import("./schemas.ts");

for (const [path, text] of publishedFiles()) {
  const file = join(ROOT, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(path);
}
