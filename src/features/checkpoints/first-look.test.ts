import { expect, spyOn, test } from "bun:test";
import { calls, says } from "../../../test/support/mock-provider/turn.ts";
import { openPlace, turn } from "../../../test/support/place.ts";
import { hostTree } from "../../platform/files/tree.ts";

/** An answer that takes long enough for work beside it. */
const SLOWLY = { paceMs: 20, deltaChars: 1 } as const;
const NO_SANDBOX = '[sandbox]\nbackend = "none"\n';

test("[SES-15 PERF-02] a session that only reads never looks at the workspace; its first change does", async () => {
  using looks = spyOn(hostTree, "scan");
  await using place = openPlace(
    calls("Read", { file_path: "note.txt" }, SLOWLY),
    calls("Bash", { command: "cat note.txt" }, SLOWLY),
    says("It was read.", SLOWLY),
    says("Another turn.", SLOWLY),
    calls("Bash", { command: "echo 2 >note.txt" }),
    says("It was changed."),
  );
  place.write("note.txt", "1\n");
  place.config(`[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n${NO_SANDBOX}`);
  await using harness = await place.open({ wishes: { autoApprove: true } });
  const read = await turn(harness, "read");
  expect(read.filter(({ kind }) => kind === "ToolResult").length).toBe(2);
  await turn(harness, "go on");
  expect(looks).toHaveBeenCalledTimes(0);
  const changed = await turn(harness, "change");
  expect(changed.filter(({ kind }) => kind === "CheckpointMade").length).toBe(1);
  expect(looks.mock.calls.map(([root]) => root)).toContain(place.repo);
});
