import { Server } from "node:http";

// Loaded before an official MCP server, which would listen at every address of the machine: it listens at loopback
// only, and tells the port that it was given.
const listen = Server.prototype.listen;
Object.assign(Server.prototype, {
  listen(this: Server, port: number | string, ready: () => void) {
    const tell = () => {
      const address = this.address();
      if (typeof address === "object" && address !== null) process.stderr.write(`PORT ${address.port}\n`);
      ready();
    };
    return Reflect.apply(listen, this, [Number(port), "127.0.0.1", tell]);
  },
});
