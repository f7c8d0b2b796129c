import { expect, test } from "bun:test";
import { fakeId } from "../../../../test/support/fake-connection.ts";
import type { Rig, RigOptions } from "../../../../test/support/rig.ts";
import { fakeTool, ok, openRig } from "../../../../test/support/rig.ts";
import { calls, says } from "../../../../test/support/scripted-provider.ts";
import type { AttachmentId, InputId } from "../../../base/ids.ts";
import {
  ATTACHMENTS_PER_INPUT_BYTES_MAX,
  ATTACHMENTS_PER_INPUT_MAX,
  INPUT_BLOCKS_MAX,
} from "../../../protocol/commands/run-limits.ts";
import type { Connection } from "../../../protocol/connection.ts";
import type { InputBlock, SentBlock } from "../../../protocol/content.ts";
import { readCommand } from "../../../protocol/read.ts";
import { NEW_SESSION, sessionAfter } from "../../../view/session/session-view.ts";
import type { Attachments } from "../../moments.ts";
import { memorySessionStore } from "../../store/memory-store.ts";
import { INPUTS_WAITING_CHARS_MAX } from "./input-queue.ts";

const textBlock = (text: string): InputBlock => ({ type: "text", text });
const textOf = ([block]: readonly InputBlock[]) => (block?.type === "text" ? block.text : "");

async function queued(
  rig: Rig,
  text: string,
  options: { readonly delivery?: "queue" | "steer"; readonly from?: Connection } = {},
): Promise<InputId> {
  const { delivery = "queue", from = rig.connection } = options;
  const content = [textBlock(text)];
  const { inputId } = await from.send({
    kind: "SendInput",
    sessionId: rig.session.id,
    content,
    delivery,
  });
  if (inputId === undefined) throw new Error("it began at once");
  return inputId;
}

async function edit(rig: Rig, inputId: InputId, text: string, from = rig.connection): Promise<void> {
  const content = [textBlock(text)];
  await from.send({ kind: "EditInput", sessionId: rig.session.id, inputId, content });
}

async function move(rig: Rig, inputId: InputId, before?: InputId, from = rig.connection): Promise<void> {
  const place = before === undefined ? {} : { before };
  await from.send({ kind: "MoveInput", sessionId: rig.session.id, inputId, ...place });
}

/** A session in which a turn runs until `open`. */
async function waitingRig(options: Partial<RigOptions> = {}) {
  const started = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const wait = fakeTool("Wait", async (_input, { signal }) => {
    started.resolve();
    await Promise.race([
      open.promise,
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    ]);
    return ok("waited");
  });
  const script = [calls({ name: "Wait" }), ...["first", "second", "third", "fourth"].map(says)];
  const rig = await openRig({ script, tools: [wait], ...options });
  await rig.connection.send({ kind: "SendInput", sessionId: rig.session.id, content: [textBlock("one")] });
  await started.promise;
  return { rig, open: () => open.resolve() };
}

const begun = (rig: Rig) =>
  rig.events.flatMap((event) => (event.kind === "TurnStarted" ? [textOf(event.payload.content ?? [])] : []));
const shown = (rig: Rig) =>
  rig.events.reduce(sessionAfter, NEW_SESSION).waiting.map(({ content }) => textOf(content));

test("[ENG-26 CTL-19] a waiting input is edited in its place, moved, and runs as it then is", async () => {
  const { rig: opened, open } = await waitingRig();
  await using rig = opened;
  const two = await queued(rig, "two");
  const three = await queued(rig, "three");
  const four = await queued(rig, "four");
  await edit(rig, two, "two, better");
  await move(rig, four, three);
  await move(rig, two);
  await rig.until("InputMoved", 2);
  expect(shown(rig)).toEqual(["four", "three", "two, better"]);
  const by = rig.connection.clientId;
  const who = { label: "rig", identityClass: "human" } as const;
  const edited = rig.events.find(({ kind }) => kind === "InputEdited");
  expect(edited?.payload).toEqual({ inputId: two, content: [textBlock("two, better")], by, who });
  const moved = rig.events.flatMap((event) => (event.kind === "InputMoved" ? [event.payload] : []));
  expect(moved).toEqual([
    { inputId: four, before: three, by, who },
    { inputId: two, by, who },
  ]);
  open();
  await rig.until("TurnEnded", 4);
  expect(begun(rig)).toEqual(["one", "four", "three", "two, better"]);
  const asked = rig.provider.requests.map(({ messages }) => JSON.stringify(messages.at(-1)?.content));
  expect(asked.at(-1)).toBe(JSON.stringify([textBlock("two, better")]));
  expect(shown(rig)).toEqual([]);
});

