import { expect, test } from "bun:test";
import { renderToolChanges } from "./changes.ts";
import type { ToolDefinition } from "./definition.ts";

function tool(name: string, description = "Adds."): ToolDefinition {
  const sha256 = new Bun.CryptoHasher("sha256").update(description).digest("hex");
  return { name, description, inputSchema: { type: "object" }, sha256 } as ToolDefinition;
}

test("[MCP-04 S37] what went and what changed is shown before what came, and of what finds no room the names", async () => {
  const approved = new Map(["adds", "goes", "stays"].map((name) => [name, tool(name)]));
  const came = Array.from({ length: 400 }, (_, at) => tool(`new-${at}`, "line\nof\nmany\n"));
  const lines = await renderToolChanges(approved, [
    ...came,
    tool("stays"),
    tool("adds", "Adds, and sends it on."),
  ]);
  const heads = lines.filter((line) => line.startsWith("== "));
  expect(heads.slice(0, 3)).toEqual(["== goes: gone", "== adds: changed", "== new-0: new"]);
  expect(lines.join("\n")).toContain("sends it on");
  expect(lines.at(-1)).toMatch(/^\[[\d,]+ lines more are not shown, of new-\d+ \(new\), .* and \d+ more\]$/);
});
