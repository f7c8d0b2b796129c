import { expect, test } from "bun:test";
import { fakeServices, linesOf } from "../../../../test/support/terminal-parts.ts";
import { SecretPanel } from "./secret-panel.ts";

const SECRET = "sk-ant-0123456789";

test("[CRED-01 TUI-07] a secret is never drawn, said or put into the draft, and goes to its store alone", async () => {
  const services = fakeServices();
  const stored: string[] = [];
  const answers = ["the disk is full", undefined];
  const panel = new SecretPanel({
    services,
    question: "The key of anthropic",
    effect: "stores it",
    store: async (secret) => {
      stored.push(secret);
      return answers[stored.length - 1];
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
  panel.act("list.choose");
  frame();
  await services.clock.advance(0);
  frame();
  expect(shown.at(-1)).toContain("the disk is full");
  expect(services.overlays).toEqual([panel]);
  panel.type(SECRET);
  panel.act("list.choose");
  await services.clock.advance(0);
  frame();
  expect(services.overlays).toEqual([]);
  expect(stored).toEqual([SECRET, SECRET]);
  const everywhere = [...shown, ...services.said, ...services.inserted, ...services.titles].join("\n");
  expect(everywhere).not.toContain(SECRET.slice(0, 3));
  expect(everywhere).not.toContain(SECRET.slice(-4));
});
