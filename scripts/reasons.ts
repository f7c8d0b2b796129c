import { join, resolve } from "node:path";
import { isObject } from "../src/base/json.ts";

const ROOT = resolve(import.meta.dir, "..");
const NAME = /^[A-Z][A-Za-z0-9]*$/;

/** A reason, its text, and the file that declares it. */
export interface DeclaredReason {
  readonly reason: string;
  readonly text: string;
  readonly file: string;
  /** Answers to it, if its module declares any. */
  readonly refusal?: unknown;
}

/**
 * Reads every `errors.ts` below `src/` that exports `ERRORS`, and returns the reasons sorted by name.
 * @throws Error if a reason is declared twice, or a name or text is none.
 */
export async function declaredReasons(): Promise<readonly DeclaredReason[]> {
  const files = [...new Bun.Glob("src/**/errors.ts").scanSync(ROOT)].sort();
  const declared: DeclaredReason[] = [];
  for (const file of files) {
    const module: unknown = await import(join(ROOT, file));
    const { ERRORS: errors, REFUSALS: refusals = {} } = isObject(module) ? module : {};
    if (!isObject(errors)) continue; // another file of this name
    for (const [reason, text] of Object.entries(errors)) {
      const other = declared.find((each) => each.reason === reason);
      if (other !== undefined) throw new Error(`${reason} stands in ${other.file} and in ${file}: keep one`);
      if (!NAME.test(reason)) throw new Error(`${file}: "${reason}" is no name of a reason`);
      if (typeof text !== "string" || text === "") throw new Error(`${file}: ${reason} has no text`);
      const refusal = isObject(refusals) ? refusals[reason] : undefined;
      declared.push({ reason, text, file, ...(refusal === undefined ? {} : { refusal }) });
    }
  }
  return declared.sort((a, b) => (a.reason < b.reason ? -1 : 1));
}

/** Returns the source of `src/base/reason-texts.ts`. */
export function reasonTextsSource(declared: readonly DeclaredReason[]): string {
  return [
    "/**",
    " * Every error reason with its text ([A] § User-facing errors, BUS-03). Generated from the modules' `errors.ts` by",
    " * `npm run generate`; change it there.",
    " */",
    "// biome-ignore format: generated",
    "export const TEXTS = {",
    ...declared.map(({ reason, text }) => `  ${reason}: ${JSON.stringify(text)},`),
    "} as const;",
    "",
    "/** HTTP statuses and exit codes of refusals, as far as their modules declare them. */",
    "// biome-ignore format: generated",
    "export const REFUSALS = {",
    ...declared.flatMap(({ reason, refusal }) =>
      refusal === undefined ? [] : `  ${reason}: ${JSON.stringify(refusal)},`,
    ),
    "} as const;",
    "",
  ].join("\n");
}
