import { afterAll, expect } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { blocksOf } from "../support/documents.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import type { PackageProject } from "../support/package-project.ts";
import { BUN, openPackageProject } from "../support/package-project.ts";
import { requireProgram } from "../support/requires.ts";
import { ROOT, readSource } from "../support/source.ts";

/** The library as a stranger's project has it: the published package, a strict compiler, another runtime. */

const TIMEOUT_MS = 180_000;

let opening: Promise<PackageProject> | undefined;

/** The one project of this file. */
async function openedProject(): Promise<PackageProject> {
  opening ??= openPackageProject();
  return await opening;
}

afterAll(async () => {
  (await opening)?.[Symbol.dispose]();
});

requireProgram("tar", "node")(
  "[LIB-10 DOC-01] the published library compiles in a strict program, runs, and holds no source and no test",
  async () => {
    const project = await openedProject();
    const files = readdirSync(join(project.path, "node_modules/cinch"), {
      recursive: true,
      encoding: "utf8",
    });
    expect(files.filter((file) => /\.test\.|\.e2e\.|^src|[^d]\.ts$/.test(file))).toEqual([]);
    const [example] = blocksOf("docs/library.md", readSource("docs/library.md"));
    const environment = "declare const process: { readonly env: Record<string, string | undefined> };\n";
    writeFileSync(join(project.path, "example.ts"), environment + example?.text);
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    expect(await project.run(["node", tsc, "-p", "."])).toEqual({ code: 0, stdout: "", stderr: "" });

    await using mock = startMockProvider({ script: [calls("get-weather", { city: "Oslo" }), says("Yes.")] });
    const text = `${example?.text}`.replace('model: "sonnet"', `model: "sonnet", baseUrl: "${mock.url}"`);
    writeFileSync(join(project.path, "run.ts"), text);
    const ran = await project.run([...BUN, "run.ts"], { ANTHROPIC_API_KEY: "k" });
    expect(ran).toEqual({ code: 0, stdout: "Yes.\nYes. complete 0.0008\n", stderr: "" });
  },
  TIMEOUT_MS,
);

requireProgram("tar", "node")(
  "[LIB-10] a runtime that the library cannot run on is named, with what to do",
  async () => {
    const project = await openedProject();
    writeFileSync(
      join(project.path, "run.mjs"),
      'import { Harness } from "cinch";\ntry { new Harness({ apiKey: "k" }); } catch (error) { console.log(error.reason, error.message); }\n',
    );
    const { code, stdout, stderr } = await project.run(["node", "run.mjs"]);
    expect([code, stderr]).toEqual([0, ""]);
    const engine =
      'import { createEngine } from "cinch/engine";\ntry { await createEngine({}); } catch (error) { console.log(error.reason); }\n';
    writeFileSync(join(project.path, "engine.mjs"), engine);
    expect(await project.run(["node", "engine.mjs"])).toEqual({
      code: 0,
      stdout: "RuntimeUnsupported\n",
      stderr: "",
    });
    expect(stdout).toStartWith("RuntimeUnsupported The library of cinch runs on Bun, and this is Node");
    expect(stdout).toContain("Start the program with: bun FILE");
  },
  TIMEOUT_MS,
);

requireProgram("tar")(
  "[LIB-10 REL-03] nothing of the library stays in the temporary folder, disposed or not",
  async () => {
    const project = await openedProject();
    await using mock = startMockProvider({
      script: ({ body }) =>
        JSON.stringify(body).includes("tool_result") ? says("Long.") : calls("long", {}),
    });
    const program = (dispose: string) => `import { readdirSync } from "node:fs";
      import { Harness } from "cinch";
      const long = { name: "long", description: "Long.", inputSchema: { type: "object", properties: {} }, execute: async () => "x".repeat(300_000) };
      const harness = new Harness({ apiKey: "k", baseUrl: "${mock.url}" }, [long]);
      await harness.prompt("go");
      console.log(readdirSync(process.env.TMPDIR).length);
      ${dispose}\n`;
    for (const dispose of ["", "await harness[Symbol.asyncDispose]();"]) {
      writeFileSync(join(project.path, "run.mjs"), program(dispose));
      expect(await project.run([...BUN, "run.mjs"])).toEqual({ code: 0, stdout: "1\n", stderr: "" });
      expect(readdirSync(project.temporary)).toEqual([]);
    }
  },
  TIMEOUT_MS,
);
