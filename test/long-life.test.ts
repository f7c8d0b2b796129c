import { expect, test } from "bun:test";
import { openTalkingEngine } from "./support/engine-life.ts";
import { liveLong } from "./support/long-life.ts";
import { until } from "./support/until.ts";

/** Allowed random growth: two sessions that the collector kept. A leak per turn or session would be more. */
const ADDED_MAX = 150;
/** A message that is held is four: itself, its list of blocks, a block, a text. */
const HELD_PER_TURN_MAX = 3;
const TRIES_MAX = 3;
const TIMEOUT_MS = 300_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test(
  "[REL-04] hundreds of turns of one session, and two hundred sessions of one engine, leave nothing behind that somebody forgot",
  async () => {
    const { turns, sessions } = await liveLong({ turns: 400, sessions: 200 });
    for (const [of, added] of Object.entries({ turns, sessions })) {
      for (const [what, count] of Object.entries(added))
        expect([of, what, count <= ADDED_MAX]).toEqual([of, what, true]);
    }
  },
  TIMEOUT_MS,
);

test(
  "[PERF-04 REL-04] an idle session holds nothing of the turns that it took, whatever looks at messages",
  async () => {
    await using engine = await openTalkingEngine();
    const [sessionId, other] = [await engine.create(), await engine.create()];
    const held = async (turns: number) => {
      await engine.talk(sessionId, turns);
      await engine.talk(other, 1); // of a provider's newest request the bytes are kept, for the next one
      return await engine.heldWhenIdle();
    };
    let before = await held(50);
    const perTurn: number[] = [];
    // The collector may keep one request, since something on the stack looks like its address. A leak shows each time.
    for (let at = 0; at < TRIES_MAX && !perTurn.some((each) => each < HELD_PER_TURN_MAX); at++) {
      const after = await held(200);
      perTurn.push((after - before) / 200);
      before = after;
    }
    expect(Math.min(...perTurn)).toBeLessThan(HELD_PER_TURN_MAX);
  },
  TIMEOUT_MS,
);

test(
  "[PERF-04 SES-11 SES-06] an idle engine is woken by the hourly expiry alone, for as long as its sessions are followed",
  async () => {
    await using engine = await openTalkingEngine();
    const sessions = await Promise.all(Array.from({ length: 5 }, () => engine.create()));
    await Promise.all(sessions.map((sessionId) => engine.talk(sessionId, 3)));
    const stop = new AbortController();
    const following = sessions.map((sessionId) =>
      Array.fromAsync(engine.connection.subscribe(sessionId, { signal: stop.signal })),
    );
    await engine.heldWhenIdle();
    // The engine's own first session, which nobody follows, and the next expiry: the first one reads files meanwhile.
    await until("what began with the first requests is over", () => engine.clock.waiting === 2);
    const { armed } = engine;
    for (let hour = 1; hour <= 24; hour++) {
      await engine.clock.advance(HOUR_MS);
      // Each expiry has a time limit, and arms the next one.
      await until(
        "the next expiry is armed",
        () => engine.armed - armed >= 2 * hour && engine.clock.waiting === 1,
      );
    }
    expect(engine.armed - armed).toBe(2 * 24);
    stop.abort();
    await Promise.all(following);
  },
  TIMEOUT_MS,
);

test(
  "[SES-06 SES-11] a session that is pinned while it lives outlasts its time limit, and ends after it when it is not any more",
  async () => {
    await using engine = await openTalkingEngine();
    const { connection, clock } = engine;
    const sessionId = await engine.create();
    await engine.talk(sessionId, 1);
    /** One that is being ended refuses commands too. */
    const isLive = () =>
      connection.send({ kind: "CancelTurn", sessionId }).then(
        () => true,
        () => false,
      );
    await connection.send({ kind: "PinSession", sessionId, pinned: true });
    await clock.advance(DAY_MS);
    expect(await isLive()).toBe(true);
    await connection.send({ kind: "PinSession", sessionId, pinned: false });
    await clock.advance(DAY_MS);
    await until("the session has ended", async () => !(await isLive()));
  },
  TIMEOUT_MS,
);
