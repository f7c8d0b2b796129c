import { expect, test } from "bun:test";
import { Duplex } from "node:stream";
import { until } from "../../../test/support/until.ts";
import { testWorld } from "../../../test/support/world.ts";
import type { Likeness } from "./frames.ts";
import { READING_LINE } from "./frames.ts";
import { CLIENTS_CLOSE_MS_MAX, openPromptDoor, PROMPTS_MAX, REQUEST_MS_MAX } from "./prompt-door.ts";

const LIKENESS: Likeness = { build: "b", place: { p: "p" }, config: "c", keys: "k", passed: "v" };
const QUESTION = { likeness: LIKENESS, pid: 7, workingDir: "/" };

function openDoor(world = testWorld()) {
  const never = () => Promise.reject(new Error("no prompt gets that far"));
  const parts = { likeness: LIKENESS, openSession: never, attach: never, runsHere: async () => false };
  return openPromptDoor({ ...parts, world });
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
  return { stream, verdict, sent };
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

test("[REL-04 CTL-11] a client that sends no request in time is cut off, and its place is free; one that still reads is not", async () => {
  const world = testWorld();
  await using door = openDoor(world);
  const { stream, verdict, sent } = silentClient();
  const served = door.serve(stream, QUESTION);
  expect(await verdict()).toEqual({ frame: "shares" });
  await world.clock.advance(REQUEST_MS_MAX - 1);
  stream.push(`${READING_LINE}\n`);
  await until("the engine has read the line", () => stream.readableLength === 0);
  await Promise.resolve();
  await world.clock.advance(REQUEST_MS_MAX - 1);
  expect(sent).toHaveLength(1);
  await world.clock.advance(1);
  await until("the client was told", () => sent.length === 2);
  expect(JSON.parse(sent[1] ?? "")).toMatchObject({ frame: "failed", body: { reason: "InvalidCommand" } });
  expect(door.open).toBe(1);
  await world.clock.advance(CLIENTS_CLOSE_MS_MAX);
  await served;
  expect(door.open).toBe(0);
});

test("[REL-04 CTL-11] a client that is stopped after its last frame is cut off, and its place is free", async () => {
  const world = testWorld();
  await using door = openDoor(world);
  const differing = silentClient();
  const refused = silentClient();
  const served = [
    door.serve(differing.stream, { ...QUESTION, likeness: { ...LIKENESS, build: "another" } }),
    door.serve(refused.stream, QUESTION),
  ];
  expect(await differing.verdict()).toMatchObject({ frame: "differs" });
  refused.stream.push("no request\n");
  await until("the client was told", () => refused.sent.length === 2);
  expect(JSON.parse(refused.sent[1] ?? "")).toMatchObject({ frame: "failed" });
  expect(door.open).toBe(2);
  await world.clock.advance(CLIENTS_CLOSE_MS_MAX);
  await Promise.all(served);
  expect(door.open).toBe(0);
});
