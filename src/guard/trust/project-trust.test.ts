import { expect, test } from "bun:test";
import type { JudgedProject, SessionTrust, TrustItem } from "../../session/guard/trust.ts";
import type { ProjectFiles } from "./project-files.ts";
import type { TrustContext } from "./project-trust.ts";
import { JudgedFiles, ProjectTrust } from "./project-trust.ts";

const { signal } = new AbortController();

test("[TOFU-01] files that no session asks about cannot be loaded: that does not compile", () => {
  const calls = [
    // @ts-expect-error the project was judged, and no session has opened it
    (project: JudgedProject) => project.loaded(signal),
    // @ts-expect-error nobody can be asked
    (files: JudgedFiles) => new ProjectTrust(files),
    (trust: SessionTrust) => trust.loaded(signal),
  ];
  expect(calls).toHaveLength(3);
});

test("[TOFU-01] a session asks about each pending file, and loads those that are acknowledged", async () => {
  const [kept, refused] = ["/r/AGENTS.md", "/r/CLAUDE.md"].map(
    (path): TrustItem => ({
      kind: "context-file",
      path,
      scope: "project",
      files: [{ path: "", bytes: new TextEncoder().encode(path), sha256: "0", executable: false }],
    }),
  );
  if (kept === undefined || refused === undefined) throw new Error("two files are needed");
  const items = [kept, refused];
  const found: ProjectFiles = {
    root: "/r",
    isRepository: true,
    settings: [],
    items,
    all: items,
    problems: [],
  };
  const approved: TrustItem[] = [];
  const pending = items.map((item) => ({ item, verdict: { kind: "new" as const }, path: item.path }));
  const record = {
    approve: async (accepted: readonly TrustItem[]) => void approved.push(...accepted),
    approveDirectory: async () => undefined,
  };
  const files = new JudgedFiles(found, [], { pending, notices: [], record });
  const asked: unknown[] = [];
  const context: TrustContext = {
    ask: async ({ details }) => {
      asked.push(Reflect.get(details ?? {}, "path"));
      const answer = asked.length === 1 ? "approve" : "deny";
      return { kind: "answered", answer } as Awaited<ReturnType<TrustContext["ask"]>>;
    },
    publish: () => undefined,
    restrict: () => undefined,
  };
  const trust = new ProjectTrust(files, context);
  expect([files.asks, trust.asks, trust.isPending(kept), trust.project === files]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect((await trust.loaded(signal)).items).toEqual([kept]);
  expect({ asked, approved }).toEqual({ asked: [kept.path, refused.path], approved: [kept] });
});
