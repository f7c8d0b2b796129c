import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openPlace } from "../../../test/support/place.ts";
import type { Health } from "../../protocol/resources.ts";
import { openHarness } from "../harness.ts";
import { openEngineService } from "./engine-service.ts";

const { signal } = new AbortController();

test("[AUTH-11 CTL-15] from the first time that its health is ok an engine gives its owner a token; before, it is starting", async () => {
  await using place = openPlace();
  const options = place.options({ attended: true });
  const unix = join(options.paths.data, "control.sock");
  const seen = new Set<string>();
  let isOpen = false;
  async function watch(): Promise<boolean> {
    while (!isOpen) {
      const answer = await fetch("http://localhost/v1/health", { unix }).catch(() => undefined);
      if (answer === undefined) continue;
      const { status } = (await answer.json()) as Health;
      expect(answer.status).toBe(status === "ok" ? 200 : 503);
      seen.add(status);
      if (status === "ok") return existsSync(join(options.paths.state, "owner.token"));
    }
    return true;
  }
  const watching = watch();
  await using _service = await openEngineService(options, openHarness, signal);
  isOpen = true;
  expect(await watching).toBe(true);
  expect(seen).toContain("starting");
  const answer = await fetch("http://localhost/v1/health", { unix });
  expect([answer.status, await answer.json()]).toMatchObject([200, { status: "ok" }]);
});
