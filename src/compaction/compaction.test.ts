import { expect, test } from "bun:test";
import { fakeTool, ok, openRig } from "../../test/support/rig.ts";
import type { ScriptedAnswer } from "../../test/support/scripted-provider.ts";
import { calls, says } from "../../test/support/scripted-provider.ts";
import { checkValid } from "../../test/support/valid-history.ts";
import type { ModelRequest } from "../provider/provider.ts";
import type { CompactionParts } from "./compaction.ts";
import { compaction } from "./compaction.ts";

const WINDOW = 8_000;

function small(parts: Partial<CompactionParts> = {}) {
  const kept = new Map<string, string>();
  const layer = compaction({
    settings: { threshold: 0.8, keepTurns: 3 },
    windowOf: () => WINDOW,
    redact: (text) => text,
    async keep(name, text) {
      kept.set(name, text);
      return `/scratch/${name}`;
    },
    ...parts,
  });
  return { kept, layer };
}

/** A model that summarises where it is asked to, and else says what is written. */
function answering(summary: ScriptedAnswer, ...others: readonly ScriptedAnswer[]): ScriptedAnswer[] {
  let at = 0;
  const answer: ScriptedAnswer = (request, signal) =>
    isSummary(request) ? summary(request, signal) : (others[at++] ?? says("done"))(request, signal);
  return Array.from({ length: 200 }, () => answer);
}

function isSummary({ system }: ModelRequest): boolean {
  return system.some(({ name }) => name === "summary");
}

const textOf = (request: ModelRequest | undefined) => JSON.stringify(request?.messages);

test("[SES-13] old turns become a summary when the window fills, and what was asked stays word for word", async () => {
  const { layer } = small();
  const script = answering(says("Goal: the summary"));
  await using rig = await openRig({ script, requestMiddleware: [layer] });
  await rig.send("Always use tabs.\nRename the parser.");
  for (let turn = 0; turn < 12; turn++) await rig.send(`question ${turn} ${"word ".repeat(500)}`);
  const { payload } = await rig.until("CompactionTriggered");
  expect(payload).toMatchObject({ tier: 2, trigger: "threshold" });
  expect(payload.afterTokens).toBeLessThan(payload.beforeTokens / 2);
  const last = rig.provider.requests.at(-1);
  expect(textOf(last)).toContain("Goal: the summary");
  expect(textOf(last)).toContain("Always use tabs.");
  for (const { messages } of rig.provider.requests) expect(checkValid(messages)).toEqual([]);
});

test("[SES-13] long results before the recent window become references that can be read again", async () => {
  const { layer, kept } = small();
  const big = fakeTool("Grep", (input) => ok(`${JSON.stringify(input)} ${"match ".repeat(900)}`));
  const others = Array.from({ length: 8 }, (_, n) => [
    calls({ name: "Grep", input: { n } }),
    says("ok"),
  ]).flat();
  await using rig = await openRig({
    script: answering(says("a summary"), ...others),
    tools: [big],
    requestMiddleware: [layer],
  });
  for (let turn = 0; turn < 6; turn++) await rig.send(`look ${turn}`);
  const { payload } = await rig.until("CompactionTriggered");
  expect(payload).toMatchObject({ tier: 1, trigger: "threshold" });
  const last = textOf(rig.provider.requests.at(-1));
  const path = /\/scratch\/(call_\w+\.aside\.txt)/.exec(last)?.[1] ?? "";
  expect(kept.get(path)).toStartWith('{"n":0} match');
  expect(last).toContain("look 0");
  expect(last).not.toContain('{"n":0} match');
});
