import type { JsonObject } from "../../../base/json.ts";
import { isObject, objectAt, stringAt } from "../../../base/json.ts";
import { assertAccepted, assertHolds, assertRefused, assertSame } from "../../check.ts";
import type { Scenario } from "../../scenario.ts";
import { EVERY } from "../../scenario.ts";
import type { ScenarioStage } from "../../stage.ts";
import { payloadOf, promptTurn } from "../../stage.ts";
import type { Client } from "../../transports/transport.ts";

/** Scenarios about commands that change a session which runs. */
export const CHANGED_SCENARIOS: readonly Scenario[] = [
  {
    id: "effort-changed",
    section: "docs/protocol/compatibility.md; CTL-19",
    promise: "A new effort for the same model reaches every subscriber with the model's name.",
    wires: EVERY,
    since: "0.3.0",
    kinds: ["SetModel", "ModelChanged"],
    async play(stage) {
      const [one, two] = [await stage.attach(), await stage.attach()];
      const session = await stage.session(one);
      await using stream = await two.follow(session);
      await promptTurn(one, session, "cue:say one");
      const spent = payloadOf(await stream.kind("CostIncremented"));
      const model = `${stringAt(spent, "provider")}:${stringAt(spent, "model")}`;
      const set = { kind: "SetModel", sessionId: session, model, effort: "low" };
      const { result } = assertAccepted("SetModel", await one.send(set));
      assertSame("its answer", isObject(result) ? [result["model"], result["effort"]] : result, [
        model,
        "low",
      ]);
      const changed = payloadOf(await stream.kind("ModelChanged"));
      assertSame("what was reported", [changed["model"], changed["effort"]], [model, "low"]);
      const wrong = await one.send({ ...set, effort: "endless" });
      assertRefused("SetModel with an unknown effort", wrong, ["InvalidCommand", "InvalidBody"]);
    },
  },
  {
    id: "session-compacted",
    section: "docs/sessions.md § Long conversations",
    promise:
      "CompactSession says whether it has shortened the history. Its start, end and sizes reach the subscribers.",
    wires: EVERY,
    since: "0.3.0",
    kinds: ["CompactSession", "CompactionTriggered", "CompactionProgress"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const compact = { kind: "CompactSession", sessionId: session };
      assertSame("of an empty session", await isCompacted(client, compact), false);
      for (let turn = 1; turn <= 4; turn += 1)
        await promptTurn(client, session, `cue:say ${"several words ".repeat(400)}${turn}`);
      assertSame("of a long one", await isCompacted(client, compact), true);
      const { beforeTokens, afterTokens } = payloadOf(await stream.kind("CompactionTriggered"));
      assertHolds("the sizes", Number(afterTokens) < Number(beforeTokens), {
        expected: "fewer tokens afterwards",
        got: [beforeTokens, afterTokens],
      });
      const states = stream.seen.flatMap((event) =>
        event["kind"] === "CompactionProgress" ? [payloadOf(event)["state"]] : [],
      );
      assertSame("the progress", states, ["started", "ended"]);
      assertSame(
        "the answer to a prompt after it",
        (await promptTurn(client, session, "cue:say on")).text,
        "on",
      );
    },
  },
  {
    id: "session-branched",
    section: "docs/sessions.md § Branch, rewind, replay",
    promise:
      "A branch is a log with the turns up to the given one. It continues in a session of its own, and the first session stays as it is.",
    wires: EVERY,
    since: "0.3.0",
    kinds: ["BranchSession"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      for (const word of ["one", "two"]) await promptTurn(client, session, `cue:say ${word}`);
      const branch = { kind: "BranchSession", sessionId: session, turn: 1 };
      const log = stringAt(
        objectAt(assertAccepted("BranchSession", await client.send(branch)), "result"),
        "log",
      );
      const other = await continued(stage, client, log);
      assertSame("whether it is another session", other === session, false);
      assertSame("its earlier prompts", (await promptTurn(client, other, "cue:recall")).text, "cue:say one");
      assertSame(
        "those of the first session",
        (await promptTurn(client, session, "cue:recall")).text,
        "cue:say one | cue:say two",
      );
      const unknown = await client.send({ ...branch, turn: 99 });
      assertRefused("BranchSession at a turn that does not exist", unknown, []);
    },
  },
  {
    id: "session-exported",
    section: "docs/sessions.md § Take a session elsewhere",
    promise: "ExportSession answers the path of a new file, and never writes over one.",
    wires: EVERY,
    since: "0.3.0",
    kinds: ["ExportSession"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await promptTurn(client, session, "cue:say one");
      const output = `conformance-${session}.md`;
      const command = { kind: "ExportSession", sessionId: session, format: "markdown", output };
      const answer = objectAt(assertAccepted("ExportSession", await client.send(command)), "result");
      const path = stringAt(answer, "path") ?? "";
      assertHolds("the path", path.endsWith(output), { expected: `one that ends in ${output}`, got: path });
      assertRefused("a second one to the same file", await client.send(command), []);
    },
  },
  {
    id: "session-muted",
    section: "docs/control-plane.md",
    promise: "A person mutes the questions of a session that an agent has begun; no other session is muted.",
    wires: EVERY,
    since: "0.3.0",
    kinds: ["MuteSession"],
    async play(stage) {
      const [person, agent] = [await stage.attach(), await stage.attachAgent()];
      const [persons, agents] = [await stage.session(person), await stage.session(agent)];
      const mute = (sessionId: string) => ({ kind: "MuteSession", sessionId });
      assertAccepted("MuteSession", await person.send(mute(agents)));
      assertRefused("MuteSession of a person's session", await person.send(mute(persons)), [
        "InvalidCommand",
      ]);
      const refused = ["Forbidden", "InvalidCommand"];
      assertRefused("an agent's MuteSession", await agent.send(mute(agents)), refused);
    },
  },
  {
    id: "auto-attach-answered",
    section: "docs/mcp-server.md § Who sees what an agent does",
    promise:
      "A person answers whether sessions of a program are auto-attached only while that is asked, and asks it only about the session of an agent.",
    wires: EVERY,
    since: "0.3.0",
    kinds: ["AskAutoAttach", "AnswerAutoAttach"],
    async play(stage) {
      const [person, agent] = [await stage.attach(), await stage.attachAgent()];
      const [persons, agents] = [await stage.session(person), await stage.session(agent)];
      const parent = { argv0: "agent", binary: "/nowhere/agent", binarySha256: "0".repeat(64) };
      const ask = (sessionId: string) => ({ kind: "AskAutoAttach", sessionId, parent });
      const answer = { kind: "AnswerAutoAttach", sessionId: agents, always: false };
      const [invalid, refused] = [["InvalidCommand"], ["Forbidden", "InvalidCommand"]];
      assertRefused("AnswerAutoAttach, with nothing asked", await person.send(answer), invalid);
      assertRefused("AskAutoAttach about a person's session", await person.send(ask(persons)), invalid);
      assertRefused("AskAutoAttach about an unknown program", await person.send(ask(agents)), invalid);
      assertRefused("an agent's AskAutoAttach", await agent.send(ask(agents)), refused);
      assertRefused("an agent's AnswerAutoAttach", await agent.send(answer), refused);
    },
  },
  {
    id: "skills-reloaded",
    section: "docs/skills.md § New and changed ones",
    promise: "ReloadSkills answers the names of the skills that the session has from then on.",
    wires: EVERY,
    since: "0.3.0",
    kinds: ["ReloadSkills"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const answer = assertAccepted(
        "ReloadSkills",
        await client.send({ kind: "ReloadSkills", sessionId: session }),
      );
      const skills = objectAt(answer, "result")?.["skills"];
      assertHolds("the skills", Array.isArray(skills) && skills.every((name) => typeof name === "string"), {
        expected: "a list of names",
        got: skills,
      });
    },
  },
];

async function isCompacted(client: Client, command: JsonObject): Promise<unknown> {
  const { result } = assertAccepted("CompactSession", await client.send(command));
  return isObject(result) ? (result["compacted"] ?? false) : undefined;
}

/** Begins a session that continues a log. */
async function continued(stage: ScenarioStage, client: Client, log: string | undefined): Promise<string> {
  const made = assertAccepted(
    `CreateSession that resumes ${log}`,
    await client.send({ kind: "CreateSession", resume: log ?? "" }),
  );
  const id = stringAt(made, "sessionId") ?? "";
  stage.ends(id);
  return id;
}
