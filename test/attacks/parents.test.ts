import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { chmod, copyFile, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HarnessError } from "../../src/base/errors.ts";
import type { ParentQuestion } from "../../src/server/auth/owner/attestation.ts";
import { attestParent } from "../../src/server/auth/owner/attestation.ts";
import type { AttestedParent } from "../../src/server/auth/owner/parent-list.ts";
import { keepAutoAttach, readParents } from "../../src/server/auth/owner/parent-list.ts";
import { requireProgram } from "../support/requires.ts";
import { until } from "../support/until.ts";
import { temporaryDirectory, testWorld } from "../support/world.ts";

/** Each is red with `judgeParent` saying "known" to all. */
const withSleep = requireProgram("sleep");
const withBash = requireProgram("bash");
/** Entries of one process. */
const ADDED = 20;

interface ParentRig extends AsyncDisposable {
  readonly folder: string;
  readonly lockPath: string;
  readonly questions: ParentQuestion[];
  /** Runs a program, and attests it as if it had started this process. */
  attest(argv: readonly string[], options?: Attempt): Promise<string>;
  /** Parents that were admitted, in order. */
  readonly admitted: AttestedParent[];
}

interface Attempt {
  readonly answer?: boolean;
  /** While the person is asked. */
  readonly meanwhile?: (child: Bun.Subprocess) => Promise<void>;
}

