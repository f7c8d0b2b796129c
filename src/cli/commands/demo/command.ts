import type { AnyCommand } from "../../args/parsed-call.ts";
import { DEMO_FLAGS } from "./flags.ts";

export const demoCommand: AnyCommand = {
  name: "demo",
  brief: "watch a bug being fixed",
  summary: "Plays a recorded model that fixes a real bug with real tools. Needs no key.",
  flags: DEMO_FLAGS,
  settings: ["log-to-stderr", "log-level", "insecure-dev-key"],
  needs: "engine",
  examples: [
    { line: "cinch demo", does: "fixes the bug in a copy of a small project", needs: "its own test" },
    {
      line: "cinch demo --fixed",
      does: "shows how a recording that no longer fits ends",
      needs: "its own test",
    },
  ],
  load: () => import("./run.ts"),
};
