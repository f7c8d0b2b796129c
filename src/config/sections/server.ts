import { originsProblem } from "../../safety/page-origin.ts";
import type { TableSection } from "../../session/config-section.ts";

/** `[server]`: who may reach an engine that listens (AUTH-06). */
export const serverSection = {
  shape: "table",
  name: "server",
  in: "config",
  about:
    "Web pages that may talk to an engine of yours: [which pages may call](../rest.md#which-pages-may-call).",
  keys: {
    allowOrigins: {
      kind: "texts",
      key: "allow_origins",
      fixedAtStart: true,
      meaning:
        "Origins of pages, editors' webviews and extensions that an engine answers, each exactly as browsers send it; at most 64. `--allow-origin` adds to them.",
      default: [],
      example: ["https://tools.example:8443", "tauri://localhost"],
      check: originsProblem,
      as: (origins: readonly string[]): readonly string[] => [...new Set(origins)],
    },
  },
} as const satisfies TableSection;
