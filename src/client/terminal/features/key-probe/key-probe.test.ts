import { expect, test } from "bun:test";
import { fakeServices, linesOf } from "../../../../../test/support/terminal-parts.ts";
import { KeyTable } from "../../keys/key-table.ts";
import { KeyProbe } from "./key-probe.ts";

test("[TUI-11 bar Keys] the probe names each key and what it does in each context, and no key does anything", () => {
  const services = fakeServices();
  const probe = new KeyProbe(services);
  services.open(probe);
  const shown = () => linesOf(probe.draw({ columns: 80, rows: 22 }).rows);
  expect(probe.key({ kind: "key", key: "ctrl+r" })).toBe(true);
  expect(shown()).toContain("ctrl+r");
  expect(shown()).toContain("Anywhere: search in earlier prompts  input.history");
  expect(shown()).toContain("In vim mode: redo in normal mode");
  probe.key({ kind: "key", key: "q", text: "q" });
  expect(shown()).toContain("In a panel: close  panel.leave");
  probe.key({ kind: "key", key: "ctrl+9" });
  expect(shown()).toContain("no action has it");
  probe.key({ kind: "key", key: "escape" });
  expect(services.overlays).toEqual([probe]);
  probe.key({ kind: "key", key: "escape" });
  expect(services.overlays).toEqual([]);
});

test("[TUI-11 bar Keys] the probe closes by the keys that the person has chosen, and says so", () => {
  const keys = new KeyTable({ "app.interrupt": ["ctrl+x"], "panel.leave": ["q"] });
  for (const [closing, pressed] of [
    ["q", ["q", "q"]],
    ["ctrl+x", ["ctrl+x"]],
  ] as const) {
    const services = { ...fakeServices(), keys };
    const probe = new KeyProbe(services);
    services.open(probe);
    expect(linesOf(probe.draw({ columns: 120, rows: 22 }).rows)).toContain("q twice, or ctrl+x, closes.");
    for (const key of ["escape", "escape", "ctrl+c"]) probe.key({ kind: "key", key });
    expect([closing, services.overlays]).toEqual([closing, [probe]]);
    for (const key of pressed) probe.key({ kind: "key", key });
    expect([closing, services.overlays]).toEqual([closing, []]);
  }
});
