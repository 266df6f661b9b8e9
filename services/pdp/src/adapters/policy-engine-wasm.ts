import { createWasmPolicy } from '@tenure/policy/runtime';
import { type PolicyEngine } from '../ports/policy-engine.js';

/**
 * Engines on OPA's WASM, each holding at most `maximumPages` of 64 KiB.
 * What it returns throws PolicyRefused for a module that cannot be used.
 */
export const wasmEngines =
  (maximumPages: number) =>
  (wasm: Uint8Array, data: object): Promise<PolicyEngine> =>
    createWasmPolicy(wasm, data, { maximumPages });
