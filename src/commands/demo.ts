import { join } from "@std/path/join";
import { serve } from "../acp/serve.ts";
import { loadConfig } from "../config/load.ts";
import { DemoClient } from "./demo_client.ts";
import { TerminalScreen } from "./demo_screen.ts";
import { usage } from "./settings.ts";

/** The script that the demo's model repairs: a greeting with a slip of the pen. */
const GREET = `#!/usr/bin/env bash
# Greets whoever is named.
echo "Helo, $1!"
`;

/**
 * `dsh-acp demo`: one whole turn in this terminal, over the same connection that an editor uses, with the
 * embedded model. Works in a temporary project and leaves nothing behind. Resolves with the exit code.
 */
export async function run(args: readonly string[]): Promise<number> {
  if (args.length > 0) throw usage(`demo takes no arguments, but got "${args[0]}".`);
  const root = await Deno.makeTempDir({ prefix: "dsh-acp-demo-" });
  try {
    return await tour(await Deno.realPath(root));
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

async function tour(root: string): Promise<number> {
  const project = join(root, "project");
  await Deno.mkdir(project);
  await Deno.writeTextFile(join(project, "greet.sh"), GREET);

  const { environment } = await loadConfig();
  const encoder = new TextEncoder();
  const colour = Deno.stdout.isTerminal() && !environment.NO_COLOR;
  const screen = new TerminalScreen((text) => void Deno.stdout.writeSync(encoder.encode(text)), colour);
  const client = new DemoClient(screen);
  const served = serve(client.agentSide, {
    model: "demo/demo",
    preset: "workspace", // whatever the user has set: the last command must meet the confinement
    stateDir: join(root, "state"),
  });

  screen.say("A turn as an editor sees it: the built-in demo model, a temporary project, the real tools.");
  await client.request("initialize", {
    protocolVersion: 1,
    clientCapabilities: { _meta: { terminal_output: true } },
    clientInfo: { name: "dsh-acp demo", version: "1" },
  });
  const { sessionId } = await client.request("session/new", { cwd: project, mcpServers: [] }) as {
    sessionId: string;
  };
  screen.say("> tour: fix the greeting in greet.sh and prove it");
  await client.request("session/prompt", {
    sessionId,
    prompt: [{ type: "text", text: "tour: fix the greeting in greet.sh and prove it" }],
  });
  screen.end();
  await client.close();
  await served;
  screen.say(
    "That was the demo. README.md tells how to start this agent from your editor with a real model.",
  );
  return 0;
}
