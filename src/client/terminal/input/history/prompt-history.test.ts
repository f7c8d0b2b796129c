import { expect, test } from "bun:test";
import { fakeServices } from "../../../../../test/support/terminal-parts.ts";
import { promptItem, textItem } from "../../../../../test/support/transcript-window.ts";
import { HarnessError } from "../../../../base/errors.ts";
import type { TranscriptItem } from "../../../../view/transcript/items.ts";
import { PromptHistory } from "./prompt-history.ts";

const TURN = { turn: 1, first_event: 1, last_event: 2, started_at: "2025-01-01T00:00:00.000Z" };

function openHistory(items: readonly TranscriptItem[] = []) {
  const services = fakeServices();
  const show = (shown: readonly TranscriptItem[]) =>
    Object.assign(services.session, {
      transcript: { reached: 9, segments: [{ first: 1, last: 9, items: shown, weight: 0 }] },
    });
  show(items);
  const history = new PromptHistory(services, "/work");
  const texts = () => history.entries().map(({ text }) => text);
  return { services, history, show, texts };
}

test("[TUI-08] prompts of the session, commands and prompts of the folder, the newest first and each once", async () => {
  const { services, history, texts } = openHistory([promptItem(1, "first"), promptItem(3, "first")]);
  services.answers.ListSessions = {
    sessions: [
      { session: "ses_2", working_dir: "/work" },
      { session: "ses_3", working_dir: "/elsewhere" },
    ],
  };
  services.answers.ListTurns = {
    turns: [
      { ...TURN, prompt: "from the folder" },
      { ...TURN, prompt: "first" },
    ],
  };
  history.remember("/cost", "command");
  history.remember("  ", "command");
  await Promise.all([history.load(), history.load()]);
  expect(texts().toSorted()).toEqual(["/cost", "first", "from the folder"]);
  expect(texts().at(-1)).toBe("from the folder");
  expect(services.queries).toEqual(["ListSessions", "ListTurns"]);
});

test("[TUI-08] what changes no prompt leaves the merged entries as they are", () => {
  const prompt = promptItem(1, "first");
  const { history, show, texts } = openHistory([prompt]);
  const before = history.entries();
  show([prompt, textItem(2, "an answer that grows")]);
  expect(history.entries()).toBe(before);
  show([prompt, promptItem(4, "second")]);
  expect(texts()).toContain("second");
});

test("[TUI-08] a list that is refused is asked for again; a cut prompt is read whole", async () => {
  const { services, history } = openHistory();
  services.answers.ListSessions = new HarnessError("UsageInvalid", { problem: "no" });
  await history.load();
  await history.load();
  expect(services.queries).toEqual(["ListSessions", "ListSessions"]);
  services.answers.ListItems = { items: [{ kind: "prompt", event: 5 }] };
  const content = [{ type: "text", text: "the whole of it" }];
  services.answers.GetItem = { events: [{ kind: "TurnStarted", payload: { content } }] };
  const cut = { text: "the wh…", atMs: 0, from: "folder", cutIn: { turn: 1 } } as const;
  expect(await history.wholeOf(cut)).toBe("the whole of it");
  services.answers.GetItem = new HarnessError("UsageInvalid", { problem: "no" });
  expect(await history.wholeOf(cut)).toBeUndefined();
});