test("[ENG-26 CTL-19] an edit or a move while the input is examined counts: it is examined again, or another one is first", async () => {
  const examined: string[] = [];
  const looking = { two: Promise.withResolvers<void>(), better: Promise.withResolvers<void>() };
  const go = { two: Promise.withResolvers<void>(), better: Promise.withResolvers<void>() };
  const { rig: opened, open } = await waitingRig({
    onInput: async (content) => {
      const text = textOf(content);
      examined.push(text);
      if (text !== "two" && text !== "better") return [];
      looking[text].resolve();
      await go[text].promise;
      return [];
    },
  });
  await using rig = opened;
  const two = await queued(rig, "two");
  const three = await queued(rig, "three");
  open();
  await looking.two.promise;
  await edit(rig, two, "better");
  go.two.resolve();
  await looking.better.promise;
  await move(rig, three, two);
  go.better.resolve();
  await rig.until("TurnEnded", 3);
  expect(begun(rig)).toEqual(["one", "three", "better"]);
  expect(examined).toEqual(["one", "two", "better", "three", "better"]);
  expect(rig.events.flatMap((event) => (event.kind === "TurnStarted" ? [event.payload.turn] : []))).toEqual([
    1, 2, 3,
  ]);
});

test("[ENG-26 CTL-19] a steered input that is edited while it is examined enters its turn as it then is", async () => {
  const looking = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const { rig: opened, open } = await waitingRig({
    onInput: async (content) => {
      if (textOf(content) !== "left") return [];
      looking.resolve();
      await go.promise;
      return [];
    },
  });
  await using rig = opened;
  const left = await queued(rig, "left", { delivery: "steer" });
  open();
  await looking.promise;
  await edit(rig, left, "right");
  go.resolve();
  await rig.until("TurnEnded");
  const request = JSON.stringify(rig.provider.requests[1]?.messages.at(-1)?.content);
  expect([request.includes("right"), request.includes("left")]).toEqual([true, false]);
});

test("[ENG-26 CTL-19] what has begun, was withdrawn or never waited is neither edited nor moved, and the refusal says so", async () => {
  const { rig: opened, open } = await waitingRig();
  await using rig = opened;
  const [two, three] = [await queued(rig, "two"), await queued(rig, "three")];
  await rig.connection.send({ kind: "WithdrawInput", sessionId: rig.session.id, inputId: three });
  await expect(edit(rig, three, "x")).rejects.toThrow(`no input waits as ${three}: it has begun`);
  await expect(move(rig, two, three)).rejects.toThrow(`no input waits as ${three}`);
  await expect(move(rig, two, two)).rejects.toThrow("cannot stand before itself");
  open();
  await rig.until("TurnEnded", 2);
  await expect(edit(rig, two, "too late")).rejects.toThrow(`no input waits as ${two}: it has begun`);
  await expect(move(rig, two)).rejects.toMatchObject({ reason: "InvalidCommand" });
  const sessionId = rig.session.id;
  for (const fields of [
    { inputId: two, content: [] },
    { inputId: "inp_1", content: [textBlock("x")] },
    { inputId: two, content: [{ type: "unsaved", path: "", text: "x" }] },
  ])
    expect(() => readCommand({ kind: "EditInput", sessionId, ...fields })).toThrow();
  expect(() => readCommand({ kind: "MoveInput", sessionId, inputId: two, before: 3 })).toThrow("before");
});

