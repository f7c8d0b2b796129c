import { expect, test } from "bun:test";
import { openHarness } from "../src/app/harness.ts";
import { openControlPlane } from "../src/app/serving/control-plane.ts";
import type { ResultOf } from "../src/protocol/queries/queries.ts";
import { readResult } from "../src/protocol/queries/read-query.ts";
import { openPlace } from "./support/place.ts";

const { signal } = new AbortController();

test("[CTL-19 CTL-06] files, commands, session ids and models are completed over REST with nothing but fetch", async () => {
  await using place = openPlace();
  for (const path of ["src/engine.ts", "src/engine.test.ts", ".env"]) place.write(path, "x");
  await using plane = await openControlPlane(
    place.options({ wishes: { attended: true } }),
    openHarness,
    signal,
  );
  const [unix = ""] = plane.addresses;
  const token = plane.authority.mint({ identityClass: "human" }, "engine");
  let client = "";
  const send = async (path: string, json?: unknown) => {
    const answer = await fetch(`http://localhost${path}`, {
      unix,
      headers: {
        "x-harness-token": token,
        ...(client === "" ? {} : { "x-harness-client": client }),
        ...(json === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }),
    });
    client = answer.headers.get("x-harness-client") ?? client;
    return answer;
  };
  await send("/v1/handshake?version=0.3.0");
  const created = await send("/v1/sessions", { profile: "default" });
  const { sessionId } = (await created.json()) as { readonly sessionId: string };
  const path = `/v1/sessions/${sessionId}/complete`;
  const complete = async (text: string): Promise<ResultOf<"Complete">> =>
    readResult("Complete", await (await send(path, { text, cursor: text.length })).json());
  const inserts = async (text: string) => (await complete(text)).items.map(({ insert }) => insert);

  expect(await complete("Fix @eng")).toEqual({
    from: 4,
    to: 8,
    items: [
      { insert: "@src/engine.ts", label: "src/engine.ts", kind: "file" },
      { insert: "@src/engine.test.ts", label: "src/engine.test.ts", kind: "file" },
    ],
    more: false,
  });
  expect(await inserts("@env")).toEqual([]);
  expect(await inserts("/compa")).toEqual(["/compact"]);
  expect(await inserts(`/resume ${sessionId}`)).toEqual([]); // nobody has used it
  await send(`/v1/sessions/${sessionId}/rename`, { title: "mine" });
  expect(await inserts(`/resume ${sessionId}`)).toEqual([sessionId]);
  expect(await inserts("/model moc")).toEqual(["mock:"]);
  for (const wrong of [
    { text: "@a" },
    { text: "@a", cursor: 3 },
    { text: 1, cursor: 0 },
    { text: "@a", cursor: 2, limit: 0 },
  ])
    expect((await send(path, wrong)).status).toBe(400);
  const other = await send("/v1/sessions/sess_nobody/complete", { text: "@a", cursor: 2 });
  expect(other.status).toBeGreaterThanOrEqual(400);
  expect(other.status).toBeLessThan(500);
});
