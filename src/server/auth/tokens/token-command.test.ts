import { expect, test } from "bun:test";
import { messageOf } from "../../../base/errors.ts";
import { idFromBytes } from "../../../base/ids.ts";
import type { TokenCommand } from "./token-command.ts";
import { makeToken } from "./token-command.ts";

const SESSION = idFromBytes("sess", new Uint8Array(16));
const PLAIN: TokenCommand = { identityClass: "agent", sessions: [SESSION], canMint: false };

async function asked(command: TokenCommand): Promise<unknown> {
  let claims: unknown = "nothing was asked";
  const token = await makeToken(command, async (given) => {
    claims = given;
    return "a token";
  }).catch(messageOf);
  return token === "a token" ? claims : token;
}

test("[AUTH-01 AUTH-03] cinch token asks for what it was called with", async () => {
  expect(await asked(PLAIN)).toEqual({ identity_class: "agent", sessions: [SESSION], can_mint: false });
  const all: TokenCommand = {
    identityClass: "human",
    sessions: [],
    commands: "SendInput, CancelTurn",
    expires: "2h",
    canMint: true,
  };
  expect(await asked(all)).toEqual({
    identity_class: "human",
    commands: ["SendInput", "CancelTurn"],
    expires_in: 7_200,
    can_mint: true,
  });
});

test("[AUTH-01 BUS-05] cinch token reports mistakes before it contacts the engine", async () => {
  const wrong: readonly (readonly [Partial<TokenCommand>, string])[] = [
    [{ identityClass: "root" }, "identity_class is neither"],
    [{ sessions: ["sess_1"] }, 'sessions has an entry that is not known: "sess_1"'],
    [{ commands: "" }, "commands has an entry that is not known"],
    [{ commands: "SendInput,Fly" }, '"Fly"'],
    [{ expires: "soon" }, '--expires "soon" is not a time'],
    [{ expires: "0h" }, "is not a time"],
    [{ expires: "9999d" }, "1 second to 366 days"],
  ];
  for (const [more, words] of wrong) expect(await asked({ ...PLAIN, ...more })).toContain(words);
});
