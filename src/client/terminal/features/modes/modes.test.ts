import { expect, test } from "bun:test";
import type { FakeServices } from "../../../../../test/support/terminal-parts.ts";
import { fakeServices } from "../../../../../test/support/terminal-parts.ts";
import { HarnessError } from "../../../../base/errors.ts";
import type { Command } from "../../../../protocol/commands/commands.ts";
import { MODE_REST_MS } from "./mode-switch.ts";
import { modes } from "./modes.ts";

const EDITS = { rule: "Edit:**", effect: "allow", source: "preset", revocable: false, promotable: false };

/** A session whose engine carries out the commands about modes. */
function openSession(
  level: string,
  more: { readonly rules?: readonly object[]; readonly run?: object } = {},
) {
  const services = fakeServices();
  let run = { questions: [], rules: [], planMode: false, ...more.run } as Record<string, unknown>;
  const { session } = services;
  const known = {
    ...services,
    session: {
      ...session,
      get view() {
        return { ...session.view, run: run as never };
      },
      async send<Sent extends Command>(command: Sent) {
        const answer = await session.send(command);
        if (answer instanceof HarnessError) return answer;
        if (command.kind === "SetLevel") run = { ...run, level: command.level };
        if (command.kind === "EnterPlanMode") run = { ...run, planMode: true };
        if (command.kind === "ExitPlanMode") run = { ...run, planMode: false };
        return answer;
      },
    },
  } as FakeServices;
  services.found = { level, rules: more.rules ?? [EDITS], more: false };
  const feature = modes(known);
  feature.opened?.();
  const next = async () => {
    feature.actions?.["mode.next"]?.();
    await services.clock.advance(MODE_REST_MS);
  };
  return { services, feature, next };
}

test("[TUI-08 PERM-03] the key goes through the modes with commands of the engine, each said in a sentence", async () => {
  const { services, feature, next } = openSession("WorkspaceWrite");
  await services.clock.advance(1);
  const seen = [feature.mode?.()];
  for (let at = 0; at < 3; at += 1) {
    await next();
    seen.push(feature.mode?.());
  }
  expect(seen).toEqual(["accept edits", "plan", "ask", "accept edits"]);
  expect(services.sent.map(({ kind, ...rest }) => [kind, "level" in rest ? rest.level : undefined])).toEqual([
    ["EnterPlanMode", undefined],
    ["SetLevel", "ReadOnly"], // before plan mode ends
    ["ExitPlanMode", undefined],
    ["SetLevel", "WorkspaceWrite"],
  ]);
  expect(services.said.map((text) => text.slice(0, 12))).toEqual([
    "plan: the mo",
    "ask (level R",
    "accept edits",
  ]);
});

test("[TUI-08] a key that comes before the level of the session is known goes to the mode behind it", async () => {
  const { services, feature } = openSession("WorkspaceWrite");
  expect(feature.mode?.()).toBeUndefined();
  feature.actions?.["mode.next"]?.();
  await services.clock.advance(1);
  expect(feature.mode?.()).toBe("plan");
});

test("[TUI-08 complaint 17] modes that are only passed are shown, and neither sent nor said; with a message the chosen one is sent before it", async () => {
  const { services, feature } = openSession("WorkspaceWrite");
  await services.clock.advance(1);
  const press = async () => {
    feature.actions?.["mode.next"]?.();
    await services.clock.advance(MODE_REST_MS - 1);
    return feature.mode?.();
  };
  expect(feature.send?.("hello", "queue")).toBe(false);
  expect([await press(), await press(), await press()]).toEqual(["plan", "ask", "accept edits"]);
  await services.clock.advance(10 * MODE_REST_MS);
  expect([services.sent, services.said]).toEqual([[], []]);
  expect([await press(), await press()]).toEqual(["plan", "ask"]);
  expect(await feature.send?.("hello", "queue")).toBe(true);
  expect(services.sent).toEqual([{ kind: "SetLevel", sessionId: "ses_1", level: "ReadOnly" }] as never);
  expect(feature.send?.("hello", "queue")).toBe(false);
  await services.clock.advance(10 * MODE_REST_MS);
  expect(services.sent).toHaveLength(1);
});

