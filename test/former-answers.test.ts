import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HarnessError } from "../src/base/errors.ts";
import { arrayAt, isObject, objectAt, stringAt } from "../src/base/json.ts";
import type { Command } from "../src/protocol/commands/commands.ts";
import type { Connection } from "../src/protocol/connection.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { says } from "./support/mock-provider/turn.ts";
import { connect, openPlace, turn } from "./support/place.ts";
import { ROOT } from "./support/source.ts";

/** A former verb and the answer of an engine of protocol 0.2.0. Ids, times and paths are masked. */
interface Recorded {
  /** The client that sends it, and the one whose session it is for. */
  readonly by: "person" | "agent";
  readonly of: "person" | "agent";
  readonly namespace: string;
  readonly verb: string;
  readonly args: readonly string[];
  readonly answer: Readonly<Record<string, unknown>>;
}

const RECORDED = JSON.parse(
  readFileSync(join(ROOT, "test/data/protocol/0.2.0/former-answers.json"), "utf8"),
) as readonly Recorded[];

/** A session that no store has. */
const UNKNOWN = "sess_00000000000000000000000009";

/** Words for people that have changed since, by decision: last lines of lists, refusals of unknown verbs. */
const REWORDED: readonly (readonly [was: string, is: string])[] = [
  ["/profiles:NAME goes on under one of them.", "/profiles:NAME continues under one of them."],
  ["/profiles:NAME goes on under one of them.", "/profiles:NAME switches to one of them."],
  ["there are: commands, health", "there is no such command; there are commands, health"],
  ["there is no skill command 'nope'; there is list", "there is no such command; there are list"],
];

/**
 * Slash commands that still work and are not listed any longer, by decision: there is no web client yet, and only tests
 * want that profile.
 */
const UNLISTED: readonly string[] = ["web", "profiles:conformance"];

test("[BUS-08] former verbs answer as an engine of protocol 0.2.0 did, to people and agents, with right and wrong words", async () => {
  await using place = openPlace(says("hello"));
  await using harness = await place.open({ wishes: { attended: true } });
  await turn(harness, "go");
  const person = await connect(harness);
  const agent = await harness.attach({ identityClass: "agent", label: "robot" });
  await agent.handshake(PROTOCOL_VERSION);
  const { session: own } = harness;
  let agents: string | undefined;
  const ids = new Map<string, string>();
  for (const { by, of, answer, ...call } of RECORDED) {
    if (of === "agent") agents ??= `${(await agent.send({ kind: "CreateSession" })).sessionId}`;
    const sessionId = of === "agent" ? `${agents}` : own;
    const names = new Map([...ids].map(([id, name]) => [name, id]));
    const args = call.args.map((arg) =>
      /^sess#\d+$/.test(arg) ? (names.get(arg) ?? (of === "agent" ? sessionId : UNKNOWN)) : arg,
    );
    const mask = { root: place.root, ids };
    masked(args, mask); // the recording names the ids of a call first
    const command = { ...call, kind: "CustomCommand", sessionId, payload: { args } } as unknown as Command;
    const now = masked(await answerOf(by === "agent" ? agent : person, command), mask);
    const what = [by, `${call.namespace}:${call.verb}`, call.args];
    expect([what, byName(now)]).toMatchObject([what, byName(reworded(answer, now))]);
  }
});

/** Returns an answer, or the refusal as clients get it. */
async function answerOf(client: Pick<Connection, "send">, command: Command): Promise<unknown> {
  try {
    return await client.send(command);
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    const { reason: refused, message, fields } = thrown;
    return { refused, message, fields };
  }
}

/** Replaces what differs between two runs. An id is named after its kind and the order in which it came. */
function masked(
  value: unknown,
  { root, ids }: { readonly root: string; readonly ids: Map<string, string> },
): unknown {
  const text = JSON.stringify(value)
    .replaceAll(root, "ROOT")
    .replaceAll(/\b(sess|log|cli|call|tok)_[0-9A-HJKMNP-TV-Z]{26}/g, (id, prefix) => {
      const name = ids.get(id) ?? `${prefix}#${ids.size + 1}`;
      ids.set(id, name);
      return name;
    })
    .replaceAll(`"pid":${process.pid}`, '"pid":1')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/sess_[0-9A-Z]{12}\b/g, "SESS12")
    .replaceAll(/…[^ "]*?\/repo/g, "…/repo")
    .replaceAll(/process \d+/g, "process PID")
    .replaceAll(/\d+\.\d KB/g, "SIZE");
  return JSON.parse(text);
}

/** Returns an answer with the slash commands in it by their names: their order says nothing, and there may be more. */
function byName(answer: unknown): Readonly<Record<string, unknown>> {
  const all = arrayAt(objectAt(answer, "result"), "slash_commands");
  if (all.length === 0) return answer as Readonly<Record<string, unknown>>;
  const commands = all.filter((each) => !UNLISTED.includes(stringAt(each, "name") ?? ""));
  return { commands: Object.fromEntries(commands.map((each) => [stringAt(each, "name"), each])) };
}

/** Returns the recorded answer with the words that have changed since, where they are the new ones now. */
function reworded(was: unknown, is: unknown): unknown {
  if (typeof was === "string" && typeof is === "string")
    return REWORDED.map(([before, after]) => was.replace(before, after)).find((each) => each === is) ?? was;
  if (Array.isArray(was))
    return was.map((each, at) => reworded(each, Array.isArray(is) ? is[at] : undefined));
  if (!isObject(was)) return was;
  return Object.fromEntries(
    Object.entries(was).map(([key, each]) => [key, reworded(each, isObject(is) ? is[key] : undefined)]),
  );
}