function place(): ParentRig {
  const folder = temporaryDirectory();
  const lockPath = join(folder.path, "mcp-parents.lock");
  const questions: ParentQuestion[] = [];
  const admitted: AttestedParent[] = [];
  return {
    folder: folder.path,
    lockPath,
    questions,
    admitted,
    async attest(argv, { answer = false, meanwhile } = {}) {
      const child = Bun.spawn([...argv], {
        cwd: folder.path,
        stdin: "pipe",
        stdout: "ignore",
        stderr: "ignore",
      });
      try {
        await until("the program runs, with its words", () =>
          readFileSync(`/proc/${child.pid}/cmdline`, "utf8").startsWith(`${argv[0]}\0`),
        );
        const parent = await attestParent({
          world: testWorld(),
          parentPid: child.pid,
          lockPath,
          async ask(question) {
            questions.push(question);
            await meanwhile?.(child);
            return answer;
          },
          signal: new AbortController().signal,
        });
        admitted.push(parent);
        return "attested";
      } catch (thrown) {
        if (thrown instanceof HarnessError) return thrown.reason;
        throw thrown;
      } finally {
        child.kill("SIGKILL");
        await child.exited;
      }
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

async function program(at: ParentRig, name: string, like: string): Promise<string> {
  const path = join(at.folder, name);
  await copyFile(Bun.which(like) ?? "", path);
  await chmod(path, 0o755);
  return path;
}

withSleep(
  "[AUTH-09 S51] the first start asks, what the person says is kept, and a no is a no each time",
  async () => {
    await using at = place();
    const path = await program(at, "client", "sleep");
    expect(await at.attest([path, "60"])).toBe("ParentRefused");
    expect(await at.attest([path, "60"])).toBe("ParentRefused");
    expect(await at.attest([path, "60"], { answer: true })).toBe("attested");
    expect((await stat(at.lockPath)).mode & 0o777).toBe(0o600);
    expect(await at.attest([path, "61"])).toBe("attested");
    expect(at.questions.map(({ verdict, parent }) => [verdict.kind, parent.argv0, parent.binary])).toEqual(
      [1, 2, 3].map(() => ["new", path, path]),
    );
  },
);

withSleep(
  "[CTL-12 AUTH-09] whether its sessions are auto-attached is undecided after a program was let in, and is kept for exactly this program",
  async () => {
    await using at = place();
    const list = { world: testWorld(), path: at.lockPath };
    const path = await program(at, "client", "sleep");
    const other = await program(at, "other", "sleep");
    for (const each of [other, path])
      expect(await at.attest([each, "60"], { answer: true })).toBe("attested");
    expect(at.admitted.map(({ autoAttach }) => autoAttach)).toEqual([undefined, undefined]);
    const parent = at.admitted[1] as AttestedParent;
    for (const always of [false, true]) {
      expect(await keepAutoAttach(list, parent, always)).toMatchObject({ kind: "known" });
      expect(await at.attest([path, "60"])).toBe("attested");
      expect(at.admitted.at(-1)).toEqual({ ...parent, autoAttach: always });
    }
    expect(await at.attest([other, "60"])).toBe("attested");
    expect(at.admitted.at(-1)?.autoAttach).toBeUndefined();
    expect((await stat(at.lockPath)).mode & 0o777).toBe(0o600);
    const lock = await readFile(at.lockPath, "utf8");
    const changed = { ...parent, binarySha256: "0".repeat(64) };
    expect(await keepAutoAttach(list, changed, false)).toMatchObject({ kind: "changed" });
    expect(await keepAutoAttach(list, { ...parent, argv0: "x" }, false)).toEqual({ kind: "new" });
    expect(await readFile(at.lockPath, "utf8")).toBe(lock);
    await writeFile(at.lockPath, lock.replace('"autoAttach": true', '"autoAttach": "no"'));
    expect(await at.attest([path, "60"])).toBe("ParentsUnusable");
    await expect(keepAutoAttach(list, parent, false)).rejects.toMatchObject({ reason: "ParentsUnusable" });
    expect(at.questions).toHaveLength(2);
  },
);

withSleep(
  "[AUTH-09 S51] a binary that changed, or another of the same name elsewhere, is asked about again",
  async () => {
    await using at = place();
    const path = await program(at, "client", "sleep");
    expect(await at.attest([path, "60"], { answer: true })).toBe("attested");
    const first = at.questions[0]?.parent.binarySha256;
    await rm(path);
    await program(at, "client", "cat");
    expect(await at.attest([path, "-"])).toBe("ParentRefused");
    expect(at.questions.at(-1)?.verdict).toMatchObject({ kind: "changed", before: { binarySha256: first } });
    const other = await program(at, "other", "sleep");
    expect(await at.attest([other, "60"])).toBe("ParentRefused");
    expect(at.questions.at(-1)?.verdict.kind).toBe("new");
  },
);

withSleep("[AUTH-09 S51] a good binary that replaced the running one vouches for nobody", async () => {
  await using at = place();
  const path = await program(at, "client", "sleep");
  expect(await at.attest([path, "60"], { answer: true })).toBe("attested");
  await rename(path, join(at.folder, "good"));
  await program(at, "client", "cat");
  const child = Bun.spawn([path, "-"], { stdin: "pipe", stdout: "ignore" });
  await rm(path);
  // What the system names the binary that was removed, and the place where it was.
  await copyFile(join(at.folder, "good"), `${path} (deleted)`);
  await rename(join(at.folder, "good"), path);
  let asked = 0;
  const refused = await attestParent({
    world: testWorld(),
    parentPid: child.pid,
    lockPath: at.lockPath,
    async ask() {
      asked++;
      return true;
    },
    signal: new AbortController().signal,
  }).catch((thrown: HarnessError) => thrown.reason);
  child.kill("SIGKILL");
  await child.exited;
  expect([refused, asked]).toEqual(["ParentRefused", 0]);
});

withSleep(
  "[AUTH-09 S51] a process that ends or is another by the time of the answer is not attested",
  async () => {
    await using at = place();
    const path = await program(at, "client", "sleep");
    const meanwhile = async (child: Bun.Subprocess) => {
      child.kill("SIGKILL");
      await child.exited;
    };
    expect(await at.attest([path, "60"], { answer: true, meanwhile })).toBe("ParentRefused");
    expect(await at.attest([path, "60"])).toBe("ParentRefused"); // and nothing was kept
  },
);

withBash(
  "[AUTH-09 S51] of an interpreter the script counts, with what stands before it, or the code in its arguments",
  async () => {
    await using at = place();
    const script = join(at.folder, "client.sh");
    await writeFile(script, "read -r line");
    const bash = await program(at, "bash", "bash");
    expect(await at.attest([bash, script], { answer: true })).toBe("attested");
    expect(await at.attest([bash, "client.sh", "argument"])).toBe("attested");
    const other = join(at.folder, "other.sh");
    await writeFile(other, "read -r line # another");
    expect(await at.attest([bash, "--rcfile", script, other])).toBe("ParentRefused");
    expect(await at.attest([bash, "--rcfile", script, script], { answer: true })).toBe("attested");
    expect(await at.attest([bash, "--rcfile", script, script])).toBe("attested");
    expect(await at.attest([bash, "--rcfile", script, other])).toBe("ParentRefused");
    await writeFile(script, "read -r line; true");
    expect(await at.attest([bash, script])).toBe("ParentRefused");
    expect(at.questions.at(-1)?.verdict.kind).toBe("changed");
    expect(await at.attest([bash, "-c", "read -r line; true"], { answer: true })).toBe("attested");
    expect(await at.attest([bash, "-c", "read -r line; false"])).toBe("ParentRefused");
  },
);

withSleep(
  "[AUTH-09 S54] a list that is damaged, or that others could have written, attests nobody",
  async () => {
    await using at = place();
    const path = await program(at, "client", "sleep");
    expect(await at.attest([path, "60"], { answer: true })).toBe("attested");
    const whole = await readFile(at.lockPath, "utf8");
    for (const text of ["", "{}", whole.slice(0, -4), '{"version":1,"parents":[{"argv0":"x"}]}']) {
      await writeFile(at.lockPath, text);
      expect(await at.attest([path, "60"], { answer: true })).toBe("ParentsUnusable");
    }
    await writeFile(at.lockPath, whole);
    await chmod(at.lockPath, 0o666);
    expect(await at.attest([path, "60"], { answer: true })).toBe("ParentsUnusable");
  },
);

test("[AUTH-09] a process that is not there is refused", async () => {
  await using at = place();
  const refused = await attestParent({
    world: testWorld(),
    parentPid: 2 ** 22 + 1,
    lockPath: at.lockPath,
    ask: () => Promise.resolve(true),
    signal: new AbortController().signal,
  }).catch((thrown: HarnessError) => thrown.reason);
  expect(refused).toBe("ParentRefused");
});

test("[AUTH-05 AUTH-09 CTL-12] what several processes add to the lists of programs and of revoked tokens at once is all kept", async () => {
  await using folder = temporaryDirectory();
  const names = ["one", "two", "three"];
  const child = join(import.meta.dir, "../support/auth-lists-child.ts");
  const exits = names.map((name) => {
    const argv = [process.execPath, child, folder.path, name, `${ADDED}`];
    return Bun.spawn(argv, { stdin: "ignore", stdout: "ignore", stderr: "inherit" }).exited;
  });
  expect(await Promise.all(exits)).toEqual(names.map(() => 0));
  const parents = await readParents(join(folder.path, "mcp-parents.lock"));
  const wanted = names.flatMap((name) => Array.from({ length: ADDED }, (_, at) => `${name}-${at}`));
  expect(parents.map(({ argv0 }) => argv0).sort()).toEqual(wanted.sort());
  const revoked = JSON.parse(await readFile(join(folder.path, "revoked-tokens.json"), "utf8"));
  expect(revoked.revoked).toHaveLength(wanted.length);
});
