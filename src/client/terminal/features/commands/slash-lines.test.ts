import { expect, test } from "bun:test";
import { settle } from "../../../../../test/support/fake-clock.ts";
import { fakeServices } from "../../../../../test/support/terminal-parts.ts";
import type { OpenSession } from "../../options.ts";
import { slashLines } from "./slash-lines.ts";

test("[CMD-01 TUI-07] a message behind a command that shows another session waits for it; it is not for the session before", async () => {
  const services = fakeServices();
  for (const isShown of [true, false]) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const session = { ...services.session, open: undefined as OpenSession | undefined, goTo: () => promise };
    const lines = slashLines({ ...services, session });
    const send = (text: string) => lines.send?.(text, "queue");
    expect(send("/new")).toBe(true);
    const waits = [send("with an image"), send("another")];
    if (isShown) session.open = services.session.open;
    resolve();
    expect(await Promise.all(waits)).toEqual([isShown, isShown]);
    expect(send("later")).toBe(false);
  }
});

test("[CMD-01 TUI-08] every text for the model goes through the one order of messages", async () => {
  const services = fakeServices();
  services.found = { slash_commands: [], prompt: "expanded @shot.png" };
  const lines = slashLines(services);
  const send = async (text: string) => {
    expect(lines.send?.(text, "queue")).toBe(true);
    await settle();
    return services.messaged.splice(0);
  };
  const session = "ses_1" as never;
  expect(await send("//usr @shot.png")).toEqual([{ text: "/usr @shot.png", delivery: "queue" }]);
  expect(await send("/steer now")).toEqual([{ text: "now", delivery: "steer", session }]);
  expect(await send("/skills:fix it")).toEqual([{ text: "it", delivery: "queue", session, skill: "fix" }]);
  expect(await send("/agents:scout look")).toEqual([
    { text: "look", delivery: "queue", session, agent: "scout" },
  ]);
  expect(await send("/prompts:mine")).toEqual([
    { text: "expanded @shot.png", delivery: "queue", session, isExpanded: true },
  ]);
  expect(services.sent).toEqual([]);
});
