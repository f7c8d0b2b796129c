import { arrayAt } from "../../base/json.ts";
import { Handshake } from "../../protocol/handshake.ts";
import { assertAccepted, assertHolds, assertRefused, assertSame } from "../check.ts";
import { DOCUMENTED_COMMANDS, DOCUMENTED_EVENTS, FEATURE_OF } from "../documented-kinds.ts";
import type { Scenario } from "../scenario.ts";
import { AGENTS_TOO, EVERY, HTTP } from "../scenario.ts";
import type { ScenarioStage } from "../stage.ts";
import { inputCommand } from "../stage.ts";
import { answerOf } from "../transports/rest-transport.ts";
import type { Client } from "../transports/transport.ts";

export const HANDSHAKE_SCENARIOS: readonly Scenario[] = [
  {
    id: "handshake-shape",
    section: "[A] § Handshake",
    promise: "The handshake states the versions, and lists the served kinds and features.",
    wires: AGENTS_TOO,
    async play(stage) {
      const client = await stage.attach();
      const body = assertAccepted("the handshake", await client.handshake(stage.version));
      const read = Handshake.safeParse(body);
      const issue = read.error?.issues[0];
      assertHolds("the handshake", read.success, {
        expected: "what docs/protocol/handshake.schema.json describes",
        got: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`,
      });
      assertHolds("protocol_version", /^\d+\.\d+\.\d+$/.test(String(body["protocol_version"])), {
        expected: "a version as SemVer has it",
        got: body["protocol_version"],
      });
      const kinds = body["command_kinds"];
      const missing = NEEDED.filter((kind) => !Array.isArray(kinds) || !kinds.includes(kind));
      assertSame("the kinds of command that every server has, and this one does not name", missing, []);
    },
  },
  {
    id: "kinds-named",
    section: "[A] § Handshake",
    promise:
      "The handshake lists every kind of command and event of [A] § Handshake; those of plan mode if it has that feature.",
    wires: EVERY,
    async play(stage) {
      const client = await stage.attach();
      const body = assertAccepted("the handshake", await client.handshake(stage.version));
      const features = arrayAt(body, "features");
      const isServed = (kind: string) =>
        FEATURE_OF[kind] === undefined || features.includes(FEATURE_OF[kind]);
      for (const [list, kinds] of [
        ["command_kinds", DOCUMENTED_COMMANDS.filter(isServed)],
        ["event_kinds", DOCUMENTED_EVENTS],
      ] as const) {
        const named = arrayAt(body, list);
        assertSame(
          `what is not in ${list}`,
          kinds.filter((kind) => !named.includes(kind)),
          [],
        );
      }
      assertSame("resource_uri_scheme", body["resource_uri_scheme"], "harness/v1");
    },
  },
  {
    id: "features-named",
    section: "[A] § Handshake",
    promise: "The handshake lists the served features under the names of [A] § Handshake.",
    wires: EVERY,
    since: "0.3.0",
    async play(stage) {
      const client = await stage.attach();
      const body = assertAccepted("the handshake", await client.handshake(stage.version));
      const [kinds, features] = [arrayAt(body, "command_kinds"), arrayAt(body, "features")];
      const served = Object.entries(FEATURE_OF).flatMap(([kind, feature]) =>
        kinds.includes(kind) ? [feature] : [],
      );
      if (HTTP.includes(stage.wire)) served.push(stage.wire);
      const missing = served.filter((feature) => !features.includes(feature));
      assertSame("features that are served, and not named", missing, []);
    },
  },
  {
    id: "handshake-required",
    section: "[A] § Handshake",
    promise: "A command before the handshake is refused with HandshakeRequired, and accepted after it.",
    wires: EVERY,
    async play(stage) {
      const ready = await stage.attach();
      const session = await stage.session(ready);
      const client = await unshaken(stage);
      assertRefused(
        "a prompt before the handshake",
        await client.send(inputCommand(session, "cue:say early")),
        ["HandshakeRequired"],
      );
      assertAccepted("the handshake", await client.handshake(stage.version));
      assertAccepted("a prompt after it", await client.send(inputCommand(session, "cue:say late")));
    },
  },
  {
    id: "handshake-mismatch",
    section: "[A] § Handshake; § Protocol versioning & evolution",
    promise:
      "A client of another major version, or of a newer minor one, is refused with HandshakeVersionMismatch.",
    wires: EVERY,
    async play(stage) {
      const [major = 0, minor = 0] = stage.version.split(".").map(Number);
      for (const version of [`${major + 1}.0.0`, `${major}.${minor + 1}.0`]) {
        const client = await unshaken(stage);
        assertRefused(`a handshake with ${version}`, await client.handshake(version), [
          "HandshakeVersionMismatch",
        ]);
      }
    },
  },
  {
    id: "version-each-request",
    section: "[A] § Handshake; § Protocol versioning & evolution",
    promise:
      "A request with an X-Harness-Version of another major version is refused with HandshakeVersionMismatch, also after a valid handshake.",
    wires: ["rest"],
    since: "0.3.0",
    async play(stage) {
      const session = await stage.session(await stage.attach());
      const [major = 0] = stage.version.split(".").map(Number);
      const headers = { "x-harness-version": `${major + 1}.0.0` };
      const json = { content: [{ type: "text", text: "cue:say no" }] };
      for (const [path, ask] of Object.entries({
        [`/v1/sessions/${session}/input`]: { headers, json },
        [`/v1/sessions/${session}`]: { headers },
        "/v1/sessions": { headers },
      })) {
        const answer = await answerOf(await stage.ask(path, ask));
        assertRefused(`${path} with ${headers["x-harness-version"]}`, answer, ["HandshakeVersionMismatch"]);
      }
    },
  },
  {
    id: "handshake-older-minor",
    section: "[A] § Handshake; § Protocol versioning & evolution",
    promise: "A client of an older minor version is accepted.",
    wires: EVERY,
    async play(stage) {
      const [major = 0, minor = 0] = stage.version.split(".").map(Number);
      const version = `${major}.${Math.max(0, minor - 1)}.0`;
      const client = await unshaken(stage);
      assertAccepted(`a handshake with ${version}`, await client.handshake(version));
    },
  },
  {
    id: "handshake-public",
    section: "[A] § Authentication",
    promise: "Handshake and health answer without a token, and reveal nothing private.",
    wires: ["rest"],
    async play(stage) {
      const client = await stage.attach();
      await stage.session(client);
      for (const [path, keys] of Object.entries(PUBLIC)) {
        const answer = await stage.askBare(path);
        assertSame(`the status of ${path} without a token`, answer.status, 200);
        const text = await answer.text();
        const unknown = Object.keys(JSON.parse(text) as object).filter((key) => !keys.includes(key));
        assertSame(`fields of ${path} that could tell something private`, unknown, []);
        assertHolds(`what ${path} tells`, !/(?:sess|log|tok|cli)_[0-7][0-9A-Z]{25}/.test(text), {
          expected: "no id of a session, log, token or client",
          got: text,
        });
      }
    },
  },
];

/** Commands that every server has, without any feature. */
const NEEDED = ["SendInput", "CancelTurn", "AnswerPermission", "CreateSession"];

/** Fields that an address may show without a token. */
const PUBLIC: Readonly<Record<string, readonly string[]>> = {
  "/v1/handshake": [...Object.keys(Handshake.shape)],
  "/v1/health": ["status", "protocol_version", "version"],
};

/** Connects a client without a handshake; with a new token if clients belong to tokens. */
async function unshaken(stage: ScenarioStage): Promise<Client> {
  const token = HTTP.includes(stage.wire) ? await stage.mint({ identity_class: "human" }) : stage.mainToken;
  return await stage.attach({ token, shake: false });
}
