// The floor to measure against: Deno, the SDK, and an agent that can do nothing but be there.
import { agent, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";

agent({ name: "bare" })
  .onRequest("initialize", () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest("session/new", () => ({ sessionId: crypto.randomUUID() }))
  .connect(ndJsonStream(Deno.stdout.writable, Deno.stdin.readable));
