import { expect, test } from "bun:test";
import { allowsEdits, hasAllowed, MODES, modeAfter, modeText, sessionModeOf } from "./session-mode.ts";

const rules = (...texts: readonly string[]) => ({
  rules: texts.map((rule) => ({
    rule,
    effect: "allow" as const,
    source: "preset" as const,
    revocable: false,
    promotable: false,
  })),
  more: false,
});

test("[TUI-08 PERM-03] a mode is a state of the engine: plan mode, a level, and whether a rule allows edits", () => {
  expect(sessionModeOf({ planMode: true, level: "DangerFullAccess" })).toBe("plan");
  expect(sessionModeOf({ planMode: false })).toBeUndefined();
  expect(sessionModeOf({ planMode: false, level: "ReadOnly", allowsEdits: true })).toBe("ask");
  expect(sessionModeOf({ planMode: false, level: "WorkspaceWrite", allowsEdits: true })).toBe("accept edits");
  expect(sessionModeOf({ planMode: false, level: "WorkspaceWrite", allowsEdits: false })).toBe("ask");
  expect(sessionModeOf({ planMode: false, level: "DangerFullAccess" })).toBe("full access");
});

test("[TUI-08] the modes follow each other in a circle, which other states enter at its beginning", () => {
  expect(MODES.map(modeAfter)).toEqual(["accept edits", "plan", "ask"]);
  expect(modeAfter("full access")).toBe("ask");
  expect(modeAfter(undefined)).toBe("ask");
});

test("[TUI-08 PERM-03] only a rule for every file allows edits, and the sentence says if there is none", () => {
  expect(allowsEdits(rules("Bash:ls *", "Edit:**"))).toBe(true);
  expect(allowsEdits(rules("Edit"))).toBe(true);
  expect(allowsEdits(rules("Edit:src/**"))).toBe(false);
  expect(allowsEdits({ ...rules(), more: true })).toBeUndefined();
  expect(modeText("accept edits", { allowsEdits: false })).toContain("still asked about");
  expect(modeText("accept edits", {})).toContain("WorkspaceWrite");
});

test("[TUI-08 PERM-07] the sentence of ask mode names what a person has allowed for the session", () => {
  const listed = rules("Write");
  expect(hasAllowed(listed)).toBe(false);
  const own = { ...listed, rules: listed.rules.map((each) => ({ ...each, source: "session" as const })) };
  expect(modeText("ask", { isAllowed: hasAllowed(own) })).toContain(
    "what you allowed for this session still runs",
  );
  expect(modeText("ask", {})).toContain("every change");
});
