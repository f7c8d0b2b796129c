import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { calls, says } from "../../../test/support/mock-provider/turn.ts";
import type { Place } from "../../../test/support/place.ts";
import { connect, openPlace } from "../../../test/support/place.ts";
import { reading } from "../../../test/support/reading.ts";
import type { HarnessOptions } from "../../app/engine/options.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { Connection } from "../../protocol/connection.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import { EVERYTHING } from "../../session/access/scope.ts";

const { signal } = new AbortController();

/** A place whose model costs a tenth of a dollar a request, or more. */
function openPriced(config: string, ...script: Parameters<typeof openPlace>): Place {
  const place = openPlace(...script);
  const own = readFileSync(join(place.root, "config/config.toml"), "utf8");
  place.config(`${config}\n${own}[prices."mock:test-1"]\ninput = 100\noutput = 100\n`);
  return place;
}

/** Returns the end of the first turn of a session that an agent asked for. */
async function endingOf(
  place: Place,
  run: CommandOf<"CreateSession">["run"],
  options: Partial<HarnessOptions> = {},
): Promise<string> {
  await using harness = await place.open(options);
  const connection = await harness.attach({ identityClass: "agent", label: "outer" });
  await connection.handshake(PROTOCOL_VERSION);
  const { sessionId } = await connection.send({
    kind: "CreateSession",
    ...(run === undefined ? {} : { run }),
  });
  if (sessionId === undefined) throw new Error("no session");
  return await turnIn(connection, sessionId);
}

async function turnIn(connection: Connection, sessionId: SessionId): Promise<string> {
  const events = connection.subscribe(sessionId, { signal });
  await connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
  for await (const event of events) if (event.kind === "TurnEnded") return event.payload.reason;
  throw new Error("no end");
}

test("[ENG-13 CTL-11] an agent can lower the cap of its session, and raises none: not the flag's, the configuration's or the profile's", async () => {
  const capped = { maxCostUsd: 0.001 };
  for (const run of [undefined, { maxCostUsd: 100 }]) {
    await using flag = openPriced("", says("ok"));
    expect(await endingOf(flag, run, capped)).toBe("budget");
    await using config = openPriced("max_cost = 0.001", says("ok"));
    expect(await endingOf(config, run)).toBe("budget");
    await using profile = openPriced("", says("ok"));
    await Bun.write(join(profile.root, "config/profiles/tight.toml"), "[limits]\ncost = 0.001\n");
    expect(await endingOf(profile, run, { profile: "tight" })).toBe("complete"); // it is of another profile
    await Bun.write(join(profile.root, "config/profiles/default.toml"), "[limits]\ncost = 0.001\n");
    expect(await endingOf(profile, run)).toBe("budget");
  }
  await using place = openPriced("", says("ok"));
  expect(await endingOf(place, capped, { maxCostUsd: 5 })).toBe("budget");
  await using free = openPriced("", says("ok"));
  expect(await endingOf(free, { maxCostUsd: 5 })).toBe("complete");
});

test("[ENG-05 CTL-11] an agent can lower the rounds of its session's turns, and raises none", async () => {
  const script = () => [calls("Ls", { path: "." }), calls("Ls", { path: "." }), says("ok")] as const;
  const ending = async (maxTurns: number, options: Partial<HarnessOptions>) => {
    await using place = openPlace(...script());
    return await endingOf(place, { maxTurns }, options);
  };
  expect(await ending(100, { maxTurns: 1 })).toBe("turn_limit");
  expect(await ending(1, { maxTurns: 100 })).toBe("turn_limit");
  expect(await ending(100, {})).toBe("complete");
});

test("[CTL-11 PERM-01 ENG-13] an agent sheds nothing that a session was begun with by ending it and going on with it", async () => {
  const script = [calls("Write", { file_path: "new.txt", content: "x" }), says("could not")] as const;
  await using place = openPriced("", ...script, ...script, ...script);
  const isWritten = () => existsSync(join(place.repo, "new.txt"));
  const logs = await begunBy(place, { level: "ReadOnly", maxCostUsd: 0.5 });
  expect(await goneOn(place, logs, "agent")).toEqual(["complete", false]);
  expect(await goneOn(place, logs, "human", { maxCostUsd: 0.001 })).toEqual(["budget", false]);
  expect(await goneOn(place, logs, "agent", { maxCostUsd: 100 })).toEqual(["complete", false]);
  expect(isWritten()).toBe(false);
  expect(await goneOn(place, logs, "human")).toEqual(["complete", true]);
  const capped = await begunBy(place, { maxCostUsd: 0.001 });
  expect((await goneOn(place, capped, "agent", { maxCostUsd: 100 }))[0]).toBe("budget");

  /** A person begins a session, and ends it. */
  async function begunBy(at: Place, run: NonNullable<CommandOf<"CreateSession">["run"]>) {
    await using harness = await at.open();
    const connection = await connect(harness);
    const { sessionId } = await connection.send({ kind: "CreateSession", run });
    if (sessionId === undefined) throw new Error("no session");
    const { log } = await reading(await harness.port([])).session(sessionId, EVERYTHING);
    return log;
  }

  async function goneOn(
    at: Place,
    resume: LogId,
    identityClass: "human" | "agent",
    run?: CommandOf<"CreateSession">["run"],
  ) {
    await using harness = await at.open();
    const connection = await harness.attach({ identityClass, label: "outer" });
    await connection.handshake(PROTOCOL_VERSION);
    const wanted = { kind: "CreateSession", resume, ...(run === undefined ? {} : { run }) } as const;
    const { sessionId } = await connection.send(wanted);
    if (sessionId === undefined) throw new Error("no session");
    return [await turnIn(connection, sessionId), isWritten()];
  }
});
