import { join } from "node:path";
import type { Part } from "./mock-provider/turn.ts";
import { ROOT } from "./source.ts";

/**
 * A job of several rounds in a package as it is published: the sources of zod, of some 330 files, with one bug put in.
 *
 * The package's own test fails, the model finds the cause, mends it, gives the function a better name in the three
 * files that know it, and the test passes. What the model says is scripted; every file, search and command is real.
 */
export const PACKAGE = join(ROOT, "node_modules/zod");

export const UTIL = "src/v4/core/util.ts";
export const CHECKS = "src/v4/core/checks.ts";
export const COMPILE = "src/v4/core/compile.ts";
export const TOLERANCE = "const tolerance = 4 * Number.EPSILON * Math.max(Math.abs(ratio), 1);";
export const TOO_STRICT = "const tolerance = Number.EPSILON * Math.max(Math.abs(ratio), 1);";
export const TEST =
  "bun --no-install --conditions=@zod/source test src/v4/classic/tests/number.test.ts -t multipleOf";

const todos = (...states: readonly string[]): Part => ({
  tool: "TodoWrite",
  input: {
    todos: ["See the test fail", "Mend it", "Rename the function"].map((content, at) => ({
      content,
      status: states[at],
    })),
  },
});
const bash = (command: string): Part => ({ tool: "Bash", input: { command } });
const read = (file_path: string, offset: number, limit: number): Part => ({
  tool: "Read",
  input: { file_path, offset, limit },
});
const rename = (old_string: string, replace_all: boolean) => ({
  old_string,
  new_string: old_string.replace("floatSafeRemainder", "decimalRemainder"),
  replace_all,
});

/** The model's rounds; a round may hold several calls. */
export const ROUNDS: readonly (readonly Part[])[] = [
  [{ thinking: "First the test." }, { text: "I look." }, todos("in_progress", "pending", "pending")],
  [{ tool: "Glob", input: { pattern: "src/v4/classic/tests/number*.test.ts" } }, bash(TEST)],
  [{ tool: "Grep", input: { pattern: "floatSafeRemainder", path: "src/v4", mode: "content" } }],
  [read(UTIL, 320, 8), read(UTIL, 328, 8), read(CHECKS, 166, 10), read(COMPILE, 546, 6)],
  [
    { text: "The tolerance is too strict." },
    {
      tool: "MultiEdit",
      input: {
        file_path: UTIL,
        edits: [
          { old_string: TOO_STRICT, new_string: TOLERANCE },
          rename("export function floatSafeRemainder(", false),
        ],
      },
    },
    todos("completed", "completed", "in_progress"),
  ],
  [
    { tool: "Edit", input: { file_path: CHECKS, ...rename("util.floatSafeRemainder(", false) } },
    { tool: "Edit", input: { file_path: COMPILE, ...rename("util.floatSafeRemainder", true) } },
  ],
  [bash(TEST), { tool: "Grep", input: { pattern: "floatSafeRemainder", path: "src/v4" } }],
  [todos("completed", "completed", "completed")],
];
export const ANSWER = "Exact decimal multiples are accepted again; the function is now decimalRemainder.";
export const DIFF = `\
--- ${CHECKS}
-          : util.floatSafeRemainder(payload.value, def.value as number) === 0;
+          : util.decimalRemainder(payload.value, def.value as number) === 0;
--- ${COMPILE}
-    // (\`1.5 % 0.1\`, \`2.5e-7 % 1e-7\`). Defer to util.floatSafeRemainder so the
+    // (\`1.5 % 0.1\`, \`2.5e-7 % 1e-7\`). Defer to util.decimalRemainder so the
-    const remainder = addConstant(ctx, util.floatSafeRemainder);
+    const remainder = addConstant(ctx, util.decimalRemainder);
--- ${UTIL}
-export function floatSafeRemainder(val: number, step: number): number {
+export function decimalRemainder(val: number, step: number): number {
-  ${TOO_STRICT}
+  ${TOLERANCE}
`;
