import { expect, test } from "bun:test";
import { fakeServices, linesOf } from "../../../../../test/support/terminal-parts.ts";
import { openPolicy } from "./policy-panel.ts";

const rule = (text: string, source: "session" | "flag" | "user") => ({
  rule: text,
  effect: "allow",
  source,
  revocable: source === "session",
  promotable: source === "session",
});

test("[TUI-04 PERM-07] lists what was allowed, takes a rule back and keeps one with one key each", async () => {
  const services = fakeServices();
  services.found = {
    rules: [rule("Bash:ls *", "session"), rule("Read", "flag"), rule("Bash:own", "user")],
    more: false,
  };
  openPolicy(services);
  await services.clock.advance(1);
  const [panel] = services.overlays;
  const shown = linesOf(panel?.draw({ columns: 40, rows: 15 }).rows ?? []);
  expect(shown).toContain("> Bash:ls *");
  expect(shown).toContain("Read (--allow)");
  expect(shown).not.toContain("Bash:own");
  panel?.act("policy.promote");
  await services.clock.advance(1);
  panel?.act("policy.revoke");
  await services.clock.advance(1);
  panel?.act("list.down");
  panel?.act("policy.revoke");
  await services.clock.advance(1);
  expect(services.sent).toEqual([
    { kind: "PromoteRule", sessionId: "ses_1", rule: "Bash:ls *" },
    { kind: "RevokeRule", sessionId: "ses_1", rule: "Bash:ls *" },
  ] as never);
  expect(services.said.at(-1)).toContain("holds until the session ends");
  panel?.act("list.leave");
  expect(services.overlays).toEqual([]);
});
