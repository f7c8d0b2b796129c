import { expect, test } from "bun:test";
import { linesOf } from "../../../../test/support/terminal-parts.ts";
import { KeyTable } from "../keys/key-table.ts";
import type { Header } from "./header.ts";
import { drawHeader } from "./header.ts";

const NEW: Header = {
  version: "1.0.0",
  workingDir: "~/work",
  isChoosing: true,
  keys: new KeyTable(),
  nowMs: Date.parse("2026-01-01T01:00:00.000Z"),
};

test("[TUI-01 bar First screen] the header offers the list of sessions only where the folder has one", () => {
  expect(linesOf(drawHeader(NEW, 100))).toBe("cinch 1.0.0 · ~/work\ntype to begin · ? shows the keys");
  const last = { title: "net", updated_at: "2026-01-01T00:00:00.000Z" } as never;
  expect(linesOf(drawHeader({ ...NEW, last }, 120))).toContain('alt+c continues "net"');
  expect(linesOf(drawHeader({ ...NEW, last }, 120))).toContain("alt+r lists sessions");
});
