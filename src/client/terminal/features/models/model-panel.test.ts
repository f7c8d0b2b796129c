import { expect, test } from "bun:test";
import { settle } from "../../../../../test/support/fake-clock.ts";
import { fakeServices, linesOf } from "../../../../../test/support/terminal-parts.ts";
import { applyModel } from "../../session/apply-model.ts";
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

test("[TUI-01 CTL-19 bar Model picker] without a session a chosen model begins one, and none is begun without it", async () => {
  const services = fakeServices();
  const open = services.session.open;
  const begun: unknown[] = [];
  Object.assign(services.session, {
    open: undefined,
    goTo: async (which: unknown) => {
      begun.push(which);
      Object.assign(services.session, { open });
    },
  });
  await applyModel(services, { model: "m:other" });
  expect(begun).toEqual([{ kind: "new", model: "m:other" }]);
  expect(services.sent).toEqual([]);
  expect(services.said).toEqual(["m:other from the next request of this session on."]);
  await applyModel(services, { model: "m:next" });
  expect(begun).toHaveLength(1);
  expect(services.sent).toEqual([{ kind: "SetModel", sessionId: "ses_1", model: "m:next" }] as never);
});

test("[TUI-01 CTL-19 bar Model picker] a session that is refused with its model is no session, and nothing else is said", async () => {
  const services = fakeServices();
  Object.assign(services.session, { open: undefined });
  await applyModel(services, { model: "m:other", effort: "high" });
  expect([services.sent, services.said]).toEqual([[], []]);
});

test("[TUI-01 PROV-05 bar Model picker] without any provider the list says how to get one", async () => {
  const services = fakeServices();
  Object.assign(services.session, { open: undefined });
  services.found = { providers: [{ name: "m", configured: false }] };
  openModels(services);
  await settle();
  const shown = linesOf(services.overlays[0]?.draw({ columns: 60, rows: 20 }).rows ?? []);
  expect(shown.replaceAll(/\s+/g, " ")).toContain(
    "No provider is set up: alt+g sets one up. One that you have just written into config.toml counts once cinch was closed for some seconds.",
  );
});
