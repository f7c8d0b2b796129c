import type { AnyCommand } from "../../args/parsed-call.ts";
import { CONFORMANCE_FLAGS } from "./flags.ts";

export const conformanceCommand: AnyCommand = {
  name: "conformance",
  brief: "test a protocol server",
  summary: "Walks a server of the protocol, ours or another, through its scenarios and reports each.",
  about: "It needs a token of the server that may make others. Exit code 1 if a scenario fails.",
  flags: CONFORMANCE_FLAGS,
  settings: ["profile"],
  required: [["against"]],
  examples: [
    {
      line: "cinch conformance --against http://127.0.0.1:8080",
      does: "runs all scenarios",
      needs: "another program",
    },
    {
      line: "cinch conformance --against unix:///run/cinch.sock --quick --json",
      does: "runs the quick ones, for a program",
      needs: "another program",
    },
  ],
  page: "conformance.md",
  load: () => import("./run.ts"),
};
