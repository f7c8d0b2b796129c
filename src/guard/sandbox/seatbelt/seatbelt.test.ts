import { expect, test } from "bun:test";
import { testWorld } from "../../../../test/support/world.ts";
import { seatbeltProfile } from "./profile.ts";
import { seatbelt } from "./seatbelt.ts";

const POLICY = {
  root: '/Users/a/my "work"',
  writable: ["/Users/a/out"],
  readOnly: [{ path: '/Users/a/my "work"/.git/hooks', kind: "directory" }],
  visible: [],
  hidden: ["/Users/a/.ssh"],
  temporary: "/private/tmp/cinch-1/tmp",
  workshop: "/private/tmp/cinch-1/own",
  network: { kind: "off" },
} as const;

test("[SBX-01] the rules for macOS open the workspace, and close what is protected and hidden after that", () => {
  const rules = seatbeltProfile(POLICY).split("\n");
  const at = (text: string) => rules.findIndex((rule) => rule.includes(text));
  expect(rules[1]).toBe("(deny default)");
  const opened = at(
    '(allow file-write* (subpath "/Users/a/my \\"work\\"") (subpath "/private/tmp/cinch-1/tmp")',
  );
  expect(opened).toBeGreaterThan(0);
  expect(at('(deny file-write* (subpath "/Users/a/my \\"work\\"/.git/hooks"))')).toBeGreaterThan(opened);
  expect(at('(deny file-write-unlink (literal "/Users/a/my \\"work\\"/.git"))')).toBeGreaterThan(opened);
  expect(
    at('(deny file-read* file-write* (subpath "/Users/a/.ssh") (subpath "/private/tmp/cinch-1/own"))'),
  ).toBeGreaterThan(opened);
  expect(at("(deny file-write-setugid)")).toBeGreaterThan(opened);
  expect(rules.at(-2)).toBe("(deny network*)");
});

test("[SBX-01] macOS's sandbox works on macOS, and elsewhere says that it is not there", async () => {
  const state = await seatbelt({ world: testWorld() }).prepare({
    ...POLICY,
    root: "/tmp",
    temporary: "/tmp",
  });
  if (process.platform === "darwin") expect(state.kind).toBe("working");
  else expect(state).toMatchObject({ kind: "unavailable", why: "/usr/bin/sandbox-exec is not there" });
});
