import { expect, test } from "bun:test";
import { settle } from "../../../../test/support/fake-clock.ts";
import { LatestRequest } from "./latest-request.ts";

test("[TUI-06] one request runs at a time, only the newest of those behind it, and a failure stops none", async () => {
  const told: unknown[] = [];
  const ran: string[] = [];
  const newest: string[] = [];
  let end: (failure?: Error) => void = () => undefined;
  const requests = new LatestRequest<string>(
    { showFailure: (each) => told.push(each) },
    async (name, isNewest) => {
      ran.push(name);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      end = (failure) => (failure === undefined ? resolve() : reject(failure));
      await promise;
      if (isNewest()) newest.push(name);
    },
  );
  for (const name of ["a", "b", "c"]) requests.want(name);
  expect(ran).toEqual(["a"]);
  end(new Error("refused"));
  await settle();
  expect([ran, told]).toEqual([["a", "c"], [new Error("refused")]]);
  end();
  await settle();
  requests.want("d");
  requests.forget();
  end();
  await settle();
  expect([ran, newest]).toEqual([["a", "c", "d"], ["c"]]);
});