test("[TUI-08 PERM-03] a message that is sent right behind the key begins its session in the chosen mode, however long the session takes", async () => {
  const services = fakeServices();
  services.found = { level: "WorkspaceWrite", rules: [EDITS], more: false };
  const { open } = services.session;
  const begun = Promise.withResolvers<void>();
  let isOpen = false;
  const session = {
    ...services.session,
    get open() {
      return isOpen ? open : undefined;
    },
    async session() {
      await begun.promise;
      if (!isOpen) {
        isOpen = true;
        feature.opened?.();
      }
      return open as never;
    },
  };
  const feature = modes({ ...services, session } as FakeServices);
  const key = () => feature.actions?.["mode.next"]?.();
  key();
  key();
  const sent = feature.send?.("hello", "queue");
  await services.clock.advance(10 * MODE_REST_MS);
  expect([sent instanceof Promise, services.sent]).toEqual([true, []]);
  begun.resolve();
  expect(await sent).toBe(true);
  expect(services.sent).toEqual([{ kind: "SetLevel", sessionId: "ses_1", level: "ReadOnly" }] as never);
  expect(feature.send?.("hello", "queue")).toBe(false);
});

test("[TUI-08 PERM-03] a message is not sent in another mode than the one that is shown", async () => {
  const { services, feature } = openSession("WorkspaceWrite");
  await services.clock.advance(1);
  services.reply = new HarnessError("InvalidCommand", { kind: "EnterPlanMode", why: "there is none" });
  feature.actions?.["mode.next"]?.();
  await services.clock.advance(1);
  expect(await feature.send?.("hello", "queue")).toBe(false);
  expect(services.said.at(-1)).toStartWith("plan: ");
  expect(feature.mode?.()).toBe("accept edits");
});

test("[TUI-08] a mode that a slash command of the person sets is said, as the transcript leaves it out", async () => {
  const { services, feature } = openSession("ReadOnly");
  await services.clock.advance(1);
  const change = (by: string) =>
    feature.changed?.(
      { id: 1, kind: "LevelChanged", payload: { level: "ReadOnly", by } } as never,
      {} as never,
    );
  change("cli_other");
  expect(services.said).toEqual([]);
  change("cli_self");
  expect(services.said.map((text) => text.slice(0, 5))).toEqual(["ask ("]);
});

test("[PERM-03 TUI-08] a plan that waits for its answer, or may come, is never approved by the key", async () => {
  const plan = { kind: "asked", ask: { askId: "ask_1", about: "plan", text: "" } };
  for (const run of [
    { planMode: true, questions: [plan] },
    { planMode: true, turn: { number: 1, originator: "cli_1" } },
  ]) {
    const { services, next } = openSession("WorkspaceWrite", { run });
    await services.clock.advance(1);
    await next();
    expect(services.sent).toEqual([]);
    expect(services.said.at(-1)).toMatch(/A plan waits|The model is planning/);
  }
});

test("[TUI-08] a mode that the engine refuses is said, and the next key takes the mode after it", async () => {
  const { services, next } = openSession("ReadOnly");
  await services.clock.advance(1);
  services.reply = new HarnessError("InvalidCommand", { kind: "SetLevel", why: "the session is strict" });
  await next();
  expect(services.said.at(-1)).toStartWith("accept edits: ");
  services.reply = undefined;
  await next();
  expect(services.sent.map(({ kind }) => kind)).toEqual(["SetLevel", "EnterPlanMode"]);
});

test("[PERM-03] under a profile without a rule for edits, no mode claims that they are accepted", async () => {
  const { services, feature, next } = openSession("WorkspaceWrite", { rules: [] });
  await services.clock.advance(1);
  expect(feature.mode?.()).toBe("ask");
  await next();
  expect(services.said.at(-1)).toContain("each change is still asked about");
});
