import { expect, test } from "bun:test";
import { settle } from "../../../../test/support/fake-clock.ts";
import { fakeServices } from "../../../../test/support/terminal-parts.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { DraftImage } from "../images/draft-image.ts";
import { ImageUploads } from "../images/image-uploads.ts";
import type { ModelMessage } from "./message.ts";
import { textMessage } from "./message.ts";
import { MessageSender } from "./message-sender.ts";

function openSender() {
  const services = fakeServices();
  const sender = new MessageSender({
    services,
    uploads: new ImageUploads(services.session),
    refused: () => undefined,
  });
  return { services, sender };
}

test("[ENG-26 TUI-08] messages are sent in their order, and one that is refused comes back", async () => {
  const { services, sender } = openSender();
  await Promise.all([sender.send(textMessage("one"), "queue"), sender.send(textMessage("two"), "steer")]);
  expect(services.sent).toMatchObject([
    { kind: "SendInput", content: [{ text: "one" }], delivery: "queue" },
    { kind: "SendInput", content: [{ text: "two" }], delivery: "steer" },
  ]);
  services.reply = new HarnessError("InvalidCommand", { kind: "SendInput", why: "no" });
  await sender.send(textMessage("three"), "queue");
  expect(services.restored).toEqual([textMessage("three")]);
  expect(services.said).not.toEqual([]);
  expect(sender.isSending).toBe(false);
});

test("[TUI-03 bar Cancel] a message that is cancelled before the session is open is not sent, and comes back", async () => {
  const { services, sender } = openSender();
  const opened = Promise.withResolvers<never>();
  Object.assign(services.session, { session: () => opened.promise });
  const sending = sender.send(textMessage("slow"), "queue");
  expect(sender.isSending).toBe(true);
  await services.clock.advance(250);
  expect(sender.slow).toEqual([textMessage("slow")]);
  const next = sender.send(textMessage("next"), "queue");
  sender.cancel();
  await Promise.all([sending, next]); // the engine still starts
  opened.resolve({ session: "ses_1", log: "log_1" } as never);
  expect(services.sent).toEqual([]);
  expect(services.restored).toEqual([textMessage("slow"), textMessage("next")]);
  expect(services.said).toEqual(["Cancelled before it was sent: the message is in the draft again."]);
  expect(sender.slow).toEqual([]);
});

test("[ENG-26 bar Queue] a message that was taken back goes behind those that stood before it, and before all others", async () => {
  const { services, sender } = openSender();
  const waiting = ["inp_1", "inp_3", "inp_9"].map((inputId) => ({ inputId }));
  const { view } = services.session;
  Object.defineProperty(services.session, "view", { get: () => ({ ...view, waiting }) });
  const refusal = new HarnessError("InvalidCommand", { kind: "MoveInput", why: "no input waits as inp_3" });
  let moved: unknown = { result: {} };
  const send = async (command: { readonly kind: string }) => {
    services.sent.push(command as never);
    return command.kind === "SendInput" ? { inputId: "inp_9" } : moved;
  };
  Object.assign(services.session, { send });
  const ahead = ["inp_1", "inp_2"] as never;
  await sender.send({ ...textMessage("again"), fromQueue: { ahead } }, "queue");
  expect(services.sent.at(-1)).toMatchObject({ kind: "MoveInput", inputId: "inp_9", before: "inp_3" });
  expect(services.said).toEqual([]);
  moved = refusal;
  await sender.send({ ...textMessage("again"), fromQueue: { ahead } }, "queue");
  expect(services.said.at(-1)).toContain("at the end of the queue");
  waiting.splice(1, 1);
  await sender.send({ ...textMessage("last"), fromQueue: { ahead } }, "queue");
  expect(services.sent.at(-1)).toMatchObject({ kind: "SendInput" });
});

const IMAGE: DraftImage = {
  facts: "a.png",
  source: { kind: "bytes", bytes: new Uint8Array([1]), mediaType: "image/png", name: "a.png" },
};

test("[TUI-03 bar Cancel] a message is cancelled at any wait before the engine has it, and not after", async () => {
  const { services, sender } = openSender();
  const uploaded = Promise.withResolvers<undefined>();
  Object.assign(services.session, { attach: () => uploaded.promise });
  const uploading = sender.send({ text: "see", images: [IMAGE] }, "queue");
  await settle();
  sender.cancel();
  expect([services.restored.length, sender.isSending]).toEqual([1, false]);
  uploaded.resolve(undefined);
  await uploading;
  expect(services.sent).toEqual([]);
  const answered = Promise.withResolvers<object>();
  Object.assign(services.session, { send: () => answered.promise });
  const last = sender.send(textMessage("handed over"), "queue");
  await settle();
  sender.cancel();
  expect([services.restored.length, sender.isSending]).toEqual([1, true]);
  answered.resolve({});
  await last;
});

test("[CMD-01 ENG-26] a line keeps its order while its message is made, and comes back to the draft as it was typed", async () => {
  const { services, sender } = openSender();
  const made = Promise.withResolvers<ModelMessage>();
  const first = sender.sendFor(textMessage("/prompts:x"), () => made.promise);
  const second = sender.send(textMessage("second"), "queue");
  await settle();
  expect(services.sent).toEqual([]);
  made.resolve({ text: "expanded", delivery: "steer", skill: "s" });
  await Promise.all([first, second]);
  expect(services.sent).toMatchObject([
    { content: [{ text: "expanded" }], delivery: "steer", skill: "s" },
    { content: [{ text: "second" }] },
  ]);
  await sender.sendFor(textMessage("/x"), async () => undefined);
  expect([services.sent.length, services.restored]).toEqual([2, []]);
  const never = sender.sendFor(textMessage("/prompts:y"), () => new Promise(() => undefined));
  await settle();
  sender.cancel();
  await never;
  services.reply = new HarnessError("InvalidCommand", { kind: "SendInput", why: "no" });
  await sender.sendFor(textMessage("//z"), async () => ({ text: "/z", delivery: "queue" }));
  expect(services.restored).toEqual([textMessage("/prompts:y"), textMessage("//z")]);
});
