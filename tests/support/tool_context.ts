import type { ToolContext } from "../../src/tool/tool.ts";

/** A context for a tool that is run by itself: what a test does not bring fails when it is used. */
export function toolContext(own: Partial<ToolContext> = {}): ToolContext {
  const absent = (what: string) => () => {
    throw new Error(`this test has no ${what}`);
  };
  return {
    cwd: "/w",
    signal: new AbortController().signal,
    get jobs(): never {
      return absent("jobs")();
    },
    admit: absent("executor"),
    begin: () => {},
    emit: () => {},
    setPlan: absent("plan"),
    delegate: absent("child"),
    seen: () => undefined,
    permit: absent("leave"),
    privateHosts: [],
    user: { elicit: absent("user"), elicitationDone: absent("user"), choose: absent("user") },
    ...own,
  };
}
