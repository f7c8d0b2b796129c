import { expect, test } from "bun:test";
import { settle } from "../../../../../test/support/fake-clock.ts";
import { fakeServices, linesOf } from "../../../../../test/support/terminal-parts.ts";
import { QUIET_MS } from "../../../../view/terminal/answer-guard.ts";
import type { Overlay } from "../../layout/part.ts";
import { typeSecret } from "../../panels/secret-panel.ts";
import { SlashAnswer } from "./answer.ts";
import { askConfirm } from "./confirm-panel.ts";

const SIZE = { columns: 40, rows: 10 };
const LONG = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join("\n");

function only(overlays: readonly Overlay[]): Overlay {
  const [overlay] = overlays;
  if (overlay === undefined) throw new Error("nothing is open");
  return overlay;
}

test("[CMD-01 complaint 17] a key that was meant for the draft answers no question of a command", async () => {
  const services = fakeServices();
  const answer = askConfirm("Import the last turn?", services);
  const panel = only(services.overlays);
  expect(services.keys.find("y", panel.contexts)).toBeUndefined();
  panel.type?.("y");
  panel.act("list.choose");
  expect([services.inserted, services.overlays.length]).toEqual([["y"], 1]);
  await services.clock.advance(QUIET_MS * 2);
  const action = services.keys.find("n", panel.contexts);
  if (action !== undefined) panel.act(action);
  expect(await answer).toBe(false);
  expect(services.overlays).toEqual([]);
});

test("[CMD-01] a question of a command that is closed has no answer", async () => {
  const services = fakeServices();
  const answer = askConfirm("Import the last turn?", services);
  only(services.overlays).act("list.leave");
  expect(await answer).toBeUndefined();
});

test("[CMD-01] a secret is shown as dots, and goes nowhere else", async () => {
  const services = fakeServices();
  const answer = typeSecret("Key of mock (not shown): ", services);
  const panel = only(services.overlays);
  panel.type?.("ab");
  panel.paste?.("c\n");
  panel.type?.("x");
  panel.act("list.deleteBack");
  const { rows, cursor } = panel.draw(SIZE);
  expect(linesOf(rows).split("\n").slice(0, 2)).toEqual(["Key of mock (not shown):", "> •••  3 characters"]);
  expect(cursor).toEqual({ row: 1, column: 5 });
  panel.act("list.choose");
  expect(await answer).toBe("abc");
  expect([services.inserted, services.said]).toEqual([[], []]);
});

test("[CMD-01] a short answer becomes a note with its command once, a long one a panel that scrolls", () => {
  const services = fakeServices();
  const answer = new SlashAnswer(services, "/x");
  answer.say("one");
  answer.say("two");
  expect(services.notes.map(({ title, text }) => [title, text])).toEqual([
    ["/x", "one"],
    [undefined, "two"],
  ]);
  answer.say(LONG);
  const panel = only(services.overlays);
  expect(linesOf(panel.draw(SIZE).rows)).toContain("rows 1-9 of 30");
  panel.act("list.pageDown");
  expect(linesOf(panel.draw(SIZE).rows)).toStartWith("line 9\n");
  panel.act("transcript.end");
  expect(linesOf(panel.draw(SIZE).rows)).toContain("line 30");
  panel.type?.("h");
  expect([services.inserted, services.overlays]).toEqual([["h"], []]);
});

test("[CMD-01] a long answer opens no panel over somebody who types", async () => {
  const services = fakeServices();
  const typing = { ...services, draft: { ...services.draft, text: "typing" } };
  new SlashAnswer(typing, "/x").say(LONG);
  await settle();
  expect([services.overlays.length, services.notes.length]).toEqual([0, 1]);
});
