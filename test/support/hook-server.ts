import { until } from "./until.ts";

/** A request that a webhook has got. */
export interface PostedNotice {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HookServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly posted: readonly PostedNotice[];
  /** Waits until so many requests have come. */
  until(count: number): Promise<void>;
}

/** An answer of the webhook: a status, a whole answer, or none for ever. */
export type HookAnswer = number | Response | "hangs";

/** Starts a webhook that answers by a script; 200 after its end. */
export function startHookServer(script: readonly HookAnswer[] = []): HookServer {
  const posted: PostedNotice[] = [];
  const over = Promise.withResolvers<void>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const answer = script[posted.length] ?? 200;
      const headers = Object.fromEntries(request.headers);
      posted.push({ path: new URL(request.url).pathname, headers, body: await request.text() });
      if (answer instanceof Response) return answer;
      if (answer === "hangs") await over.promise;
      return new Response("", { status: answer === "hangs" ? 200 : answer });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    posted,
    until: (count) => until(`${count} notices were posted`, () => posted.length >= count),
    async [Symbol.asyncDispose]() {
      over.resolve();
      await server.stop(true);
    },
  };
}
