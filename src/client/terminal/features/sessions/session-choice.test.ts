import { expect, test } from "bun:test";
import { settle } from "../../../../../test/support/fake-clock.ts";
import { fakeServices } from "../../../../../test/support/terminal-parts.ts";
import { sessionChoice } from "./session-choice.ts";

test("[CTL-11 TUI-01 bar First screen] the last session can be continued until something is sent, and then a line says why not", async () => {
  const fake = fakeServices();
  const last = { session: "sess_1", title: "net" } as never;
  const press = async (more: object) => {
    const services = { ...fake, session: { ...fake.session, ...more } };
    sessionChoice(services).actions?.["session.continue"]?.();
    await settle();
  };
  await press({ last, isUntouched: true });
  expect(fake.shown).toEqual([{ kind: "stored", info: last }]);
  await press({ last, isUntouched: false });
  await press({ isUntouched: true });
  expect(fake.shown).toHaveLength(1);
  expect(fake.said).toEqual([
    "This session has begun already. alt+r lists the others.",
    "This folder has no earlier session. alt+r lists all sessions.",
  ]);
});

test("[TUI-06 ENG-26] a new session beside a running turn says that the turn is not over", async () => {
  const fake = fakeServices();
  const begin = (view: object) => {
    const services = { ...fake, session: { ...fake.session, view: view as never } };
    sessionChoice(services).actions?.["session.new"]?.();
  };
  begin({ run: {} });
  expect(fake.said).toEqual([]);
  begin({ run: { turn: 1 } });
  await settle();
  expect(fake.said).toEqual(["The turn of the session before goes on. alt+r returns to it."]);
});
