import { expect, test } from "bun:test";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { memoriesAfter, NO_MEMORIES } from "../session/memories.ts";
import { memoriesText } from "./memories-text.ts";

const event = (kind: string, payload: unknown) => ({ id: 1, kind, payload }) as unknown as Envelope;

test("[CTX-02 TUI-07] /memory lists the memories that a session was given, wrote and removed, and they cannot drive the terminal", () => {
  let memories = NO_MEMORIES;
  const add = (envelope: Envelope) => {
    memories = memoriesAfter(memories, envelope);
  };
  expect(memoriesText(memories).split("\n")[0]).toBe(
    "No memory was given to the model, written or removed in this session.",
  );
  const note = { name: "note", type: "user", description: "d" };
  add(event("MemoryWritten", note));
  add(event("MemoryWritten", { ...note, removed: true }));
  const given = { turn: 1, names: ["note", "\u001b[2Jevil", 7] };
  add(event("CustomEvent", { namespace: "cinch", kind: "MemoriesGiven", payload: given }));
  add(event("CustomEvent", { namespace: "plugin", kind: "MemoriesGiven", payload: { names: ["not"] } }));
  add(event("CustomEvent", { namespace: "cinch", kind: "MemoriesGiven", payload: null }));
  const [heading, first, second, ...rest] = memoriesText(memories).split("\n");
  expect([heading, first]).toEqual([
    "Memories in this session:",
    "  note: written, removed, given to the model",
  ]);
  expect(second).toEndWith("evil: given to the model");
  expect(second).not.toContain("\u001b");
  expect(rest).toEqual(["cinch memory list shows all of them, with where their files are."]);
});
