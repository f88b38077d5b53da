import { defineSuite } from "./suite.ts";

defineSuite({ name: Deno.uid() === 0 ? "as root" : "as this user" });
