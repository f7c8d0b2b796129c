import { expect, test } from "bun:test";
import { OverlayStack } from "./overlay-stack.ts";
import type { Overlay } from "./part.ts";

function openStack() {
  const seen: string[] = [];
  const stack = new OverlayStack(() => void seen.push("uncovered"));
  const overlay = (title: string, more: Partial<Overlay> = {}): Overlay => ({
    ...{ title, place: "full", contexts: [], draw: () => ({ rows: [] }), act: () => false },
    closed: () => void seen.push(`closed ${title}`),
    ...more,
  });
  return { stack, seen, overlay };
}

test("[TUI-01 bar Keys] the action that opened a part brings it back to the top, then closes it", () => {
  const { stack, seen, overlay } = openStack();
  const [list, help] = [overlay("list"), overlay("help")];
  stack.toggle("session.open", () => stack.open(list));
  stack.toggle("app.help", () => stack.open(help));
  expect(stack.top).toBe(help);
  stack.toggle("session.open", () => expect.unreachable());
  expect([stack.top, seen]).toEqual([list, ["uncovered", "closed help"]]);
  stack.toggle("session.open", () => expect.unreachable());
  expect(stack.top).toBeUndefined();
  stack.toggle("session.open", () => stack.open(list));
  expect(stack.top).toBe(list);
});

test("[PERM-14] the whole-screen question hides none, and another session closes the parts about the one before", () => {
  const { stack, seen, overlay } = openStack();
  const help = overlay("help");
  stack.open(help);
  stack.open(overlay("question", { isQuestion: true, isOfSession: true }));
  stack.closeOfSession();
  expect([stack.top, seen]).toEqual([help, ["closed question"]]);
  stack.close(overlay("not open"));
  expect(seen).toEqual(["closed question"]);
});
