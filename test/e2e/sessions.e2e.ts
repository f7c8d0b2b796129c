import { test } from "bun:test";
import { liveThrough } from "../support/live-through.ts";
import { openLife } from "../support/session-life.ts";

/** `npm run soak -- --session` asks for more. */
const TURNS = Number(process.env["CINCH_SESSION_TURNS"] ?? 40);
const TIMEOUT_MS = 60_000 + TURNS * 2_000;

test(
  "[SES-06 SES-07 SES-08 SES-09 SES-10 SES-15 SES-17 REL-02] a session of real tool turns is killed, resumed, branched, rewound, exported, imported and replayed from the command line",
  async () => {
    await using rig = openLife();
    await liveThrough(rig, TURNS);
  },
  TIMEOUT_MS,
);
