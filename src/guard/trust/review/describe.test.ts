import { expect, test } from "bun:test";
import { encode } from "../../../base/text/text.ts";
import type { TrustItem } from "../../../session/guard/trust.ts";
import { trustFile } from "../ledger/item.ts";
import { describeItem } from "./describe.ts";

function item(text: string): TrustItem {
  return {
    kind: "context-file",
    path: "/r/AGENTS.md",
    scope: "project",
    files: [trustFile("", encode(text), 0o644)],
  };
}

async function body(text: string): Promise<string> {
  const shown = await describeItem(item(text), { kind: "new" }, "AGENTS.md");
  return shown.split("\n\n").slice(1).join("\n\n");
}

test("[TOFU-01] a new file is shown whole, line by line, with what it is and does", async () => {
  expect(await describeItem(item("# A\n\nBe kind.\n"), { kind: "new" }, "AGENTS.md")).toBe(
    "AGENTS.md: context file that you have not acknowledged yet.\nIts text goes to the model with every request, marked as foreign.\n\n+# A\n+\n+Be kind.",
  );
});

test("[TOFU-01 S61 S62] nothing in it drives the terminal, hides, or is pushed out of sight", async () => {
  expect(await body("a\u001b[2Jb\rc\u202ed\u{e0041}")).toBe(
    "+a\\e[2Jb\\rc[hidden: U+202E]d[hidden: U+E0041]",
  );
  expect(await body(`a${"\n".repeat(500)}evil\n`)).toBe("+a\n[499 empty lines]\n+evil");
  expect(await body(`a${" ".repeat(300)}evil\n`)).toBe("+a [300 blanks] evil");
  expect(await body("x".repeat(3_000))).toEndWith(" [1,000 characters more]");
  const wide = await body(`${"x".repeat(1_000)}\n`.repeat(300));
  expect(wide.length).toBeLessThan(70_000);
  expect(wide).toEndWith("[235 lines more are not shown: open the file]");
  expect(await body("line\n".repeat(1_000))).toEndWith("\n[600 lines more are not shown: open the file]");
  const path = await describeItem(item("a"), { kind: "new" }, "x\n\u001b[2J/AGENTS.md");
  expect(path).toStartWith("x\\n\\e[2J/AGENTS.md: context file");
});

test("[TOFU-01 TOFU-03] a change is shown as a difference, with its class, and the whole where what it was is not kept", async () => {
  const before = { bytes: encode("one\ntwo\nthree\n"), executable: false };
  const after = { bytes: encode("one\n2\nthree\n"), executable: true };
  const changed = { kind: "changed", class: "executable", changes: [{ path: "", before, after }] } as const;
  const text = await describeItem(item("one\n2\nthree\n"), changed, "AGENTS.md");
  expect(text).toContain("that has changed since you acknowledged it (executable).");
  expect(text.split("\n\n")[1]).toBe("[it is executable now]\n@@ -1 +1 @@\n one\n-two\n+2\n three");
  const unknown = { ...changed, changes: [{ path: "run.sh", before: { executable: true }, after }] };
  expect((await describeItem(item("x"), unknown, "s")).split("\n\n")[1]).toBe(
    "== run.sh\n[what it was before is not kept; this is all of it]\n+one\n+2\n+three",
  );
  const gone = { ...changed, changes: [{ path: "run.sh", before }] };
  expect((await describeItem(item("x"), gone, "s")).split("\n\n")[1]).toBe("== run.sh\n[this file has gone]");
});