test("[ENG-26 CTL-19 S50] an agent edits and moves only its own inputs, and overtakes nobody; a person does both", async () => {
  const { rig: opened } = await waitingRig();
  await using rig = opened;
  const agent = await rig.connect("agent");
  const person = await queued(rig, "a person's");
  const [one, other] = [
    await queued(rig, "one", { from: agent }),
    await queued(rig, "other", { from: agent }),
  ];
  await expect(edit(rig, person, "x", agent)).rejects.toThrow("an agent edits only what it sent itself");
  await expect(move(rig, person, undefined, agent)).rejects.toThrow(
    "an agent moves only what it sent itself",
  );
  await expect(move(rig, other, person, agent)).rejects.toThrow(
    "an agent overtakes only what it sent itself",
  );
  await move(rig, other, one, agent);
  await edit(rig, one, "one, better", agent);
  await edit(rig, other, "changed by a person");
  await move(rig, one, person);
  await rig.until("InputMoved", 2);
  expect(shown(rig)).toEqual(["one, better", "a person's", "changed by a person"]);
});

test("[ENG-26 CTL-19] edits and moves of two clients at once leave one order and one content for both", async () => {
  const { rig: opened, open } = await waitingRig();
  await using rig = opened;
  const other = await rig.connect();
  const [two, three] = [await queued(rig, "two"), await queued(rig, "three")];
  await Promise.all([
    edit(rig, two, "two of one"),
    edit(rig, two, "two of another", other),
    move(rig, three, two),
    move(rig, two, three, other),
  ]);
  await rig.until("InputMoved", 2);
  const expected = shown(rig);
  open();
  await rig.until("TurnEnded", 3);
  expect(begun(rig).slice(1)).toEqual(expected);
});

test("[ENG-26 ENG-08 CTL-19] an edit counts towards what may wait; of one that waits alone, any size is taken", async () => {
  const { rig: opened } = await waitingRig();
  await using rig = opened;
  const two = await queued(rig, "two");
  await edit(rig, two, "x".repeat(INPUTS_WAITING_CHARS_MAX));
  await edit(rig, two, "short");
  await queued(rig, "three");
  await expect(edit(rig, two, "x".repeat(INPUTS_WAITING_CHARS_MAX))).rejects.toMatchObject({
    reason: "InputQueueFull",
  });
});

test("[ENG-26 R26 SES-07 CTL-19] edited and moved inputs come back with their log as they were, and held", async () => {
  const store = memorySessionStore({ isAlive: () => false });
  const { rig: first } = await waitingRig({ store });
  const [two, three, four] = [
    await queued(first, "two"),
    await queued(first, "three"),
    await queued(first, "four"),
  ];
  await edit(first, three, "three, once");
  await edit(first, three, "three, better");
  await move(first, three, two);
  await move(first, two);
  await edit(first, four, "four, better");
  const five = await queued(first, "five");
  await first[Symbol.asyncDispose]();
  await using last = await openRig({
    world: first.world,
    store,
    resume: first.session.logId,
    script: ["a", "b", "c", "d", "e"].map(says),
  });
  const listed = await last.until("CustomEvent", 3);
  expect(listed.payload.payload).toEqual({
    inputIds: [three, four, two, five],
    held: [three, four, two, five],
  });
  await edit(last, five, "five, better"); // held: it stays so
  await last.connection.send({
    kind: "SendInput",
    sessionId: last.session.id,
    content: [textBlock("go on")],
  });
  await last.until("TurnEnded", 6);
  expect(begun(last).slice(1)).toEqual(["go on", "three, better", "four, better", "two", "five, better"]);
});

const FILE: AttachmentId = fakeId("att", 1);
const OTHER: AttachmentId = fakeId("att", 2);
const LARGE: AttachmentId = fakeId("att", 3);
const fileBlock = (id: AttachmentId): SentBlock => ({ type: "attachment", id });

