import { expect, test } from "bun:test";
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
