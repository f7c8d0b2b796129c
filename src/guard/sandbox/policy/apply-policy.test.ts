import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { DeadlineReached } from "../../../base/errors.ts";
import type { Sandbox, SandboxPolicy, SandboxState } from "../../../session/guard/sandbox.ts";
import { applyPolicy, unreadableRefusal } from "./apply-policy.ts";

const POLICY: SandboxPolicy = {
  ...{ root: "/w", writable: [], readOnly: [], hidden: [], visible: [], temporary: "/t", workshop: "/o" },
  network: { kind: "off" },
};
const WORKING: SandboxState = {
  kind: "working",
  confine: { wrap: (options) => options, failure: () => undefined },
  made: ["/w/.cinch"],
};
const UNAVAILABLE: SandboxState = { kind: "unavailable", why: "the kernel refuses", remedy: "lift that" };

/** A sandbox that works unless a policy covers one of some places. */
function failingWith(...bad: readonly string[]): Sandbox {
  return {
    name: "made up",
    prepare: ({ writable, readOnly, hidden }) => {
      const all = [...writable, ...hidden, ...readOnly.map(({ path }) => path)];
      return Promise.resolve(all.some((path) => bad.includes(path)) ? UNAVAILABLE : WORKING);
    },
  };
}

const apply = (sandbox: Sandbox, policy: SandboxPolicy) => applyPolicy(sandbox, () => sandbox, policy);

test("[SBX-01 S22] a policy that fails where the sandbox works is refused, and the place is named", async () => {
  const places = fc.uniqueArray(fc.stringMatching(/^\/w\/[a-z]{1,6}$/), { minLength: 1, maxLength: 40 });
  const lists = fc.constantFrom("writable", "readOnly", "hidden");
  await holds(
    fc.asyncProperty(places, fc.nat(), fc.array(lists), async (paths, at, kinds) => {
      const bad = paths[at % paths.length] ?? "";
      const of = (list: string) => paths.filter((_, index) => (kinds[index] ?? "hidden") === list);
      const readOnly = of("readOnly").map((path) => ({ path, kind: "file" }) as const);
      const policy = { ...POLICY, readOnly, writable: of("writable"), hidden: of("hidden") };
      const state = await apply(failingWith(bad), policy);
      expect(state).toMatchObject({ kind: "refused" });
      expect(state.kind === "refused" ? state.why : "").toContain(`but not with ${bad} covered: the kernel`);
    }),
  );
});

test("[SBX-01] a machine without a sandbox is distinguished from a policy that cannot be applied", async () => {
  const broken: Sandbox = { name: "made up", prepare: () => Promise.resolve(UNAVAILABLE) };
  expect(await apply(broken, { ...POLICY, hidden: ["/w/x"] })).toEqual(UNAVAILABLE);
  expect(await apply(failingWith(), POLICY)).toEqual(WORKING);
});

test("[SBX-01 S22] a workspace that keeps the sandbox from working refuses, but not one that can have none", async () => {
  const only = (state: SandboxState): Sandbox => ({
    name: "made up",
    prepare: ({ root }) => Promise.resolve(root === POLICY.root ? state : WORKING),
  });
  expect(await apply(only(UNAVAILABLE), POLICY)).toMatchObject({
    kind: "refused",
    why: "the sandbox works on this machine, but not with /w: the kernel refuses",
  });
  const declared: SandboxState = { ...UNAVAILABLE, forWorkspace: true };
  expect(await apply(only(declared), POLICY)).toEqual(declared);
});

test("[SBX-01] a trial that does not end in time refuses, since it proves nothing about the machine", async () => {
  const slow: Sandbox = { name: "made up", prepare: () => Promise.reject(new DeadlineReached(1)) };
  expect(await apply(slow, POLICY)).toMatchObject({ kind: "refused", made: [] });
  const bug: Sandbox = { name: "made up", prepare: () => Promise.reject(new Error("a bug")) };
  await expect(apply(bug, POLICY)).rejects.toThrow("a bug");
});

test("a path that cannot be resolved refuses with its name; another error is none", () => {
  const loop = Object.assign(new Error("ELOOP"), { code: "ELOOP", path: "/w/x" });
  expect(unreadableRefusal(loop)).toMatchObject({
    kind: "refused",
    why: expect.stringContaining("/w/x cannot"),
  });
  expect(unreadableRefusal(new Error("a bug"))).toBeUndefined();
});
