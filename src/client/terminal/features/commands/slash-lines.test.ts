import { expect, test } from "bun:test";
import { settle } from "../../../../../test/support/fake-clock.ts";
import { fakeServices } from "../../../../../test/support/terminal-parts.ts";
import { slashLines } from "./slash-lines.ts";

test("[CMD-01 TUI-07] a message behind a command that shows another session waits for it, with its images", async () => {
  const services = fakeServices();
  const { promise, resolve } = Promise.withResolvers<void>();
  const session = { ...services.session, open: undefined, goTo: () => promise };
  const lines = slashLines({ ...services, session });
  const sentAgain: string[] = [];
  const send = (text: string) => lines.send?.(text, "queue", () => void sentAgain.push(text));
  expect([send("/new"), send("with an image"), sentAgain]).toEqual([true, true, []]);
  resolve();
  await settle();
  expect([sentAgain, send("later")]).toEqual([["with an image"], false]);
});