/** Files whose reading waits until it is let go, each as often as it is asked for. */
function files() {
  const reading: AttachmentId[] = [];
  const waits = new Map<AttachmentId, Promise<void>>();
  const asked = new Map<AttachmentId, () => void>();
  const attachments: Attachments = {
    store: () => Promise.reject(new Error("nothing is stored here")),
    storedBytes: async (id) => (id === LARGE ? ATTACHMENTS_PER_INPUT_BYTES_MAX + 1 : 1),
    async blocks(id) {
      reading.push(id);
      asked.get(id)?.();
      await waits.get(id);
      return [textBlock(`the file ${id}`)];
    },
  };
  /** Holds the reading of a file. */
  const hold = (id: AttachmentId) => {
    const go = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    waits.set(id, go.promise);
    asked.set(id, () => begun.resolve());
    return { begun: begun.promise, go: () => go.resolve() };
  };
  return { attachments, reading, hold };
}

async function editTo(rig: Rig, inputId: InputId, content: readonly SentBlock[], from = rig.connection) {
  await from.send({ kind: "EditInput", sessionId: rig.session.id, inputId, content: [...content] });
}

test("[ENG-26 CTL-19] an edit keeps, drops and adds references to files, and its turn has their contents", async () => {
  const { attachments, reading } = files();
  const { rig: opened, open } = await waitingRig({ attachments });
  await using rig = opened;
  const two = await queued(rig, "two");
  await editTo(rig, two, [textBlock("with"), fileBlock(FILE)]);
  await editTo(rig, two, [fileBlock(FILE), textBlock("and"), fileBlock(OTHER)]);
  await editTo(rig, two, [textBlock("only"), fileBlock(OTHER)]);
  const edits = rig.events.flatMap((event) => (event.kind === "InputEdited" ? [event.payload.content] : []));
  expect(edits.map((content) => content.map((block) => textOf([block])))).toEqual([
    ["with", `the file ${FILE}`],
    [`the file ${FILE}`, "and", `the file ${OTHER}`],
    ["only", `the file ${OTHER}`],
  ]);
  expect(reading).toEqual([FILE, FILE, OTHER, OTHER]);
  open();
  await rig.until("TurnEnded", 2);
  const asked = JSON.stringify(rig.provider.requests.at(-1)?.messages.at(-1)?.content);
  expect(asked).toBe(JSON.stringify([textBlock("only"), textBlock(`the file ${OTHER}`)]));
  const { kind, content } = readCommand({
    ...{ kind: "EditInput", sessionId: rig.session.id, inputId: two, content: [fileBlock(FILE)] },
  }) as { readonly kind: string; readonly content: unknown };
  expect([kind, content]).toEqual(["EditInput", [fileBlock(FILE)]]);
});

test("[ENG-26 CTL-20 PERM-04] the unsaved text of a file is judged in an edit too, and an edit of which nothing is left is refused", async () => {
  const judged: unknown[] = [];
  const unsaved: RigOptions["unsaved"] = async ({ path, text }, client) => {
    judged.push([path, client]);
    return path === "open.txt" ? [textBlock(text)] : [];
  };
  const { rig: opened } = await waitingRig({ unsaved });
  await using rig = opened;
  const two = await queued(rig, "two");
  const block = (path: string): SentBlock => ({ type: "unsaved", path, text: `of ${path}` });
  await editTo(rig, two, [block("open.txt"), block(".env")]);
  await expect(editTo(rig, two, [block(".env")])).rejects.toThrow("nothing is left of it");
  await expect(
    editTo(
      rig,
      two,
      Array.from({ length: 33 }, () => block("open.txt")),
    ),
  ).rejects.toThrow("33 unsaved texts");
  const { clientId } = rig.connection;
  expect(judged).toEqual(["open.txt", ".env", ".env"].map((path) => [path, clientId]));
  expect(shown(rig)).toEqual(["of open.txt"]);
});

