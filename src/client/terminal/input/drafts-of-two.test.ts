import { expect, test } from "bun:test";
import { settle } from "../../../../test/support/fake-clock.ts";
import { fakeServices } from "../../../../test/support/terminal-parts.ts";
import type { Command } from "../../../protocol/commands/commands.ts";
import { ImageUploads } from "../images/image-uploads.ts";
import { DRAFT_PAUSE_MS, DraftKeeper, NEW_DRAFT_READER } from "./draft-keeper.ts";
import type { ChippedText } from "./editor/chips.ts";
import { ClearedDrafts } from "./history/cleared-drafts.ts";

/** An engine that keeps drafts, and the clients that follow its session. */
class Engine {
  readonly drafts = new Map<string, string>();
  readonly clients: { readonly id: string; readonly label: string }[] = [];
  isAway = false;

  /** Services of one more client. */
  attach(id: string) {
    const services = fakeServices();
    this.clients.push({ id, label: "cinch terminal" });
    Object.assign(services.session, {
      self: id,
      query: async ({ kind, reader }: { readonly kind: string; readonly reader: string }) =>
        kind === "GetSession" ? { clients: this.clients } : { text: this.drafts.get(reader) ?? "" },
      send: async (command: Command) => {
        if (this.isAway) await new Promise(() => undefined);
        if (command.kind === "SetDraft") this.drafts.set(command.reader, command.text);
        return { result: undefined };
      },
    });
    return services;
  }

  leave(id: string): void {
    this.clients.splice(
      this.clients.findIndex((each) => each.id === id),
      1,
    );
  }

  /** @param session facts of the session that is shown. */
  keeper(id: string, session: object = {}) {
    const services = this.attach(id);
    Object.assign(services.session, session);
    let draft: ChippedText = { text: "", chips: [] };
    const keeper = new DraftKeeper(services, {
      uploads: new ImageUploads(services.session),
      read: () => draft,
    });
    const write = (text: string) => {
      draft = { text, chips: [] };
    };
    return { services, keeper, write };
  }
}

test("[TUI-10 complaint 16] two clients in one session have a draft each, and the next one that comes alone has both", async () => {
  const engine = new Engine();
  const one = engine.keeper("cli_1");
  expect((await one.keeper.restored()).text).toBe("");
  one.write("of the first");
  await one.keeper.settle();
  const two = engine.keeper("cli_2");
  expect((await two.keeper.restored()).text).toBe("");
  two.write("of the second");
  await two.keeper.settle();
  one.write("");
  await one.keeper.settle(); // it was sent
  one.write("the next of the first");
  await one.keeper.settle();
  engine.leave("cli_1");
  engine.leave("cli_2");
  const three = engine.keeper("cli_3");
  expect((await three.keeper.restored()).text).toBe("the next of the first\nof the second");
  three.write("");
  await three.keeper.settle();
  engine.leave("cli_3");
  expect((await engine.keeper("cli_4").keeper.restored()).text).toBe("");
  expect([...engine.drafts.values()].filter((text) => text !== "")).toEqual([]);
});

test("[TUI-10] a draft counts as kept only as it is now", async () => {
  const engine = new Engine();
  const { keeper, write } = engine.keeper("cli_1");
  await keeper.restored();
  expect(keeper.isKept).toBe(true);
  write("half a thought");
  expect(keeper.isKept).toBe(false);
  await keeper.settle();
  expect(keeper.isKept).toBe(true);
  write("half a thought more");
  engine.isAway = true;
  void keeper.settle();
  await settle();
  expect(keeper.isKept).toBe(false);
});

test("[TUI-08 TUI-10] what two clients have cleared is kept of both, and what is not kept is known", async () => {
  const engine = new Engine();
  const [one, two] = [new ClearedDrafts(engine.attach("cli_1")), new ClearedDrafts(engine.attach("cli_2"))];
  await Promise.all([one.restore(), two.restore()]);
  one.add({ text: "first", atMs: 1 });
  await one.settle();
  two.add({ text: "second", atMs: 2 });
  await two.settle();
  one.add({ text: "third", atMs: 3 });
  await one.settle();
  expect(one.unkept).toEqual([]);
  const later = new ClearedDrafts(engine.attach("cli_3"));
  await later.restore();
  expect(later.drafts.map(({ text }) => text).toSorted()).toEqual(["first", "second", "third"]);
  engine.isAway = true;
  one.add({ text: "fourth", atMs: 4 });
  await settle();
  expect(one.unkept.map(({ text }) => text)).toEqual(["fourth"]);
});

test("[TUI-10 complaint 16] of two clients without a session neither empties nor overwrites the draft of the other", async () => {
  const engine = new Engine();
  const atNew = { open: undefined, last: { session: "ses_0", log: "log_0" } };
  const [one, two] = [engine.keeper("cli_1", atNew), engine.keeper("cli_2", atNew)];
  for (const { keeper } of [one, two]) expect((await keeper.restored()).text).toBe("");
  one.write("of the first");
  await one.keeper.settle();
  two.write("of the second");
  two.keeper.changed();
  await two.services.clock.advance(DRAFT_PAUSE_MS);
  expect([engine.drafts.get(NEW_DRAFT_READER), two.keeper.isKept]).toEqual(["of the first", false]);
  await two.keeper.settle();
  expect([engine.drafts.get(NEW_DRAFT_READER), two.keeper.isKept]).toEqual([
    "of the first\nof the second",
    true,
  ]);
  Object.assign(one.services.session, { open: { session: "ses_1", log: "log_1" } });
  one.write("");
  await one.keeper.settle(); // it was sent, to a new session
  expect(engine.drafts.get(NEW_DRAFT_READER)).toBe("of the first\nof the second");
  const three = engine.keeper("cli_3", atNew);
  expect((await three.keeper.restored()).text).toBe("of the first\nof the second");
  three.write("");
  await three.keeper.settle();
  expect(engine.drafts.get(NEW_DRAFT_READER)).toBe("");
});
