import { expect, test } from "bun:test";
import { fakeServices, linesOf } from "../../../../../test/support/terminal-parts.ts";
import { openPalette } from "./palette.ts";

test("[TUI-11 CMD-01 bar Keys] the palette names its keys, finds slash commands too, and puts one into an empty draft alone", () => {
  const services = fakeServices();
  const open = (draft: object) => {
    const own = { ...services, draft: { ...services.draft, ...draft } };
    openPalette(own);
    const panel = services.overlays.at(-1);
    for (const letter of "clear the screen") panel?.type?.(letter);
    return panel;
  };
  const panel = open({});
  const shown = linesOf(panel?.draw({ columns: 100, rows: 12 }).rows ?? []);
  expect(shown).toContain("▸ /clear");
  expect(shown).toContain("enter runs it");
  expect(shown).toContain("escape closes");
  panel?.act("list.choose");
  expect([services.inserted, services.said]).toEqual([["/clear"], ["enter runs /clear."]]);
  open({ text: "mine" })?.act("list.choose");
  expect(services.inserted).toEqual(["/clear"]);
});