test("[ENG-26 CTL-19 S50] an edit that refers to too much, or that is not the client's, is refused before a file is read", async () => {
  const { attachments, reading } = files();
  const { rig: opened } = await waitingRig({ attachments });
  await using rig = opened;
  const agent = await rig.connect("agent");
  const two = await queued(rig, "two");
  const many = Array.from({ length: ATTACHMENTS_PER_INPUT_MAX + 1 }, () => fileBlock(FILE));
  await expect(editTo(rig, two, many)).rejects.toThrow(/EditInput .*17 attachments/u);
  await expect(editTo(rig, two, [fileBlock(LARGE)])).rejects.toMatchObject({ reason: "InvalidCommand" });
  await expect(editTo(rig, two, [fileBlock(FILE)], agent)).rejects.toThrow("edits only what it sent itself");
  const gone = rig.world.ids.next("inp");
  await expect(editTo(rig, gone, [fileBlock(FILE)])).rejects.toThrow(`no input waits as ${gone}`);
  const large = await queued(rig, "three");
  await edit(rig, large, "x".repeat(INPUTS_WAITING_CHARS_MAX - 1_000));
  await expect(editTo(rig, two, [textBlock("x".repeat(2_000)), fileBlock(FILE)])).rejects.toMatchObject({
    reason: "InputQueueFull",
  });
  expect(reading).toEqual([FILE]); // the last one had room for no more than its text
  expect(shown(rig)[0]).toBe("two");
});

test("[ENG-26 CTL-19] a cancel or a withdrawal of the input while files are read refuses the edit, and a later edit waits", async () => {
  const { attachments, hold } = files();
  const { rig: opened, open } = await waitingRig({ attachments });
  await using rig = opened;
  const two = await queued(rig, "two");
  const three = await queued(rig, "three");
  const withdrawn = hold(FILE);
  const edited = editTo(rig, three, [fileBlock(FILE)]);
  await withdrawn.begun;
  await rig.connection.send({ kind: "WithdrawInput", sessionId: rig.session.id, inputId: three });
  withdrawn.go();
  await expect(edited).rejects.toThrow(`no input waits as ${three}`);

  const slow = hold(FILE);
  const first = editTo(rig, two, [fileBlock(FILE)]);
  await slow.begun;
  const last = edit(rig, two, "two, last");
  slow.go();
  await Promise.all([first, last]);
  expect(shown(rig)).toEqual(["two, last"]);

  const late = hold(OTHER);
  const cancelled = editTo(rig, two, [fileBlock(OTHER)]);
  await late.begun;
  await rig.connection.send({ kind: "CancelTurn", sessionId: rig.session.id });
  late.go();
  await expect(cancelled).rejects.toThrow("it was cancelled before it was accepted");
  expect(shown(rig)).toEqual(["two, last"]);
  open();
});

test("[ENG-26 CTL-19] an input, an edit and a steer have at most 256 blocks, and not blank text alone", async () => {
  const { rig: opened, open } = await waitingRig();
  await using rig = opened;
  const sessionId = rig.session.id;
  const inputId = await queued(rig, "two");
  const blocks = (count: number) => Array.from({ length: count }, () => textBlock("x"));
  const commands = (count: number) => [
    { kind: "SendInput", sessionId, content: blocks(count), delivery: "queue" } as const,
    { kind: "EditInput", sessionId, inputId, content: blocks(count) } as const,
    { kind: "SteerAgent", sessionId, callId: rig.world.ids.next("call"), content: blocks(count) } as const,
  ];
  for (const command of commands(2)) {
    const blank = { ...command, content: [textBlock(" \n"), textBlock("")] };
    await expect(rig.connection.send(blank)).rejects.toThrow("its text is blank");
  }
  const why = `it has ${INPUT_BLOCKS_MAX + 1} blocks of content, and an input may have 256`;
  for (const command of commands(INPUT_BLOCKS_MAX + 1)) {
    await expect(rig.connection.send(command)).rejects.toThrow(why);
  }
  for (const command of commands(INPUT_BLOCKS_MAX)) {
    if (command.kind !== "SteerAgent") await rig.connection.send(command);
  }
  open();
});
