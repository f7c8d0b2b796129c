import type { World } from "../../base/world.ts";
import type { Authority } from "../../session/access/authority.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import type { HttpRoute } from "../http/route.ts";
import { attachmentRoute } from "./attachment-route.ts";
import { authRoutes } from "./auth-routes.ts";
import { clientRoutes } from "./client-routes.ts";
import { eventRoutes } from "./event-routes.ts";
import { openApiRoute } from "./openapi.ts";
import { providerKeyRoute } from "./provider-key-route.ts";
import { queryRoutes } from "./query-routes.ts";
import { sessionRoutes } from "./session-routes.ts";

export interface RestDependencies {
  readonly engine: EnginePort;
  readonly authority: Authority;
  readonly world: Pick<World, "clock">;
  /** Routes of other transports on the same listener; the document includes those that describe themselves. */
  readonly others?: readonly HttpRoute[];
}

/** Returns every route of REST and server-sent events (CTL-06), and the given ones of other transports. */
export function restRoutes({
  engine,
  authority,
  world,
  others = [],
}: RestDependencies): readonly HttpRoute[] {
  const routes: readonly HttpRoute[] = [
    ...clientRoutes(engine),
    ...queryRoutes(engine),
    ...sessionRoutes(),
    attachmentRoute(),
    providerKeyRoute(),
    ...eventRoutes({ engine, world }),
    ...authRoutes(authority),
    openApiRoute(() => routes),
    ...others,
  ];
  return routes;
}
