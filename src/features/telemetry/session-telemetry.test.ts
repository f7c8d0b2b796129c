import { expect, test } from "bun:test";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { openToolRig } from "../../../test/support/tool-rig.ts";
import { testWorld } from "../../../test/support/world.ts";
import { Exporter } from "./exporter.ts";
import { SessionTelemetry } from "./session-telemetry.ts";

test("[OBS-01 ENG-23] a call is known to the sessions that work for it as long as it continues, however it ends", async () => {
  await using rig = openToolRig();
  const world = { ...testWorld(), clock: fakeClock() };
  const exporter = new Exporter({
    world,
    to: { traces: { url: "http://127.0.0.1:1/v1/traces", encoding: "json", headers: {} } },
    resource: {},
    version: "1",
  });
  const session = { id: "sess", log: "log", profile: "default" };
  const { tool } = new SessionTelemetry({ world, exporter, session, costOf: () => null, content: undefined });
  const call = rig.callOf(PROBE, {});
  const known = () => [...exporter.calls.keys()];
  const during: unknown[] = [];
  await tool(call, rig.context, async () => {
    during.push(known());
    return { content: [] };
  });
  const failing = tool(call, rig.context, async () => {
    during.push(known());
    throw new Error("it broke");
  });
  expect(await failing.catch(String)).toBe("Error: it broke");
  expect([during, known()]).toEqual([[[call.id], [call.id]], []]);
});

const PROBE = {
  name: "Probe",
  description: "probes",
  inputSchema: { type: "object" },
  mutating: false,
  level: "ReadOnly",
  plan: () => Promise.reject(new Error("not planned")),
  run: () => Promise.reject(new Error("not run")),
} as const;
