import { expect, test } from "bun:test";
import { says } from "../../../test/support/mock-provider/turn.ts";
import { connect, openPlace, turn } from "../../../test/support/place.ts";
import { objectAt } from "../../base/json.ts";

/** Fields of the answer of each former verb, as protocol 0.2.0 gave them, whatever words stood behind it. */
const ANSWERED = {
  "sessions:list": ["text", "sessions"],
  "sessions:find": ["text", "session", "log", "status", "pid", "title", "profile", "model", "turns"],
  "sessions:dismiss": ["text"],
  "engine:health": ["text"],
  "engine:web": ["text"],
  "profile:show": ["text"],
  "profile:list": ["text", "profiles"],
  "skills:list": ["text", "skills"],
  "agents:list": ["text"],
  "agents:nope": ["text"],
} as const;

test("[BUS-08] former verbs answer with the fields that they had, without words and with surplus ones", async () => {
  await using place = openPlace(says("hello"));
  await using harness = await place.open({ wishes: { attended: true } });
  await turn(harness, "go");
  const client = await connect(harness);
  const { session: sessionId } = harness;
  for (const [name, fields] of Object.entries(ANSWERED)) {
    const [namespace = "", verb = ""] = name.split(":");
    for (const args of [undefined, [], [sessionId], [sessionId, "y"]]) {
      const payload = args === undefined ? undefined : { args };
      const accepted = await client.send({ kind: "CustomCommand", sessionId, namespace, verb, payload });
      const result = objectAt(accepted, "result") ?? {};
      expect([name, args, fields.filter((field) => !(field in result))]).toEqual([name, args, []]);
      if (name === "sessions:find")
        expect(accepted).toMatchObject({ sessionId, result: { session: sessionId, pid: process.pid } });
      if (name === "sessions:list")
        expect(result["sessions"]).toMatchObject([{ session: sessionId, pid: process.pid }]);
    }
  }
});
