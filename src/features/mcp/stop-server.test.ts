import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { scriptServer, serverToml } from "../../../test/support/mcp-servers.ts";
import type { Turn } from "../../../test/support/mock-provider/turn.ts";
import { calls, says } from "../../../test/support/mock-provider/turn.ts";
import { connect, openPlace, turn } from "../../../test/support/place.ts";
import { isRunning } from "../../../test/support/processes.ts";
import { until } from "../../../test/support/until.ts";
import type { OpenHarness } from "../../app/harness.ts";
import type { ResultOfCommand } from "../../protocol/commands/results.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";

const CHILD = join(import.meta.dirname, "../../../test/support/mcp-server-child.ts");
const HANG_MS_MAX = 120_000;

function openRig(...script: Turn[]) {
  const place = openPlace(...script);
  const journal = join(place.root, "journal");
  const provider = `[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n`;
  place.config(`${serverToml("notes", scriptServer(CHILD, journal))}\n${provider}`);
  const pids = () =>
    existsSync(journal)
      ? [...readFileSync(journal, "utf8").matchAll(/^\{"pid":(\d+)/gm)].map(([, pid]) => Number(pid))
      : [];
  return { ...place, pids, lastResult: () => JSON.stringify(place.mock.requests.at(-1)?.body["messages"]) };
}

const statusIn = (result: unknown) => (result as ResultOfCommand<"ManageMcp">).servers[0];

const manage = async (harness: OpenHarness, action: "stop" | "start" | "status" | "approve" | "restart") => {
  const person = await connect(harness);
  const command = { kind: "ManageMcp", sessionId: harness.session, server: "notes", action } as const;
  return statusIn((await person.send(command)).result);
};

test(
  "[CTL-19 MCP-03] a stopped server ends with its processes and stays so until it is started; its tools answer what to do",
  async () => {
    const echo = calls("mcp__notes__echo", { text: "hi" });
    await using rig = openRig(says("one"), echo, says("two"), echo, says("three"));
    await using harness = await rig.open({ wishes: { attended: true, autoApprove: true } });
    await turn(harness, "go");
    const [first] = rig.pids();
    if (first === undefined) throw new Error("no server runs");
    const [stopped] = await Promise.all([manage(harness, "stop"), manage(harness, "stop")]);
    expect(stopped).toMatchObject({ state: "stopped", problem: expect.stringContaining("/mcp:notes start") });
    await until("the server has ended", () => !isRunning(first));
    await turn(harness, "call it");
    expect(rig.lastResult()).toContain("was stopped by a person, and its tools do not run");
    expect(rig.pids()).toHaveLength(1);
    expect(await manage(harness, "approve")).toMatchObject({ state: "stopped" });
    expect(await manage(harness, "start")).toMatchObject({ state: "running" });
    await manage(harness, "start"); // it runs: nothing happens
    await turn(harness, "call it again");
    expect(rig.lastResult()).toContain("hi");
    expect(rig.pids()).toHaveLength(2);
  },
  HANG_MS_MAX,
);

test(
  "[CTL-19 MCP-05] a stopped server does not start for a later session of the engine, and only a person stops or starts it",
  async () => {
    await using rig = openRig(says("one"), says("two"));
    await using harness = await rig.open({ wishes: { attended: true } });
    await turn(harness, "go");
    await manage(harness, "stop");
    const person = await connect(harness);
    await person.send({ kind: "EndSession", sessionId: harness.session });
    const { sessionId } = await person.send({ kind: "CreateSession" });
    if (sessionId === undefined) throw new Error("no session was created");
    const other = await harness.attach({ identityClass: "agent", label: "a model" });
    await other.handshake(PROTOCOL_VERSION);
    for (const action of ["stop", "start", "restart"] as const) {
      const command = { kind: "ManageMcp", sessionId, server: "notes", action } as const;
      await expect(other.send(command)).rejects.toThrow(
        `only a client of class human may ${action} a server`,
      );
    }
    const { result } = await person.send({
      ...{ kind: "ManageMcp", sessionId, server: "notes", action: "status" },
    });
    expect(statusIn(result)).toMatchObject({ state: "stopped" });
    expect(rig.pids()).toHaveLength(1);
  },
  HANG_MS_MAX,
);

test(
  "[CTL-19 MCP-03] a server that is stopped while it starts does not run, and a start then starts one process",
  async () => {
    await using rig = openRig(says("one"));
    await using harness = await rig.open({ wishes: { attended: true } });
    const [, stopped] = await Promise.all([
      manage(harness, "restart").catch(({ message }: Error) => message),
      manage(harness, "stop"),
    ]);
    expect(stopped).toMatchObject({ state: "stopped" });
    await until("no process is left", () => rig.pids().every((pid) => !isRunning(pid)));
    expect(await manage(harness, "start")).toMatchObject({ state: "running" });
    expect(rig.pids().filter((pid) => isRunning(pid))).toHaveLength(1);
  },
  HANG_MS_MAX,
);
