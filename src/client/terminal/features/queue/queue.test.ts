import { expect, test } from "bun:test";
import { costMs } from "../../../../../test/support/cost.ts";
import { settle } from "../../../../../test/support/fake-clock.ts";
import type { FakeServices } from "../../../../../test/support/terminal-parts.ts";
import { fakeServices, linesOf } from "../../../../../test/support/terminal-parts.ts";
import { HarnessError } from "../../../../base/errors.ts";
import type { SessionId } from "../../../../base/ids.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import type { WaitingInput } from "../../../../view/session/waiting.ts";
import { ImageUploads } from "../../images/image-uploads.ts";
import { textMessage } from "../../input/message.ts";
import { MessageSender } from "../../input/message-sender.ts";
import { queue } from "./queue.ts";

const GONE = new HarnessError("InvalidCommand", { kind: "WithdrawInput", why: "it has begun" });

function waitingInput(id: number, text: string, more: Partial<WaitingInput> = {}): WaitingInput {
  const content = [{ type: "text" as const, text }];
  return {
    inputId: `inp_${id}`,
    content,
    delivery: "queue",
    originator: "cli_self",
    held: false,
    ...more,
  } as WaitingInput;
}

function openQueue(waiting: readonly WaitingInput[], { isRunning = true, rows = 24 } = {}) {
  const fake = fakeServices();
  const state = { waiting };
  const services: FakeServices = {
    ...fake,
    screen: { ...fake.screen, size: { columns: 60, rows } },
    session: {
      ...fake.session,
      get view() {
        const run = { ...fake.session.view.run, ...(isRunning ? { turn: { number: 1 } } : {}) };
        return { ...fake.session.view, run, waiting: state.waiting } as never;
      },
    },
  };
  const uploads = new ImageUploads(services.session);
  const messages = new MessageSender({ services, uploads, refused: () => undefined });
  Object.assign(services, { messages });
  const feature = queue(services);
  const above = () => linesOf(feature.above?.(60) ?? []);
  const panel = () => linesOf(fake.overlays[0]?.draw({ columns: 60, rows: 12 }).rows ?? []);
  const happens = (envelope: Partial<Envelope>) =>
    feature.changed?.({ id: 9, ...envelope } as Envelope, {
      before: services.session.view,
      after: services.session.view,
    });
  return { fake, services, feature, above, panel, happens, state };
}

test("[ENG-26 bar Queue] each waiting message has a row: its kind, its number, its text, and whose it is", () => {
  const { above } = openQueue([
    waitingInput(1, "first\nthing"),
    waitingInput(2, "second", { delivery: "steer", originator: "cli_00000000000000000000OTHER1" as never }),
    waitingInput(3, "third", { isUncertain: true }),
  ]);
  expect(above()).toBe(
    [
      "queued   1 first thing",
      "steering 2 second · cli_00000000000000000000OTHER1",
      "unsure   3 third",
      "alt+q edits the queue",
    ].join("\n"),
  );
});

test("[ENG-26 bar Queue] what does not fit is counted, and held messages say how they start", () => {
  const held = Array.from({ length: 7 }, (_, at) => waitingInput(at, `m${at}`, { held: true }));
  expect(openQueue(held, { isRunning: false }).above().split("\n").at(-1)).toBe(
    "2 more · enter starts what is held · alt+q edits the queue",
  );
  expect(openQueue(held, { rows: 15 }).above().split("\n")).toHaveLength(3);
});

test("[ENG-26 bar Queue] the panel moves a message, takes it back with its place, and says which have started", async () => {
  const { fake, feature, panel, above } = openQueue(
    ["a", "b", "c"].map((text, at) => waitingInput(at + 1, text)),
  );
  feature.actions?.["input.takeBack"]?.();
  expect(panel()).toStartWith("Waiting messages: 3 of 3\n  queued   1 a\n  queued   2 b\n▸ queued   3 c");
  expect(above()).toBe("");
  const [overlay] = fake.overlays;
  overlay?.act("queue.up");
  await settle();
  expect(fake.sent.at(-1)).toMatchObject({ kind: "MoveInput", inputId: "inp_3", before: "inp_2" });
  overlay?.act("list.up");
  overlay?.act("queue.down");
  await settle();
  expect(fake.sent.at(-1)).toEqual({
    kind: "MoveInput",
    sessionId: "ses_1" as never,
    inputId: "inp_2" as never,
  });
  overlay?.act("queue.edit");
  await settle();
  expect(fake.sent.at(-1)).toMatchObject({ kind: "WithdrawInput", inputId: "inp_2" });
  expect(fake.restored).toEqual([{ text: "b", images: [], fromQueue: { ahead: ["inp_1" as never] } }]);
  expect(fake.overlays).toEqual([]);
  fake.reply = GONE;
  feature.actions?.["input.takeBack"]?.();
  fake.overlays[0]?.act("queue.withdraw");
  await settle();
  expect(fake.said.at(-1)).toContain("does not wait any more");
  expect(fake.remembered).toEqual([{ text: "b", images: [] }]);
});

