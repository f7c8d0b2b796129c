import { Handshake } from "../../protocol/handshake.ts";
import { accepted, holds, refused, same } from "../check.ts";
import type { Scenario } from "../scenario.ts";
import { EVERY, HTTP } from "../scenario.ts";
import type { Stage } from "../stage.ts";
import { input } from "../stage.ts";
import type { Client } from "../wire.ts";

export const HANDSHAKE_SCENARIOS: readonly Scenario[] = [
  {
    id: "handshake-shape",
    promise: "The handshake states its versions, and names the kinds and features that are served.",
    wires: EVERY,
    async play(stage) {
      const client = await stage.attach();
      const body = accepted("the handshake", await client.handshake(stage.version));
      const read = Handshake.safeParse(body);
      const issue = read.error?.issues[0];
      holds("the handshake", read.success, {
        expected: "what docs/protocol/handshake.schema.json describes",
        got: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`,
      });
      holds("protocol_version", /^\d+\.\d+\.\d+$/.test(String(body["protocol_version"])), {
        expected: "a version as SemVer has it",
        got: body["protocol_version"],
      });
      const kinds = body["command_kinds"];
      const missing = NEEDED.filter((kind) => !Array.isArray(kinds) || !kinds.includes(kind));
      same("the kinds of command that every server has, and this one does not name", missing, []);
    },
  },
  {
    id: "handshake-required",
    promise: "A command before the handshake is refused with HandshakeRequired, and taken after it.",
    wires: EVERY,
    async play(stage) {
      const ready = await stage.attach();
      const session = await stage.session(ready);
      const client = await unshaken(stage);
      refused("a prompt before the handshake", await client.send(input(session, "cue:say early")), [
        "HandshakeRequired",
      ]);
      accepted("the handshake", await client.handshake(stage.version));
      accepted("a prompt after it", await client.send(input(session, "cue:say late")));
    },
  },
  {
    id: "handshake-mismatch",
    promise:
      "A client of another major version, or of a newer minor one, is refused with HandshakeVersionMismatch.",
    wires: EVERY,
    async play(stage) {
      const [major = 0, minor = 0] = stage.version.split(".").map(Number);
      for (const version of [`${major + 1}.0.0`, `${major}.${minor + 1}.0`]) {
        const client = await unshaken(stage);
        refused(`a handshake with ${version}`, await client.handshake(version), ["HandshakeVersionMismatch"]);
      }
    },
  },
  {
    id: "handshake-older-minor",
    promise: "A client of an older minor version is taken.",
    wires: EVERY,
    async play(stage) {
      const [major = 0, minor = 0] = stage.version.split(".").map(Number);
      const version = `${major}.${Math.max(0, minor - 1)}.0`;
      const client = await unshaken(stage);
      accepted(`a handshake with ${version}`, await client.handshake(version));
    },
  },
  {
    id: "handshake-public",
    promise: "The handshake and the health of a server are told without a token, and tell nothing private.",
    wires: ["rest"],
    async play(stage) {
      const client = await stage.attach();
      await stage.session(client);
      for (const [path, keys] of Object.entries(PUBLIC)) {
        const answer = await stage.askBare(path);
        same(`the status of ${path} without a token`, answer.status, 200);
        const text = await answer.text();
        const unknown = Object.keys(JSON.parse(text) as object).filter((key) => !keys.includes(key));
        same(`fields of ${path} that could tell something private`, unknown, []);
        holds(`what ${path} tells`, !/(?:sess|log|tok|cli)_[0-7][0-9A-Z]{25}/.test(text), {
          expected: "no id of a session, log, token or client",
          got: text,
        });
      }
    },
  },
];

/** Commands that a server without any feature still has. */
const NEEDED = ["SendInput", "CancelTurn", "AnswerPermission", "CreateSession"];

/** What is told to whoever asks, by the address. */
const PUBLIC: Readonly<Record<string, readonly string[]>> = {
  "/v1/handshake": [...Object.keys(Handshake.shape)],
  "/v1/health": ["status", "protocol_version", "version"],
};

/** A client that has made no handshake: where clients belong to tokens, that of a new token. */
async function unshaken(stage: Stage): Promise<Client> {
  const token = HTTP.includes(stage.wire) ? await stage.mint({ identity_class: "human" }) : stage.mainToken;
  return await stage.attach({ token, shake: false });
}
