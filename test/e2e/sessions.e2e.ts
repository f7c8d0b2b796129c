import { test } from "bun:test";
import { liveThrough } from "../support/live-through.ts";
import { openLife } from "../support/session-life.ts";

const TURNS = 40;
const TIMEOUT_MS = 120_000;

test(
  "[SES-06 SES-07 SES-08 SES-09 SES-10 SES-15 SES-17 REL-02] a session of real tool turns is killed, resumed, branched, rewound, exported, imported and replayed from the command line",
  async () => {
    await using rig = openLife();
    await liveThrough(rig, TURNS);
  },
  TIMEOUT_MS,
);
