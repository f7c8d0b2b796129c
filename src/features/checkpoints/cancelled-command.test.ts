import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { calls } from "../../../test/support/mock-provider/turn.ts";
import type { TestProject } from "../../../test/support/place.ts";
import { follow, openPlace } from "../../../test/support/place.ts";
import { requireProgram } from "../../../test/support/requires.ts";
import { until } from "../../../test/support/until.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";

/** Sends a prompt, cancels it once the command has made `ready`, and gives the events of the turn. */
async function cancelled(
  place: TestProject,
): Promise<{ readonly session: string; readonly seen: readonly Envelope[] }> {
  await using harness = await place.open({ wishes: { autoApprove: true } });
  await using following = await follow(harness);
  await following.say("change it");
  await until("the command runs", () => existsSync(join(place.repo, "ready")));
  await following.connection.send({ kind: "CancelTurn", sessionId: harness.session });
  await following.turns(1);
  return { session: harness.session, seen: [...following.seen] };
}

const RUNS = "printf changed >kept.txt; rm gone.txt; mkdir new; touch same.txt ready; sleep 300";

requireProgram("bwrap")(
  "[ENG-09 BUS-03] a cancel while a command runs emits BashCancelledMidCommand with its time and the files it changed",
  async () => {
    await using place = openPlace(calls("Bash", { command: RUNS }));
    place.write("kept.txt", "kept\n");
    place.write("gone.txt", "here\n");
    place.write("same.txt", "same\n");
    const { session, seen } = await cancelled(place);
    const errors = seen.flatMap((event) => (event.kind === "Error" ? [event.payload] : []));
    const told = errors.find(({ reason }) => reason === "BashCancelledMidCommand");
    expect(told?.details).toEqual({
      duration: expect.stringMatching(/^\d+\.\d s$/),
      list: "gone.txt, kept.txt, ready",
      affected: "gone.txt, kept.txt, ready",
      id: session,
      callId: expect.stringMatching(/^call_\w+$/),
    });
    expect(told?.message).toMatch(
      /^Cancelled mid-Bash\. The command ran for \d+\.\d s and may have modified files\. Files possibly affected: gone\.txt, kept\.txt, ready\. Review \/sessions:diff sess_\w+ to see what changed\.$/,
    );
    const order: readonly string[] = ["ToolCallStarted", "Error", "ToolResult", "TurnEnded"];
    expect(seen.map(({ kind }): string => kind).filter((kind) => order.includes(kind))).toEqual([...order]);
    expect(seen.at(-1)).toMatchObject({ kind: "TurnEnded", payload: { reason: "cancelled" } });
  },
);

test("[ENG-09 BUS-03] where files are not kept, a cancelled command says that its changes are not known", async () => {
  await using place = openPlace(calls("Bash", { command: RUNS }));
  place.config(
    `[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n[checkpoint]\nenabled = false\n`,
  );
  const { seen } = await cancelled(place);
  const errors = seen.flatMap((event) => (event.kind === "Error" ? [event.payload] : []));
  expect(errors.find(({ reason }) => reason === "BashCancelledMidCommand")?.details).toMatchObject({
    list: "not known, since files are not kept ([checkpoint] enabled)",
  });
});

test("[ENG-09 BUS-03] a command that only reads has changed no file, whatever else has changed meanwhile", async () => {
  await using place = openPlace(calls("Bash", { command: "cat same.txt waits" }));
  place.write("same.txt", "same\n");
  Bun.spawnSync(["mkfifo", join(place.repo, "waits")]);
  await using harness = await place.open({ wishes: { autoApprove: true } });
  await using following = await follow(harness);
  await following.say("watch it");
  await until("its first output", () => following.seen.some(({ kind }) => kind === "ToolCallProgress"));
  place.write("other.txt", "of somebody else\n");
  await following.connection.send({ kind: "CancelTurn", sessionId: harness.session });
  await following.turns(1);
  const errors = following.seen.flatMap((event) => (event.kind === "Error" ? [event.payload] : []));
  const cancelled = errors.filter(({ reason }) => reason === "BashCancelledMidCommand");
  expect(cancelled).toMatchObject([{ details: { list: "none seen" } }]);
});
