import { expect, test } from "bun:test";
import type { SessionInfo } from "../../protocol/resources.ts";
import { sessionCost, sessionStates, sessionTitle } from "./session-facts.ts";

const PAUSED = { title: "t", status: "paused", pinned: false } as SessionInfo;

test("[SES-06 TUI-06] a session names what is unusual about it, and its expiry in the week before", () => {
  expect(sessionStates(PAUSED)).toEqual([]);
  expect(sessionStates({ ...PAUSED, expires_in_days: 8 })).toEqual([]);
  expect(sessionStates({ ...PAUSED, expires_in_days: 7 })).toEqual(["expires in 7 days"]);
  expect(sessionStates({ ...PAUSED, expires_in_days: 0, pinned: true, archived: true })).toEqual([
    "expires today",
    "pinned",
    "archived",
  ]);
  expect(sessionStates({ ...PAUSED, state: "waiting", unread: 2 })).toEqual([
    "waits for an answer",
    "2 unread",
  ]);
  expect(sessionStates({ ...PAUSED, status: "interrupted" })).toEqual(["broke off in a turn"]);
  expect([sessionTitle({ title: "" }), sessionTitle({ title: "a\u001b[2Jb" })]).toEqual([
    "(nothing said yet)",
    "ab",
  ]);
  expect([sessionCost({}), sessionCost({ cost_usd: null }), sessionCost({ cost_usd: 0.25 })]).toEqual([
    "",
    "?",
    "$0.2500",
  ]);
});
