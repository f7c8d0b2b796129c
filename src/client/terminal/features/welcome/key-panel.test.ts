import { expect, test } from "bun:test";
import { fakeServices, linesOf } from "../../../../../test/support/terminal-parts.ts";
import { HarnessError } from "../../../../base/errors.ts";
import { KeyPanel } from "./key-panel.ts";

const SECRET = "sk-ant-0123456789";

test("[CRED-01 TUI-07] the key of a provider is never drawn, said or put into the draft, and goes into one command", async () => {
  const services = fakeServices();
  let isStored = false;
  const panel = new KeyPanel({
    services,
    provider: "anthropic",
    variable: "ANTHROPIC_API_KEY",
    stored: () => {
      isStored = true;
    },
  });
  services.open(panel);
  const shown: string[] = [];
  const frame = () => shown.push(panel.title, linesOf(panel.draw({ columns: 60, rows: 12 }).rows));
  for (const character of SECRET.slice(0, 5)) {
    panel.type(character);
    frame();
  }
  panel.paste(` ${SECRET.slice(5)}\n`);
  frame();
  services.reply = new HarnessError("UsageInvalid", { problem: "the disk is full" });
  panel.act("list.choose");
  frame();
  await services.clock.advance(0);
  frame();
  expect(shown.at(-1)).toContain("the disk is full");
  expect([isStored, services.overlays]).toEqual([false, [panel]]);
  panel.type(SECRET);
  services.reply = {};
  panel.act("list.choose");
  await services.clock.advance(0);
  frame();
  expect([isStored, services.overlays]).toEqual([true, []]);
  expect(services.sent).toEqual([
    { kind: "StoreProviderKey", provider: "anthropic", key: SECRET },
    { kind: "StoreProviderKey", provider: "anthropic", key: SECRET },
  ]);
  const everywhere = [...shown, ...services.said, ...services.inserted, ...services.titles].join("\n");
  expect(everywhere).not.toContain(SECRET.slice(0, 3));
  expect(everywhere).not.toContain(SECRET.slice(-4));
});
