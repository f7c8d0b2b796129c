import { expect, test } from "bun:test";
import { settle } from "../../../../../test/support/fake-clock.ts";
import { fakeServices, linesOf } from "../../../../../test/support/terminal-parts.ts";
import { openModels } from "./model-panel.ts";

test("[TUI-08 PROV-05] the model in use is listed and marked, also where the catalogue of its provider lacks it", async () => {
  const services = fakeServices();
  services.found = { providers: [{ name: "m", configured: true, models: [{ id: "other" }] }] };
  openModels(services);
  await settle();
  const shown = linesOf(services.overlays[0]?.draw({ columns: 100, rows: 20 }).rows ?? []);
  expect(shown).toMatch(/▸ ● m:n .*in use/);
  expect(shown).toMatch(/context +\$ in +\$ out/);
  expect(shown).toMatch(/m:other +–( +–){2}/);
  expect(shown).not.toContain("?");
  expect(shown).toContain("m:other");
});
