import { expect, test } from "bun:test";
import type { CallId, ClientId } from "../../base/ids.ts";
import { parseChoice, permissionText } from "./permission-answer.ts";

const REQUEST = {
  callId: "call_00000000000000000000000001" as CallId,
  tool: "Write",
  args: {},
  originator: "cli_00000000000000000000000001" as ClientId,
  summary: "Write:.git/config",
};

test("[PERM-03] where an answer counts for this call alone, only once and deny are offered and taken", () => {
  const request = { ...REQUEST, onceOnly: true };
  expect(permissionText(request)).toBe(
    "Permission needed: Write\n| Write:.git/config\n  1  allow once\n  2  deny",
  );
  const deny = { kind: "answer", decision: "deny", scope: "once" } as const;
  const once = { kind: "answer", decision: "allow", scope: "once" } as const;
  const unclear = { kind: "unclear" } as const;
  const all = ["1", "y", "2", "n", "3", "tool", "rule", "4"].map((text) => parseChoice(text, request));
  expect(all).toEqual([once, once, deny, deny, unclear, unclear, unclear, deny]);
  expect(parseChoice("3", REQUEST)).toEqual({ kind: "answer", decision: "allow", scope: "tool" });
});
