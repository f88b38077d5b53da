import { defineOpenDoors } from "./doors_suite.ts";

defineOpenDoors();
