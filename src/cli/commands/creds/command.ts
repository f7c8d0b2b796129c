import type { AnyCommand } from "../../args/parsed-call.ts";
import { CREDS_FLAGS, CREDS_VERBS } from "./flags.ts";

export const credsCommand: AnyCommand = {
  name: "creds",
  brief: "keep provider keys",
  summary: "Keeps the keys of providers and the logins of servers, encrypted.",
  about:
    "A key is never an argument and never printed. A variable of the environment goes before a stored key.",
  flags: CREDS_FLAGS,
  settings: ["insecure-dev-key"],
  verbs: CREDS_VERBS,
  examples: [
    { line: "cinch creds add anthropic", does: "asks for the key and stores it", needs: "a person" },
    { line: "cinch creds list", does: "lists the keys and where each comes from" },
  ],
  load: () => import("./run.ts"),
};