test("[ENG-26 bar Queue] a withdrawn message goes to the history, and typed characters go to the draft", async () => {
  const { fake, feature } = openQueue([waitingInput(1, "a")]);
  feature.actions?.["input.takeBack"]?.();
  fake.overlays[0]?.act("queue.withdraw");
  await settle();
  expect(fake.remembered).toEqual([{ text: "a", images: [] }]);
  fake.overlays[0]?.type?.("x");
  expect(fake.inserted).toEqual(["x"]);
  expect(fake.overlays).toEqual([]);
});

test("[ENG-26 bar Queue] a queued message goes into the running turn; if that is refused it is in the draft", async () => {
  const { fake, services, feature } = openQueue([waitingInput(1, "now", { skill: "s" })]);
  feature.actions?.["input.takeBack"]?.();
  fake.overlays[0]?.act("queue.now");
  await settle();
  const sent = { kind: "SendInput", content: [{ type: "text", text: "now" }], delivery: "steer", skill: "s" };
  expect(fake.sent.at(-1)).toMatchObject(sent);
  const send = services.session.send;
  Object.assign(services.session, {
    send: async (command: never) =>
      (command as { kind: string }).kind === "SendInput" ? GONE : await send(command),
  });
  fake.overlays[0]?.act("queue.now");
  await settle();
  expect(fake.restored).toEqual([{ text: "now", images: [] }]);
  expect(fake.said).not.toEqual([]);
});

test("[ENG-26 bar Queue] a message that is sent now goes behind one that is on its way", async () => {
  const { fake, services, feature } = openQueue([waitingInput(1, "now")]);
  const opened = Promise.withResolvers<{ readonly session: SessionId }>();
  Object.assign(services.session, { session: () => opened.promise });
  const before = services.messages.send(textMessage("before"), "queue");
  feature.actions?.["input.takeBack"]?.();
  fake.overlays[0]?.act("queue.now");
  await settle();
  expect(fake.sent.map(({ kind }) => kind)).toEqual(["WithdrawInput"]);
  opened.resolve({ session: "ses_1" as SessionId });
  await before;
  await settle();
  expect(fake.sent.slice(1)).toMatchObject([
    { kind: "SendInput", content: [{ text: "before" }] },
    { kind: "SendInput", content: [{ text: "now" }], delivery: "steer" },
  ]);
});

test("[ENG-26 TUI-03 bar Cancel] a cancel by this client takes its held messages back, and no other's", async () => {
  const own = waitingInput(1, "mine", { held: true });
  const file = {
    type: "document",
    source: { type: "base64", media_type: "application/pdf", data: "" },
  } as const;
  const { fake, happens } = openQueue([
    own,
    waitingInput(2, "theirs", { held: true, originator: "cli_other" as never }),
    waitingInput(3, "with a file", { held: true, content: [file] }),
    waitingInput(4, "not held"),
  ]);
  happens({ kind: "Cancelled", payload: { turn: 1, by: "cli_other", reason: "" } } as Partial<Envelope>);
  happens({
    kind: "Cancelled",
    parentCall: "call_1",
    payload: { turn: 1, by: "cli_self", reason: "" },
  } as never);
  await settle();
  expect(fake.sent).toEqual([]);
  happens({ kind: "Cancelled", payload: { turn: 1, by: "cli_self", reason: "" } } as Partial<Envelope>);
  await settle();
  expect(fake.sent).toMatchObject([{ kind: "WithdrawInput", inputId: "inp_1" }]);
  expect(fake.restored).toEqual([{ text: "mine", images: [] }]);
});

test("[ENG-26 bar Queue] a frame costs the same with a thousand waiting messages of a megabyte as with a few short ones", async () => {
  const pasted = `first words ${"word \n".repeat(200_000)}`;
  const many = Array.from({ length: 1_000 }, (_, at) => waitingInput(at, pasted));
  const { above } = openQueue(many);
  expect(above()).toStartWith("queued   1 first words word word");
  expect(above()).toContain("995 more · alt+q edits the queue");
  const work = () => {
    for (let frame = 0; frame < 100; frame += 1) above();
  };
  expect(await costMs(work, 100)).toBeLessThan(100);
});
