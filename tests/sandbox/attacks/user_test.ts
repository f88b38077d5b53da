import { defineSuite } from "./suite.ts";

defineSuite({ name: "as an ordinary user (needs root to become one)", user: 1000, ignore: Deno.uid() !== 0 });
