import { expect, test } from "bun:test";
import { settle } from "../../../../test/support/fake-clock.ts";
import { fakeServices } from "../../../../test/support/terminal-parts.ts";
import { HarnessError } from "../../../base/errors.ts";
import { ImageUploads } from "../images/image-uploads.ts";
import { DRAFT_PAUSE_MS, DRAFT_READER, DraftKeeper, NEW_DRAFT_READER } from "./draft-keeper.ts";

const FULL = new HarnessError("UsageInvalid", { problem: "the disk is full" });

function openKeeper(session: object = {}) {
  const services = fakeServices();
  Object.assign(services.session, session);
  services.answers.GetSession = {};
  services.answers.GetDraft = { text: "" };
  const draft = { text: "" };
  const keeper = new DraftKeeper(services, {
    uploads: new ImageUploads(services.session),
    read: () => ({ text: draft.text, chips: [] }),
  });
  const write = (text: string) => {
    draft.text = text;
    keeper.changed();
  };
  const kept = () =>
    services.sent.map((sent) => (sent.kind === "SetDraft" ? [sent.reader, sent.text] : sent.kind));
  return { services, keeper, write, kept };
}

test("[TUI-10] a draft is kept once it rests, as it is by then, and at the end of the client at once", async () => {
  const { services, keeper, write, kept } = openKeeper();
  for (const text of ["h", "ha", "half"]) {
    write(text);
    await services.clock.advance(DRAFT_PAUSE_MS - 1);
  }
  expect([kept(), keeper.isKept]).toEqual([[], false]);
  await services.clock.advance(1);
  await settle();
  expect([kept(), keeper.isKept]).toEqual([[[DRAFT_READER, "half"]], true]);
  write("half written");
  await keeper.settle();
  expect(kept().at(-1)).toEqual([DRAFT_READER, "half written"]);
  await keeper.settle();
  expect(kept()).toHaveLength(2);
});

test("[TUI-10] a refused draft counts as not kept, and is tried again with the next change", async () => {
  const { services, keeper, write, kept } = openKeeper();
  services.reply = FULL;
  write("one");
  await keeper.settle();
  expect(keeper.isKept).toBe(false);
  services.reply = {};
  write("one two");
  await keeper.settle();
  expect([kept().at(-1), keeper.isKept]).toEqual([[DRAFT_READER, "one two"], true]);
});

test("[TUI-10 PROF-01] a draft goes along into another run of its log, and stays behind with another log", async () => {
  const { services, keeper, write } = openKeeper({ open: { session: "ses_1", log: "log_1" } });
  services.answers.GetDraft = { text: "half" };
  write("half");
  await keeper.settle();
  const sent = services.sent.length;
  Object.assign(services.session, { open: { session: "ses_2", log: "log_1", history: true } });
  expect(keeper.staysBehind).toBe(false);
  await keeper.restored();
  await keeper.settle();
  expect(services.sent).toHaveLength(sent); // it is kept there already, and nothing empties it
  Object.assign(services.session, { open: { session: "ses_3", log: "log_3", history: true } });
  expect(keeper.staysBehind).toBe(true);
  Object.assign(services.session, {
    open: { session: "ses_3", log: "log_3", history: true, continues: true },
  });
  expect(keeper.staysBehind).toBe(false);
});

test("[TUI-10] before a session is open its folder's last one keeps the draft; without one it is not kept", async () => {
  const before = openKeeper({ open: undefined, last: { session: "ses_0", log: "log_0" } });
  before.write("early");
  await before.keeper.settle();
  expect(before.kept()).toEqual([[NEW_DRAFT_READER, "early"]]);
  const nowhere = openKeeper({ open: undefined, last: undefined });
  nowhere.write("early");
  await nowhere.keeper.settle();
  expect([nowhere.kept(), nowhere.keeper.isKept]).toEqual([[], false]);
});

test("[TUI-10] the kept draft comes back once, and one that cannot be read is asked for again", async () => {
  const { services, keeper } = openKeeper();
  services.answers.GetDraft = FULL;
  expect((await keeper.restored()).text).toBe("");
  services.answers.GetDraft = { text: "from before" };
  expect((await keeper.restored()).text).toBe("from before");
  expect((await keeper.restored()).text).toBe("");
  // The session is asked once who is in it, and a client that is alone reads what others have left there.
  expect(services.queries).toEqual(["GetSession", "GetDraft", "GetDraft", "GetDraft"]);
});
