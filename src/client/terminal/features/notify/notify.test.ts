import { expect, test } from "bun:test";
import type { FakeServices } from "../../../../../test/support/terminal-parts.ts";
import { fakeServices } from "../../../../../test/support/terminal-parts.ts";
import type { NoticeWays } from "../../../../view/notified-events.ts";
import type { TerminalFeature } from "../../layout/feature.ts";
import type { ClientSettingValues } from "../../settings/client-settings.ts";
import { notify } from "./notify.ts";

const BELL = "\u0007";
const NOTICE = "\u001b]9;cinch: the turn has ended\u0007";
const AFTER_MS = 5_000;

interface Rig {
  readonly services: FakeServices;
  readonly feature: TerminalFeature;
  /** Runs a turn of some length. */
  turn(lengthMs: number): Promise<void>;
}

async function open(
  more: {
    readonly ways?: NoticeWays;
    readonly values?: Partial<ClientSettingValues>;
    readonly env?: Record<string, string>;
  } = {},
): Promise<Rig> {
  const services = fakeServices();
  const { ways = { bell: [], desktop: [] }, env = {} } = more;
  Object.assign(services.host, { noticeWays: async () => ways, environment: env });
  services.found = { title: "Fix the tests" };
  services.settings.change(more.values ?? {});
  const feature = notify(services);
  feature.reached?.();
  await Promise.resolve();
  feature.opened?.();
  await Promise.resolve();
  let id = 0;
  const add = (kind: string, payload: object) =>
    feature.changed?.(
      { id: ++id, kind, payload, ts: "2026-01-01T00:00:00.000Z", session: "ses_1" } as never,
      { before: services.session.view, after: services.session.view },
    );
  return {
    services,
    feature,
    async turn(lengthMs) {
      add("TurnStarted", { turn: 1 });
      await services.clock.advance(lengthMs);
      add("TurnEnded", { turn: 1, reason: "answered" });
    },
  };
}

test("[TUI-08 complaint 25] a turn that ends while another window has the focus rings and is shown after some seconds", async () => {
  const { services, feature, turn } = await open();
  feature.focused?.(false);
  await turn(1_000);
  await services.clock.advance(AFTER_MS - 1);
  expect(services.controls).toEqual([]);
  await services.clock.advance(1);
  expect(services.controls).toEqual([BELL, NOTICE]);
});

test("[TUI-08 complaint 25] nothing is shown while the window has the focus, or once it has it again", async () => {
  const { services, feature, turn } = await open();
  feature.focused?.(true);
  await turn(60_000);
  await services.clock.advance(AFTER_MS);
  feature.focused?.(false);
  await turn(60_000);
  await services.clock.advance(AFTER_MS / 2);
  feature.focused?.(true);
  await services.clock.advance(AFTER_MS);
  expect(services.controls).toEqual([]);
});

test("[TUI-08 complaint 25] a terminal that does not report its focus gets notices of long turns, unless the person writes", async () => {
  const { services, turn } = await open();
  await turn(5_000);
  await services.clock.advance(AFTER_MS);
  expect(services.controls).toEqual([]);
  await turn(30_000);
  Object.assign(services.draft, { text: "next" });
  await services.clock.advance(AFTER_MS);
  expect(services.controls).toEqual([]);
  await turn(30_000);
  await services.clock.advance(AFTER_MS);
  expect(services.controls).toEqual([BELL, NOTICE]);
});

test("[TUI-08 complaint 25] the setting turns notices off, or on in every window", async () => {
  const off = await open({ values: { notify: "off" } });
  off.feature.focused?.(false);
  await off.turn(60_000);
  await off.services.clock.advance(AFTER_MS);
  expect(off.services.controls).toEqual([]);
  const always = await open({ values: { notify: "always", notifyContent: true } });
  always.feature.focused?.(true);
  await always.turn(1_000);
  await always.services.clock.advance(AFTER_MS);
  expect(always.services.controls).toEqual([BELL, "\u001b]9;cinch: Fix the tests: the turn has ended\u0007"]);
});

test("[TUI-08 CTL-19 complaint 25] what the engine shows on the desktop is not shown twice, and the bell of config.toml rings at once and once", async () => {
  const desktop = await open({ ways: { bell: [], desktop: ["turn-end"] } });
  desktop.feature.focused?.(false);
  await desktop.turn(1_000);
  await desktop.services.clock.advance(AFTER_MS);
  expect(desktop.services.controls).toEqual([BELL]);
  const bell = await open({ ways: { bell: ["turn-end"], desktop: [] } });
  bell.feature.focused?.(false);
  await bell.turn(1_000);
  expect(bell.services.controls).toEqual([BELL]);
  await bell.services.clock.advance(AFTER_MS);
  expect(bell.services.controls).toEqual([BELL, NOTICE]);
});

test("[TUI-08 complaint 25] tmux passes the notice on, and kitty gets its own", async () => {
  const tmux = await open({ env: { TMUX: "/tmp/tmux,1,0", TERM: "tmux-256color" } });
  tmux.feature.focused?.(false);
  await tmux.turn(1_000);
  await tmux.services.clock.advance(AFTER_MS);
  expect(tmux.services.controls).toEqual([BELL, `\u001bPtmux;\u001b${NOTICE}\u001b\\`]);
  const kitty = await open({ env: { TERM: "xterm-kitty" } });
  kitty.feature.focused?.(false);
  await kitty.turn(1_000);
  await kitty.services.clock.advance(AFTER_MS);
  expect(kitty.services.controls).toEqual([BELL, "\u001b]99;i=cinch;cinch: the turn has ended\u001b\\"]);
});

test("[TUI-08] the window has the title of the session and its state", async () => {
  const { services, feature } = await open();
  await Promise.resolve();
  expect(services.titles).toEqual(["work · cinch", "Fix the tests · cinch"]);
  services.ask({} as never);
  feature.changed?.({ id: 9, kind: "TextDelta", payload: {} } as never, {
    before: services.session.view,
    after: services.session.view,
  });
  expect(services.titles.at(-1)).toBe("? Fix the tests · cinch");
});
