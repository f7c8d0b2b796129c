import { expect, test } from "bun:test";
import { connect } from "node:net";
import { SILENT } from "../../base/log.ts";
import { hostListen } from "../../host/listen.ts";
import { pulledBody, sseFrame } from "./sse.ts";

/** Resolves once a count has stood still over many turns of the event loop. */
async function settledAt(count: () => number): Promise<number> {
  for (let still = 0, last = -1; still < 200; still++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (count() !== last) still = 0;
    last = count();
  }
  return count();
}

test("[ENG-08 CTL-06] for a reader that stops no more is made than fits into its socket, and leaving it ends the making", async () => {
  const pieces = 2_000;
  const piece = sseFrame("x".repeat(64 * 1_024));
  let made = 0;
  const left = Promise.withResolvers<void>();
  async function* endless(): AsyncGenerator<string> {
    for (; made < pieces; made++) yield piece;
  }
  await using listening = await hostListen(SILENT)({
    target: { kind: "tcp", hostname: "127.0.0.1", port: 0 },
    handle: () => new Response(pulledBody(endless(), { left: left.resolve, failed: () => "" })),
  });
  const client = connect(Number(new URL(listening.address).port), "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await new Promise((resolve) => client.once("data", resolve));
  client.pause();
  const stoodAt = await settledAt(() => made);
  expect(stoodAt).toBeLessThan(pieces / 4); // 130 MB do not fit between the two
  client.destroy();
  await left.promise;
  expect(await settledAt(() => made)).toBeLessThan(pieces / 2);
});

test("[CTL-06] what fails in the middle of a stream is told in it, as an event of its own", async () => {
  async function* failing(): AsyncGenerator<string> {
    yield ": ok\n\n";
    throw new Error("the inner workings");
  }
  const failed = () => sseFrame({ reason: "InternalError" }, { event: "refused" });
  const body = pulledBody(failing(), { left: () => undefined, failed });
  expect(await new Response(body).text()).toBe(
    ': ok\n\nevent: refused\ndata: {"reason":"InternalError"}\n\n',
  );
});
