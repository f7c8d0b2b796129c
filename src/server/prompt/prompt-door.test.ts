import { expect, test } from "bun:test";
import { Duplex } from "node:stream";
import { until } from "../../../test/support/until.ts";
import { testWorld } from "../../../test/support/world.ts";
import type { Likeness } from "./frames.ts";
import { openPromptDoor, PROMPTS_MAX } from "./prompt-door.ts";

const LIKENESS: Likeness = { build: "b", place: "p", config: "c", keys: "k", passed: "v" };
const QUESTION = { likeness: LIKENESS, workingDir: "/" };

function openDoor() {
  const never = () => Promise.reject(new Error("no prompt gets that far"));
  const parts = { likeness: LIKENESS, openSession: never, attach: never, runsHere: async () => false };
  return openPromptDoor({ ...parts, world: testWorld() });
}

/** A client that says nothing after its question, and what it was answered. */
function silentClient() {
  const sent: string[] = [];
  const stream = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      sent.push(...chunk.toString().trim().split("\n"));
      done();
    },
  });
  const verdict = async () => {
    await until("the engine has answered", () => sent.length > 0);
    return JSON.parse(sent[0] ?? "");
  };
  return { stream, verdict };
}

test("[CTL-11 REL-01] an engine that ends takes no prompt: its client has its own engine", async () => {
  await using door = openDoor();
  door.stop();
  const late = silentClient();
  void door.serve(late.stream, QUESTION);
  expect(await late.verdict()).toEqual({ frame: "differs", why: "it is ending" });
  late.stream.destroy();
});

test("[CTL-11 REL-04] an engine carries out so many prompts at once and no more", async () => {
  await using door = openDoor();
  const clients = Array.from({ length: PROMPTS_MAX }, silentClient);
  for (const { stream } of clients) void door.serve(stream, QUESTION);
  for (const { verdict } of clients) expect(await verdict()).toEqual({ frame: "shares" });
  const more = silentClient();
  void door.serve(more.stream, QUESTION);
  const why = `it carries out ${PROMPTS_MAX} prompts already`;
  expect(await more.verdict()).toEqual({ frame: "differs", why });
  for (const { stream } of [...clients, more]) stream.destroy();
});
