import { expect, test } from "bun:test";
import { testWorld } from "../../../test/support/world.ts";
import { exportName, isExportName } from "./export-name.ts";

test("[SES-10] the default name of an export is recognised, and no other name is", () => {
  const { ids } = testWorld();
  const session = ids.next("sess");
  expect([exportName(session, "jsonl"), exportName(session, "markdown")].map(isExportName)).toEqual([
    true,
    true,
  ]);
  const others = [`cinch-${session}.txt`, `x-${session}.md`, "cinch-notes.md", `cinch-${ids.next("log")}.md`];
  expect(others.filter(isExportName)).toEqual([]);
});
