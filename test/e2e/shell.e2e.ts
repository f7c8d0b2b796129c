import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { says } from "../support/mock-provider/turn.ts";
import { noneWith, someWith } from "../support/processes.ts";
import { openServed } from "../support/served.ts";
import { until } from "../support/until.ts";

const TIMEOUT_MS = 240_000;
const CONFIG = '[sandbox]\nbackend = "none"\n';

interface Event {
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

// Seen red: without settling, neither command ever ended.
test(
  "[CTL-19 SES-03] commands of a person whose engine was killed end as interrupted in the next run, and the model reads of those that it should see",
  async () => {
    const own = `600.${Math.floor(Math.random() * 1e9)}`;
    await using served = await openServed({
      script: [says("noted"), says("still")],
      flags: ["--model", "mock:one", "--auto-approve"],
      config: CONFIG,
    });
    const token = await served.token();
    const session = await served.session(token);
    const shell = async (command: string, toModel: boolean): Promise<string> => {
      const answer = await served.ask(`/v1/sessions/${session}/shell`, token, { command, toModel });
      expect(answer.status).toBe(200);
      return ((await answer.json()) as { result: { callId: string } }).result.callId;
    };
    const cut = await shell(`touch began; setsid sleep ${own}`, true);
    const waited = await shell("touch waited", false);
    await until("it has begun", () => existsSync(join(served.work, "began")));
    await someWith(own);
    const { sessions } = (await (await served.ask("/v1/sessions", token)).json()) as {
      readonly sessions: readonly { readonly session: string; readonly log: string }[];
    };
    const log = sessions.find((each) => each.session === session)?.log;
    await served.kill();
    await served.start();
    const again = await served.token();
    const opened = await served.ask("/v1/sessions", again, { resume: log });
    const { sessionId } = (await opened.json()) as { readonly sessionId: string };
    const input = { content: [{ type: "text", text: "what now?" }] };
    const ended = await served.ask(`/v1/sessions/${sessionId}/input?wait=turn`, again, input);
    expect(await ended.json()).toMatchObject({ text: "noted", reason: "complete" });
    await noneWith(own);
    expect(existsSync(join(served.work, "waited"))).toBe(false);
    const events = await eventsOf(served, again, sessionId);
    const results = events.flatMap(({ kind, payload }) => (kind === "ToolResult" ? [payload] : []));
    const told = (callId: string) => JSON.stringify(results.filter((each) => each["callId"] === callId));
    expect(results).toHaveLength(2);
    expect(told(cut)).toContain("Whether it took effect, wholly or in part, is unknown");
    expect(told(waited)).toContain("not executed: the process ended before it");
    const sent = JSON.stringify(served.provider.requests.at(-1)?.body);
    expect(sent.split("touch began").length - 1).toBe(1);
    expect(sent).not.toContain("touch waited");
    // A second start finds nothing open.
    await served.kill();
    await served.start();
    const third = await served.token();
    const next = (await (await served.ask("/v1/sessions", third, { resume: log })).json()) as typeof input & {
      readonly sessionId: string;
    };
    await served.ask(`/v1/sessions/${next.sessionId}/input?wait=turn`, third, input);
    const later = await eventsOf(served, third, next.sessionId);
    expect(later.filter(({ kind }) => kind === "ToolResult")).toHaveLength(2);
  },
  TIMEOUT_MS,
);

/** The events of a session's log so far, read as a client that comes late. */
async function eventsOf(
  served: Awaited<ReturnType<typeof openServed>>,
  token: string,
  session: string,
): Promise<readonly Event[]> {
  const stream = await served.ask(`/v1/sessions/${session}/events?since=0`, token);
  const reader = stream.body?.getReader();
  let text = "";
  const decoder = new TextDecoder();
  while (reader !== undefined && text.split("event: TurnEnded").length < 2) {
    const { value, done } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  await reader?.cancel();
  return text
    .split("\n")
    .flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6)) as Event] : []));
}
