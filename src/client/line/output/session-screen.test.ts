import { expect, test } from "bun:test";
import { CLIENT, fakeId, SESSION } from "../../../../test/support/fake-connection.ts";
import { testWorld } from "../../../../test/support/world.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { NEW_SESSION, sessionStep } from "../../../view/session/session-view.ts";
import type { ScreenOptions } from "./session-screen.ts";
import { SessionScreen } from "./session-screen.ts";

test("[CTL-14 TUI-01] a list that lacks entries is reported once, also if its history lacks them", async () => {
  let printed = "";
  const terminal = {
    async write(text: string): Promise<void> {
      printed += text;
    },
  };
  const { clock } = testWorld();
  const options = { clock, terminal, session: () => SESSION, client: () => CLIENT, soon: () => undefined };
  using screen = new SessionScreen(options as unknown as ScreenOptions);
  let view = NEW_SESSION;
  const step = (id: number) => {
    const payload = { callId: fakeId("call", id), tool: "Bash", args: {}, originator: CLIENT, summary: "x" };
    const frame = { id, session: SESSION, ts: "2026-01-01T00:00:00.000Z" };
    const envelope = { ...frame, kind: "PermissionRequested", payload } as unknown as Envelope;
    const steps = sessionStep(view, envelope);
    view = steps.after;
    return [envelope, steps] as const;
  };
  for (let id = 1; id <= 100; id++) screen.recall(...step(id));
  expect(printed).not.toContain("more questions are open");
  for (let id = 101; id <= 110; id++) await screen.show(...step(id));
  await screen.flush();
  expect(printed.split("more questions are open")).toHaveLength(2);
  expect(view.leftOut.questions).toBeGreaterThan(40);
});
