import { writeSync } from "node:fs";
import { join } from "node:path";
import { openHarness } from "../../src/app/harness.ts";
import { PROGRAM_FEATURES } from "../../src/app/plan/feature-set.ts";
import type { SessionId } from "../../src/base/ids.ts";
import { SILENT_LOG } from "../../src/base/log.ts";
import { hostWorld } from "../../src/platform/host.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";

/**
 * An engine that is asked something, switches the profile, and begins anew, until it is killed: `switch-child.ts
 * <folder> <number>`. It goes on with the last session that it finds there, and tells on standard output what it was
 * answered.
 */
const [folder = "", number = "0"] = process.argv.slice(2);
const { signal } = new AbortController();
const PROFILES = ["self", "default"] as const;

await using harness = await openHarness(
  {
    world: hostWorld(SILENT_LOG),
    paths: { config: join(folder, "config"), data: join(folder, "data"), state: join(folder, "state") },
    workingDir: join(folder, "work"),
    model: "conformance:cues",
    features: PROGRAM_FEATURES,
    wishes: {
      autoApprove: false,
      strictPermissions: false,
      attended: false,
      environment: { PATH: process.env["PATH"] ?? "", HOME: folder },
    },
    ...(number === "0" ? {} : { resume: { kind: "last" } }),
  },
  signal,
);
const connection = await harness.attach({ identityClass: "human", label: "switch rig" });
await connection.handshake(PROTOCOL_VERSION);
let sessionId = harness.session;
tell(`begins in ${harness.logId}`);
for (let round = 0; ; round += 1) {
  const text = `input ${number} ${round}`;
  const events = connection.subscribe(sessionId, { signal });
  const content = [{ type: "text" as const, text }];
  await connection.send({ kind: "SendInput", sessionId, content });
  tell(`accepted ${text}`);
  let isOurs = false; // a turn that an earlier engine began is ended first
  for await (const { kind, payload } of events) {
    isOurs ||= kind === "TurnStarted" && JSON.stringify(payload.content).includes(`"${text}"`);
    if (isOurs && kind === "TurnEnded") break;
  }
  void watch(sessionId);
  tell("switching");
  const profile = PROFILES[round % PROFILES.length] ?? "default";
  const way = round % 2 === 1 ? { inPlace: true } : {};
  const switched = await connection.send({ kind: "SwitchProfile", sessionId, profile, ...way });
  sessionId = switched.sessionId ?? sessionId;
  tell(`switched ${sessionId}`);
}

/** Tells how the session is left. */
async function watch(session: SessionId): Promise<void> {
  for await (const { kind } of connection.subscribe(session, { signal }))
    if (kind === "ProfileSwitched" || kind === "SessionEnded") tell(kind);
}

function tell(line: string): void {
  writeSync(1, `${line}\n`);
}
