import { expect, test } from "bun:test";
import * as fc from "fast-check";
import type { MockRequest } from "../../../../test/support/mock-provider/mock-provider.ts";
import type { Turn } from "../../../../test/support/mock-provider/turn.ts";
import { says } from "../../../../test/support/mock-provider/turn.ts";
import { connect, openPlaceWith, turn } from "../../../../test/support/place.ts";
import { filesOf } from "../../../../test/support/rewind-properties.ts";

const SEED = 60_114_377;
const TURNS = 25;
const NAMES = ["a.txt", "b.txt", "folder/c.txt", "d e.txt"] as const;
const BODIES = ["one\ntwo\nthree\nfour\n", "1\n2\n3\n", "two\n", ""] as const;

const name = fc.constantFrom(...NAMES);
/** A call, with what its arguments are. Some fail, and some change nothing. */
const call = fc.oneof(
  fc
    .record({ file_path: name, content: fc.constantFrom(...BODIES) })
    .map((input) => ({ tool: "Write", input })),
  fc
    .record({
      file_path: name,
      old_string: fc.constantFrom("two", "1", "absent"),
      new_string: fc.constantFrom("2", "two"),
    })
    .map((input) => ({ tool: "Edit", input })),
  fc
    .oneof(
      fc.tuple(name, name).map(([from, to]) => `mv '${from}' '${to}'`),
      name.map((path) => `rm -f '${path}'`),
      name.map((path) => `echo more >>'${path}'`),
      name.map((path) => `cp '${path}' kept; echo x >'${path}'; mv kept '${path}'`),
      name.map((path) => `chmod 755 '${path}'; ln -sf '${path}' link`),
      fc.constant("mkdir -p new/deep && seq 9 >new/deep/made && rm -rf new/other"),
    )
    .map((command) => ({ tool: "Bash", input: { command } })),
  fc.constant({ tool: "Bash", input: { command: "ls" } }),
);

test("[CTL-19] ListTurns and GetChanges name the same files over turns of writes, edits and commands", async () => {
  const turns = fc.sample(fc.array(call, { minLength: 1, maxLength: 4 }), { numRuns: TURNS, seed: SEED });
  const script: Turn[] = turns.flatMap((parts) => [{ parts }, says("done")]);
  await using place = openPlaceWith(script);
  for (const path of NAMES) place.write(path, BODIES[0]);
  await using harness = await place.open({ wishes: { autoApprove: true } });
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  let [wrote, byCommand] = [0, 0];
  for (const [index, parts] of turns.entries()) {
    const events = await turn(harness, `turn ${index}`);
    const listed = (await connection.query({ kind: "ListTurns", sessionId, limit: 1 })).turns[0];
    const changes = await connection.query({ kind: "GetChanges", sessionId, turn: index + 1 });
    const shown = filesOf(changes);
    expect(listed).toMatchObject({ turn: index + 1, files: shown });
    const ended = events.find(({ kind }) => kind === "TurnEnded")?.payload as { readonly files?: unknown };
    if (ended.files !== undefined) expect(ended.files).toEqual(shown);
    if (shown.length > 0) wrote += 1;
    if (shown.length > 0 && parts.every(({ tool }) => tool === "Bash")) byCommand += 1;
  }
  expect([wrote > 5, byCommand > 1]).toEqual([true, true]);
  // The same after a restart, from the log.
  const all = (await connection.query({ kind: "ListTurns", sessionId, limit: TURNS })).turns;
  await harness[Symbol.asyncDispose]();
  await using next = await place.open({ wishes: { autoApprove: true } });
  const again = await (await connect(next)).query({ kind: "ListTurns", sessionId, limit: TURNS });
  expect(again.turns.map(({ files }) => files)).toEqual(all.map(({ files }) => files));
});

test("[CTL-19] without checkpoints a turn lists the files that calls named", async () => {
  const script = (request: MockRequest): Turn =>
    JSON.stringify(request.body).includes("tool_result")
      ? says("done")
      : {
          parts: [
            { tool: "Write", input: { file_path: "made.txt", content: "x" } },
            { tool: "Bash", input: { command: "touch other" } },
          ],
        };
  await using place = openPlaceWith(script);
  place.config(
    `[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n[checkpoint]\nenabled = false\n`,
  );
  await using harness = await place.open({ wishes: { autoApprove: true } });
  const events = await turn(harness, "go");
  expect(events.find(({ kind }) => kind === "TurnEnded")?.payload).not.toHaveProperty("files");
  const connection = await connect(harness);
  const { turns } = await connection.query({ kind: "ListTurns", sessionId: harness.session });
  expect(turns.map(({ files }) => files)).toEqual([["made.txt"]]);
});
