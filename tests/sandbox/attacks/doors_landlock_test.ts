import { defineDoors } from "./doors_suite.ts";

defineDoors("by Landlock alone", false);
