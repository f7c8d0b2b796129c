import { frameMessage, parseFrames } from "../../src/features/diagnostics/language-server/framing.ts";

/**
 * A language server that finds every "bad" in a file, and behaves as its first argument says: `asked` tells when it is
 * asked, `tells` by itself (twice, the second time rightly), `dies` with the first file, `hangs` from the first file
 * on, `mute` never answers at all, `floods`, `pours` much in few messages, `garbage`.
 */
const how = process.argv[2] ?? "asked";

/** In one piece, so that nobody sees one of them without the next. */
function send(...messages: readonly object[]): void {
  process.stdout.write(
    Buffer.concat(messages.map((message) => frameMessage({ jsonrpc: "2.0", ...message }))),
  );
}

function diagnosticsOf(text: string): readonly object[] {
  return text.split("\n").flatMap((line, at) =>
    [...line.matchAll(/bad/g)].map(({ index }) => ({
      range: { start: { line: at, character: index }, end: { line: at, character: index + 3 } },
      severity: 1,
      code: "no-bad",
      message: "this is bad",
    })),
  );
}

interface Told {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly textDocument?: { readonly uri: string; readonly text?: string; readonly version?: number };
    readonly contentChanges?: readonly { readonly text: string }[];
  };
}

const texts = new Map<string, { text: string; version: number }>();

function changed({ params }: Told): void {
  const { uri = "", text, version = 0 } = params?.textDocument ?? {};
  const next = { text: text ?? params?.contentChanges?.[0]?.text ?? "", version };
  texts.set(uri, next);
  if (how === "dies") process.exit(3);
  if (how === "garbage") process.stdout.write("oops\n".repeat(2_000));
  if (how === "floods")
    for (let at = 0; at < 30_000; at++)
      send({ method: "window/logMessage", params: { type: 3, message: "x" } });
  if (how === "pours")
    for (let at = 0; at < 9; at++)
      send({ method: "window/logMessage", params: { type: 3, message: "x".repeat(8 * 1_048_576) } });
  if (how !== "tells") return;
  const told = (diagnostics: readonly object[]) => ({
    method: "textDocument/publishDiagnostics",
    params: { uri, version: next.version, diagnostics },
  });
  send(told([]), told(diagnosticsOf(next.text)));
}

for await (const message of parseFrames(Bun.stdin.stream())) {
  const told = message as Told;
  const { id, method } = told;
  if (how === "mute") continue;
  if (method === "initialize") {
    const diagnosticProvider = how === "tells" ? {} : { diagnosticProvider: {} };
    send({ id, result: { capabilities: diagnosticProvider } });
  } else if (method === "textDocument/didOpen" || method === "textDocument/didChange") {
    changed(told);
  } else if (method === "textDocument/diagnostic" && how !== "hangs") {
    const items = diagnosticsOf(texts.get(told.params?.textDocument?.uri ?? "")?.text ?? "");
    send({ id, result: { kind: "full", items } });
  } else if (method === "shutdown") {
    send({ id, result: null });
  } else if (method === "exit") {
    process.exit(0);
  }
}
