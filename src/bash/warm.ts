/**
 * All modules of an executor, loaded by the agent for one reason: Deno then keeps what it compiled. An executor
 * cannot write Deno's cache, and Deno tries again and again for each module that is not in it, which once costs
 * seconds. Importing this has no other effect.
 *
 * @module
 */
import "./become_confined.ts";
import "./executor.ts";
import "./serve.ts";
import "../sandbox/confine.ts";
