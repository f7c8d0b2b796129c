import { expect, test } from "bun:test";
import { fakeServices } from "../../../../test/support/terminal-parts.ts";
import { HarnessError } from "../../../base/errors.ts";
import { ImageUploads } from "../images/image-uploads.ts";
import { textMessage } from "./message.ts";
import { MessageSender } from "./message-sender.ts";

function openOutbox() {
  const services = fakeServices();
  const outbox = new MessageSender({
    services,
    uploads: new ImageUploads(services.session),
    refused: () => undefined,
  });
  return { services, outbox };
}

test("[ENG-26 TUI-08] messages are sent in their order, and one that is refused comes back", async () => {
  const { services, outbox } = openOutbox();
  await Promise.all([outbox.send(textMessage("one"), "queue"), outbox.send(textMessage("two"), "steer")]);
  expect(services.sent).toMatchObject([
    { kind: "SendInput", content: [{ text: "one" }], delivery: "queue" },
    { kind: "SendInput", content: [{ text: "two" }], delivery: "steer" },
  ]);
  services.reply = new HarnessError("InvalidCommand", { kind: "SendInput", why: "no" });
  await outbox.send(textMessage("three"), "queue");
  expect(services.restored).toEqual([textMessage("three")]);
  expect(services.said).not.toEqual([]);
  expect(outbox.isSending).toBe(false);
});

test("[TUI-03 bar Cancel] a message that is cancelled before the session is open is not sent, and comes back", async () => {
  const { services, outbox } = openOutbox();
  const opened = Promise.withResolvers<never>();
  Object.assign(services.session, { session: () => opened.promise });
  const sending = outbox.send(textMessage("slow"), "queue");
  expect(outbox.isSending).toBe(true);
  await services.clock.advance(250);
  expect(outbox.slow).toEqual([textMessage("slow")]);
  const next = outbox.send(textMessage("next"), "queue");
  outbox.cancel();
  await Promise.all([sending, next]); // the engine still starts
  opened.resolve({ session: "ses_1" } as never);
  expect(services.sent).toEqual([]);
  expect(services.restored).toEqual([textMessage("slow"), textMessage("next")]);
  expect(new Set(services.said)).toEqual(
    new Set(["Cancelled before it was sent: the message is in the draft again."]),
  );
  expect(outbox.slow).toEqual([]);
});

test("[ENG-26 bar Queue] a message that was taken back goes behind those that stood before it, and before all others", async () => {
  const { services, outbox } = openOutbox();
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
  await outbox.send({ ...textMessage("again"), waited: { ahead } }, "queue");
  expect(services.sent.at(-1)).toMatchObject({ kind: "MoveInput", inputId: "inp_9", before: "inp_3" });
  expect(services.said).toEqual([]);
  moved = refusal;
  await outbox.send({ ...textMessage("again"), waited: { ahead } }, "queue");
  expect(services.said.at(-1)).toContain("at the end of the queue");
  waiting.splice(1, 1);
  await outbox.send({ ...textMessage("last"), waited: { ahead } }, "queue");
  expect(services.sent.at(-1)).toMatchObject({ kind: "SendInput" });
});
