import { compileWasmPolicy } from '@tenure/policy/runtime';
import { type EngineFactory } from '../ports/policy-engine.js';

/** Engines on OPA's WASM, each with at most `maximumPages` of 64 KiB. */
export const wasmEngines =
  (maximumPages: number): EngineFactory =>
  (wasm, budget) =>
    compileWasmPolicy(wasm, { maximumPages, budget });
