import { assertEquals } from "@std/assert";
import type { PromptPart } from "../../src/session/event.ts";
import { Steering } from "../../src/session/steering.ts";

const said = (text: string): PromptPart[] => [{ type: "text", text }];

Deno.test("what is said is taken once, in order", () => {
  const steering = new Steering();
  assertEquals([steering.push(said("a")), steering.push(said("b"))], [true, true]);
  assertEquals(steering.take(), [said("a"), said("b")]);
  assertEquals(steering.take(), []);
});

Deno.test("a turn cannot end while something waits, and takes nothing once it ends", () => {
  const steering = new Steering();
  steering.push(said("a"));
  assertEquals(steering.tryEnd(), false);
  assertEquals(steering.push(said("b")), true);
  steering.take();
  assertEquals(steering.tryEnd(), true);
  assertEquals(steering.push(said("c")), false);
});
