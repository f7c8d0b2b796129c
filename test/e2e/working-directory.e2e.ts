import { expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openAcpHome } from "../support/acp-home.ts";
import { openMcpPlace } from "../support/mcp-stdio.ts";
import { openServed } from "../support/served.ts";

const LIMIT_MS = 300_000;
const LONG = `/${"x".repeat(5_000)}`;
const WRONG = ["/nope", "rel", ".", "", "/\0", LONG, "/etc/passwd"];

// Seen red: 500 for the first six, 201 for ".", /etc/passwd.
test(
  "[CTL-06 PERM-02] over REST a session without a valid directory is refused with 400, and begins in the real one",
  async () => {
    await using served = await openServed({ script: [] });
    const token = await served.token("--identity-class", "agent");
    const begin = async (workingDir: string) => {
      const answer = await served.ask("/v1/sessions", token, { workingDir });
      return { status: answer.status, body: (await answer.json()) as Record<string, string> };
    };
    const loop = join(served.work, "loop");
    symlinkSync(loop, loop);
    for (const workingDir of [...WRONG, loop])
      expect(await begin(workingDir)).toMatchObject({ status: 400, body: { reason: "InvalidPath" } });
    symlinkSync(served.work, join(served.home.path, "link"));
    for (const spelled of [`${served.work}/.`, join(served.home.path, "link"), `${served.work}//`]) {
      const { status, body } = await begin(spelled);
      expect(status).toBe(201);
      const info = await (await served.ask(`/v1/sessions/${body["sessionId"]}`, token)).json();
      expect(info).toMatchObject({ working_dir: served.work });
    }
  },
  LIMIT_MS,
);

test(
  "[CTL-08 CTL-06] over MCP it is refused as parameters that are wrong",
  async () => {
    await using place = await openMcpPlace([]);
    writeFileSync(join(place.work, "file"), "");
    await using mcp = await place.client();
    for (const workingDir of [...WRONG, join(place.work, "file")]) {
      const failure: unknown = await mcp
        .call("harness.create_session", { workingDir })
        .catch((thrown) => thrown);
      expect(failure).toMatchObject({ code: -32_602, data: { reason: "InvalidPath" } });
    }
  },
  LIMIT_MS,
);

test(
  "[CTL-16] over ACP too",
  async () => {
    await using place = openAcpHome([]);
    await using edited = place.edit("--model", "mock:one");
    const { agent } = edited.editor;
    await agent.request("initialize", { protocolVersion: 1 });
    for (const cwd of WRONG) {
      const failure: unknown = await agent
        .request("session/new", { cwd, mcpServers: [] })
        .catch((thrown: unknown) => thrown);
      expect(failure).toMatchObject({ code: -32_602, data: { reason: "InvalidPath" } });
    }
    const { sessionId } = await agent.request("session/new", { cwd: `${place.work}/.`, mcpServers: [] });
    expect(sessionId).toStartWith("sess_");
  },
  LIMIT_MS,
);
