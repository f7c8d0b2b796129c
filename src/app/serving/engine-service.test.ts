import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openPlace } from "../../../test/support/place.ts";
import type { Listen } from "../../base/world.ts";
import { openHarness } from "../harness.ts";
import { openEngineService } from "./engine-service.ts";

const { signal } = new AbortController();

test("[AUTH-11 CTL-15] from the first time that its health is ok an engine gives its owner a token; before, it is starting", async () => {
  await using place = openPlace();
  const { world, ...rest } = place.options({ wishes: { attended: true } });
  const { promise: listening, resolve: listens } = Promise.withResolvers<void>();
  const { promise: door, resolve: openDoor } = Promise.withResolvers<void>();
  // The start is held where the engine listens and has no token yet.
  const listen: Listen = async (...given) => {
    const listener = await world.listen(...given);
    listens();
    await door;
    return listener;
  };
  const unix = join(rest.paths.data, "control.sock");
  const health = async () => {
    const answer = await fetch("http://localhost/v1/health", { unix });
    return [answer.status, await answer.json()];
  };
  const hasToken = () => existsSync(join(rest.paths.state, "owner.token"));
  const starting = openEngineService({ ...rest, world: { ...world, listen } }, openHarness, signal);
  try {
    await Promise.race([listening, starting]);
    expect([await health(), hasToken()]).toMatchObject([[503, { status: "starting" }], false]);
  } finally {
    openDoor();
  }
  let answer = await health();
  while (answer[0] === 503) answer = await health();
  expect([answer, hasToken()]).toMatchObject([[200, { status: "ok" }], true]);
  await using _service = await starting;
  expect(await health()).toMatchObject([200, { status: "ok" }]);
});
