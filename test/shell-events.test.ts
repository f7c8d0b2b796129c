import { expect, test } from "bun:test";
import { filesUnder, readSource } from "./support/source.ts";

const READS_CALLS = /"(?:ToolCallStarted|ToolResult)"/u;

const TELLS_BY_ITSELF = /\bshell [!=]== true/u;

/** Files that read calls and treat a command of a person like any other call, with the reason. */
const ALIKE: Readonly<Record<string, string>> = {
  "cli/commands/demo/screen.ts": "the demo runs no command of a person",
  "client/line/output/event-printer.ts": "shows every call",
  "client/line/output/result-lines.ts": "shows every call",
  "client/terminal/transcript/browse/whole-source.ts": "shows every call",
  "conformance/documented-kinds.ts": "names kinds",
  "conformance/scenarios/commands.ts": "reads the calls that it makes",
  "conformance/scenarios/permission.ts": "reads the calls that it makes",
  "conformance/scenarios/rest.ts": "reads the calls that it makes",
  "conformance/scenarios/streams.ts": "reads the calls that it makes",
  "conformance/scenarios/turns.ts": "reads the calls that it makes",
  "engine/bus/bus.ts": "stores every call",
  "engine/bus/redaction.ts": "redacts every call",
  "engine/bus/subscriber.ts": "passes on every call",
  "engine/loop/dispatch.ts": "publishes every call",
  "engine/recover.ts": "settles every call that a crash has left",
  "protocol/kinds.ts": "names kinds",
  "server/acp/session/updates/shown-call.ts": "shows every call",
  "server/acp/session/updates/terminals.ts": "shows every call",
  "server/acp/session/updates/updates.ts": "shows every call",
  "server/hub/queries/history/history-reader.ts": "pages of every call",
  "server/minimal/projection.ts": "shows every call",
  "session/transcript/markdown/markdown-call.ts": "renders every call",
  "session/turns/shell/settle-shell-runs.ts": "publishes nothing else",
  "view/paging/older-facts.ts": "reads the calls that run a sub-agent: none is of a person",
  "view/questions/questions.ts": "the question about a call closes with it, whoever runs it",
  "view/session/calls/incoming-calls.ts": "a model writes the calls in it",
  "view/session/session-view.ts": "hands every call to the folds of its parts",
  "view/session/sub-agents.ts": "a call that runs a sub-agent is none of a person",
  "view/transcript/notes.ts": "a call is no note, whoever runs it",
  "view/transcript/pages.ts": "a page has the end of every call",
  "view/transcript/segment.ts": "shows every call; the item of one says whose it is",
  "view/transcript/transcript.ts": "shows every call; the item of one says whose it is",
};

test("[CTL-19] each file that reads calls says what a command of a person is to it", () => {
  const silent = filesUnder("src", "**/*.ts")
    .filter((file) => !file.endsWith(".test.ts"))
    .filter((file) => {
      const source = readSource(file);
      return READS_CALLS.test(source) && !source.includes("isShellEvent");
    })
    .map((file) => file.replace(/^src\//u, ""));
  expect(silent.toSorted()).toEqual(Object.keys(ALIKE).toSorted());
});

// Seen red: two files read the field of the payload by themselves.
test("[CTL-19] a command of a person is known by one function", () => {
  const found = filesUnder("src", "**/*.ts")
    .filter((file) => !file.endsWith(".test.ts") && TELLS_BY_ITSELF.test(readSource(file)))
    .map((file) => file.replace(/^src\//u, ""));
  // The second reads the field of an open call, which it has filled in by that function.
  expect(found.toSorted()).toEqual(["view/event-facts.ts", "view/session/calls/open-calls.ts"]);
});
