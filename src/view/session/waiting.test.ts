import { expect, test } from "bun:test";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { waitingAfter } from "./waiting.ts";

function queued(id: string, who?: "human" | "agent", more: object = {}): Envelope {
  const content = [{ type: "text", text: id }];
  const named = who === undefined ? {} : { who: { label: "rig", identityClass: who } };
  const payload = { inputId: id, content, delivery: "queue", originator: "cli_1", ...named, ...more };
  return { kind: "InputQueued", payload } as unknown as Envelope;
}

function listed(inputIds: readonly string[], held: readonly string[]): Envelope {
  const payload = { namespace: "cinch", kind: "InputsWaiting", payload: { inputIds, held } };
  return { kind: "CustomEvent", payload } as unknown as Envelope;
}

const shown = (events: readonly Envelope[]) =>
  events.reduce(waitingAfter, []).map(({ inputId, held }) => `${inputId}${held ? " held" : ""}`);

test("[ENG-26] an input stands before held ones, and one of a person releases them, as in the engine", () => {
  const held = [queued("a", "human"), queued("b", "human"), listed(["a", "b"], ["a", "b"])];
  expect(shown(held)).toEqual(["a held", "b held"]);
  expect(shown([...held, queued("c", "agent")])).toEqual(["c", "a held", "b held"]);
  expect(shown([...held, queued("c", "human")])).toEqual(["c", "a", "b"]);
});

test("[ENG-26] a waiting input keeps the skill and the sub-agent that it asked for", () => {
  const [input] = waitingAfter([], queued("a", "human", { skill: "review", agent: "explore" }));
  expect(input).toMatchObject({ skill: "review", agent: "explore" });
  const [plain] = waitingAfter([], queued("a"));
  expect(Object.keys(plain ?? {})).not.toContain("skill");
});
