import { expect, test } from "bun:test";
import { fakeServices } from "../../../../test/support/terminal-parts.ts";
import { HeldMessages } from "./held-messages.ts";
import { textMessage } from "./message.ts";

test("[TUI-07 TUI-10] a message waits for another session in sight; it comes back if that is refused, or the person cancels", async () => {
  const services = fakeServices();
  const held = new HeldMessages(services);
  const sent: string[] = [];
  const hold = (text: string) => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const done = held.hold(textMessage(text), promise, () => sent.push(text));
    return { resolve, done };
  };
  const [shown, refused, cancelled] = [hold("shown"), hold("refused"), hold("cancelled")];
  expect(held.messages.map(({ text }) => text)).toEqual(["shown", "refused", "cancelled"]);
  shown.resolve(true);
  await shown.done;
  refused.resolve(false);
  await refused.done;
  expect([sent, services.restored]).toEqual([["shown"], [textMessage("refused")]]);
  const failed = held.hold(textMessage("failed"), Promise.reject(new Error("lost")), () => undefined);
  await expect(failed).rejects.toThrow("lost");
  expect(services.restored.at(-1)).toEqual(textMessage("failed"));
  held.cancel();
  cancelled.resolve(true);
  await cancelled.done;
  expect([sent, services.restored.at(-1)]).toEqual([["shown"], textMessage("cancelled")]);
  expect(held.messages).toEqual([]);
});
