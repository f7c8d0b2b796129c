import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { settingsOf } from "../../../config/settings/settings.ts";
import type { Sandbox, SandboxPolicy, SearchAccess } from "../../../session/guard/sandbox.ts";
import { sandboxSection } from "../config.ts";
import { openSandbox } from "../sandbox.ts";
import { searchSandbox } from "../sandbox-search.ts";
import type { SandboxSources } from "./sandbox-sources.ts";

/** A home with a workspace and a repository beside it, which is added to the workspace. */
function openFolders(base: string) {
  const [home, root, added] = [join(base, "home"), join(base, "home/work"), join(base, "home/beside")];
  mkdirSync(join(added, ".git/hooks"), { recursive: true });
  writeFileSync(join(added, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(added, ".git/config"), "");
  mkdirSync(join(added, "secrets"));
  mkdirSync(root);
  return { home, root, added };
}

function sourcesIn(
  { home, root }: { readonly home: string; readonly root: string },
  backend: Sandbox,
  more: Partial<SandboxSources>,
): SandboxSources {
  const [config = "", data = "", state = ""] = [".config", ".local/share", ".local/state"].map((each) =>
    join(home, each, "cinch"),
  );
  return {
    ...{ world: testWorld(), root, home, paths: { config, data, state }, backend },
    settings: settingsOf(sandboxSection, {}),
    projectHidden: () => Promise.resolve([]),
    onUnavailable: () => undefined,
    onNotice: () => undefined,
    ...more,
  };
}

/** A sandbox that always works, and keeps what it is asked for. */
function keeping() {
  const policies: SandboxPolicy[] = [];
  const searches: SearchAccess[] = [];
  const confine = { wrap: (options: never) => options, failure: () => undefined };
  const backend: Sandbox = {
    name: "made up",
    prepare(policy) {
      policies.push(policy);
      return Promise.resolve({ kind: "working", confine, made: [] });
    },
    prepareSearch(place) {
      searches.push(place);
      return Promise.resolve(confine);
    },
  };
  return { backend, policies, searches };
}

test("[CLI-02 SBX-01 S26] commands write an added folder, and its repository is protected like the workspace's", async () => {
  await using directory = temporaryDirectory();
  const folders = openFolders(directory.path);
  const { root, added } = folders;
  const { backend, policies } = keeping();
  const denied = () => ({
    hidden: [join(added, "secrets")],
    readOnly: [{ path: join(added, "fixed"), kind: "file" as const }],
  });
  await using sandbox = openSandbox(sourcesIn(folders, backend, { added: [added], denied }));
  const target = { kind: "command", command: "true", cwd: root } as const;
  expect(await sandbox.confinement({ summary: "x", target })).toMatchObject({ kind: "working" });
  const [policy] = policies;
  expect(policy?.writable).toEqual([added]);
  const readOnly = policy?.readOnly.map(({ path }) => path) ?? [];
  for (const name of [".git/hooks", ".git/config", ".cinch", "fixed"])
    expect(readOnly).toContain(join(added, name));
  expect(policy?.hidden).toContain(join(added, "secrets"));
});

test("[CLI-02 S27] what runs at a login stays closed in an added folder", async () => {
  await using directory = temporaryDirectory();
  const folders = openFolders(directory.path);
  const added = join(folders.home, ".local");
  mkdirSync(join(added, "bin"), { recursive: true });
  const { backend, policies } = keeping();
  await using sandbox = openSandbox(sourcesIn(folders, backend, { added: [added] }));
  const target = { kind: "command", command: "true", cwd: folders.root } as const;
  await sandbox.confinement({ summary: "x", target });
  expect(policies[0]?.readOnly).toContainEqual({ path: join(added, "bin"), kind: "directory" });
});

test("[CLI-02 TOOL-04] a search in an added folder does not see what is hidden there", async () => {
  await using directory = temporaryDirectory();
  const folders = openFolders(directory.path);
  const { added } = folders;
  const { backend, searches } = keeping();
  const denied = () => ({ hidden: [join(added, "secrets")], readOnly: [] });
  const search = searchSandbox(sourcesIn(folders, backend, { added: [added], denied }));
  await search.confine(join(added, ".git"));
  expect(searches).toEqual([{ root: added, hidden: [join(added, "secrets")] }]);
});
