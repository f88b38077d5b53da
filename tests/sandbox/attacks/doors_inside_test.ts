import { defineDoors } from "./doors_suite.ts";

defineDoors("in bubblewrap", true);
