import { expect, test } from "bun:test";
import { settle } from "../../../../test/support/fake-clock.ts";
import { fakeServices } from "../../../../test/support/terminal-parts.ts";
import { HarnessError } from "../../../base/errors.ts";
import { ImageUploads } from "../images/image-uploads.ts";
import { textMessage } from "./message.ts";
import { MessageSender } from "./outbox.ts";

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
  outbox.cancel();
  opened.resolve({ session: "ses_1" } as never);
  await sending;
  expect(services.sent).toEqual([]);
  expect(services.restored).toEqual([textMessage("slow")]);
  expect(services.said).toEqual(["Cancelled before it was sent: the message is in the draft again."]);
  expect(outbox.slow).toEqual([]);
});

test("[ENG-26 bar Queue] a message that was taken back goes to its place, if the one behind it still waits", async () => {
  const { services, outbox } = openOutbox();
  services.reply = { inputId: "inp_9" };
  const before = "inp_2" as never;
  await outbox.send({ ...textMessage("again"), waited: { before } }, "queue");
  await settle();
  expect(services.sent).toHaveLength(1);
});
