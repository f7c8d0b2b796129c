import { expect, test } from "bun:test";
import { linesOf } from "../../../../test/support/terminal-parts.ts";
import { testWorld } from "../../../../test/support/world.ts";
import type { ClientId } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { NamedClient } from "../../../protocol/events/named-client.ts";
import type { CallItem, NoteItem, PromptItem } from "../../../view/transcript/items.ts";
import { noteOf } from "../../../view/transcript/notes.ts";
import { TERMINAL_LABEL } from "../options.ts";
import { isShown } from "./browse/blocks.ts";
import { callResultWords } from "./draw-call-words.ts";
import { isOwn } from "./draw-context.ts";
import { drawNote, drawPrompt } from "./draw-others.ts";

test("[TUI-10 TUI-09] after --resume the person's own prompts have no name; those of other clients, and of one beside this one, have", () => {
  const { ids } = testWorld();
  const [self, earlier, web, agent] = [ids.next("cli"), ids.next("cli"), ids.next("cli"), ids.next("cli")];
  const clients = new Map<ClientId, NamedClient>([
    [earlier, { label: TERMINAL_LABEL, identityClass: "human" }],
    [web, { label: "cinch web", identityClass: "human" }],
    [agent, { label: TERMINAL_LABEL, identityClass: "agent" }],
  ]);
  const context = {
    columns: 80,
    unfolded: new Set<number>(),
    clients,
    self,
    past: 9,
    nowMs: 0,
    lastLines: 5,
    diffLayout: "auto" as const,
  };
  const shown = (originator: ClientId, event: number) => {
    const prompt = { kind: "prompt", content: [{ type: "text", text: "go" }], originator, event };
    const note = { kind: "note", text: "cancelled", tone: "info", by: originator, event };
    return [
      linesOf(drawPrompt(prompt as unknown as PromptItem, context)),
      linesOf(drawNote(note as unknown as NoteItem, context)),
    ];
  };
  for (const own of [shown(self, 12), shown(earlier, 9)]) expect(own).toEqual(["▌ go", "cancelled"]);
  for (const [originator, event] of [
    [earlier, 10],
    [web, 9],
    [agent, 9],
  ] as const) {
    const [prompt, note] = shown(originator, event);
    expect(prompt).toMatch(/^▌ "cinch \w+" \(\w+, …/);
    expect(note).toContain('(by "cinch ');
  }
});

test("[TUI-05 bar Tool calls] the stand-in for no output is not counted", () => {
  const call = (output: string) => ({ state: "done", output, toolKind: "shell" }) as unknown as CallItem;
  expect(callResultWords(call("(no output)\n"))).toBe("");
  expect(callResultWords(call("one\ntwo\n"))).toBe("2 lines, 8 bytes");
});

test("[TUI-09 TUI-10] what this client did under the id from before a restart of the engine has no name either", () => {
  const { ids } = testWorld();
  const [self, before] = [ids.next("cli"), ids.next("cli")];
  const clients = new Map<ClientId, NamedClient>([
    [before, { label: TERMINAL_LABEL, identityClass: "human" }],
  ]);
  const isOwnWith = (selves: ReadonlySet<string>) => isOwn(before, 12, { clients, self, selves, past: 9 });
  expect([isOwnWith(new Set([before, self])), isOwnWith(new Set([self]))]).toEqual([true, false]);
});

test("[TUI-08 TUI-09] a change of the mode has a line only if somebody else has made it", () => {
  const { ids } = testWorld();
  const [self, other] = [ids.next("cli"), ids.next("cli")];
  const drawn = (event: Partial<Envelope>) => {
    const note = noteOf({ id: 3, ts: "2026-01-01T00:00:00.000Z", ...event } as Envelope);
    if (note === undefined) throw new TypeError("the event has no note");
    const facts = { clients: new Map(), self };
    const context = { columns: 80, unfolded: new Set<number>(), nowMs: 0, lastLines: 5, ...facts };
    const rows = linesOf(drawNote(note, { ...context, diffLayout: "auto" }));
    expect(isShown(note, facts)).toBe(rows !== "");
    return rows;
  };
  const level = (by: ClientId) => drawn({ kind: "LevelChanged", payload: { level: "ReadOnly", by } });
  const plan = (more: object) =>
    drawn({
      kind: "CustomEvent",
      payload: { namespace: "cinch", kind: "PlanMode", payload: { active: false, ...more } },
    });
  expect([level(self), plan({ by: self })]).toEqual(["", ""]);
  expect(level(other)).toMatch(/^level: ReadOnly \(by cli_/);
  expect(plan({ by: other })).toMatch(/^plan mode is off \(by cli_/);
  // The approval of a plan is no choice of a mode.
  for (const more of [{}, { by: "model" }, { by: self, plan: "one step" }])
    expect(plan(more)).toBe("plan mode is off");
});
