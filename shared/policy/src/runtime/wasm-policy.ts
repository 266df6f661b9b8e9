// CommonJS, of whose exports Node finds only some by name.
import { createRequire } from 'node:module';
import type * as OpaWasm from '@open-policy-agent/opa-wasm';
import { type LoadedPolicy } from '@open-policy-agent/opa-wasm';
import { type Entrypoint } from '../entrypoint.js';
import {
  PolicyFailure,
  PolicyOutOfMemory,
  PolicyOutOfTime,
  PolicyRefused,
  messageOf,
} from '../failures.js';
import { isJsonObject, memberOf } from '../json-object.js';
import { questionText } from '../question-text.js';
import { FUEL_EXPORT, meterModule, MOST_FUEL } from './metering/meter-module.js';

// Its module for import lacks this function, which its types promise.
const { loadPolicySync } = createRequire(import.meta.url)(
  '@open-policy-agent/opa-wasm',
) as typeof OpaWasm;

/** One compiled policy with its data. Nothing in it changes after it was made. */
export interface WasmPolicy {
  /**
   * The policy's own answer, unchecked. Synchronous, and not to be called from within itself.
   * @param input the question; undefined when there is none
   * @throws PolicyOutOfTime when it ran out of fuel
   * @throws PolicyOutOfMemory when it reached the end of its memory or stack, or there is none for a new instance
   * @throws PolicyFailure when the policy cannot be evaluated: never an allow
   */
  readonly evaluate: (entrypoint: Entrypoint, input: unknown) => unknown;
  /** Units of fuel (some sixteen instructions each) that the last evaluation took; 0 when it is not metered. */
  readonly lastCost: () => number;
  /** Memory it holds now, in pages of 64 KiB. */
  readonly memoryPages: () => number;
}

export interface WasmPolicyOptions {
  /** Pages of 64 KiB that the policy may ever hold; an evaluation that wants more fails. */
  readonly maximumPages: number;
  /** Units of fuel for one evaluation, called before each. Without it nothing is metered, and a policy that loops is not stopped. */
  readonly budget?: () => number;
}

const PAGE_BYTES = 65_536;
const INITIAL_PAGES = 64;
/** WASM memory never shrinks: an instance that grew to this share of its limit is replaced by a fresh one. */
const RETIRE_AT_SHARE = 0.25;

const PATHS: Readonly<Record<Entrypoint, string>> = {
  decision: 'tenure/authz/decision',
  batch: 'tenure/authz/batch',
};

const encoder = new TextEncoder();

/** What OPA's allocator says when the memory cannot grow. */
const ALLOCATION_FAILED = 'opa_malloc: failed';

interface Running {
  readonly policy: LoadedPolicy;
  readonly fuel: WebAssembly.Global | undefined;
}

/** The instance in service, and a spare behind it. */
interface Instances {
  /** @throws PolicyOutOfMemory when there is no memory for one */
  readonly inService: () => Running;
  /** The instance in service is not used again. */
  readonly retire: () => void;
  readonly pages: () => number;
}

/**
 * Compiles once, for policies of one module with different data.
 * @throws PolicyRefused when it is no module, or cannot be metered; what it returns throws as `createWasmPolicy`
 */
export async function compileWasmPolicy(
  wasm: Uint8Array,
  options: WasmPolicyOptions,
): Promise<(data: object) => Promise<WasmPolicy>> {
  const module = await compile(options.budget === undefined ? wasm : meterModule(wasm));
  return (data) =>
    new Promise((resolve) => {
      resolve(policyOf(module, data, options));
    });
}

/**
 * A policy on OPA's WASM. An instance that threw, or whose memory grew much, is never used again:
 * a spare takes over at once and the next spare is made behind it.
 * @param data what the policy sees as `data`, with overlays and switches
 * @throws PolicyRefused when the module cannot be compiled, lacks an entrypoint or needs host builtins
 */
export const createWasmPolicy = async (
  wasm: Uint8Array,
  data: object,
  options: WasmPolicyOptions,
): Promise<WasmPolicy> => (await compileWasmPolicy(wasm, options))(data);

async function compile(wasm: Uint8Array): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(wasm);
  } catch (error) {
    throw new PolicyRefused('policy.wasm is not a WebAssembly module', { cause: error });
  }
}

function policyOf(
  module: WebAssembly.Module,
  data: object,
  { maximumPages, budget }: WasmPolicyOptions,
): WasmPolicy {
  const instances = instancesOf(() => {
    const policy = instantiate(module, data, maximumPages);
    return { policy, fuel: fuelOf(policy) };
  });
  const first = instances.inService().policy;
  const ids = { decision: entrypointOf(first, 'decision'), batch: entrypointOf(first, 'batch') };
  const retireAt = Math.max(pagesOf(first) + 1, maximumPages * RETIRE_AT_SHARE);
  let evaluating = false;
  let lastCost = 0;

  const run = ({ policy, fuel }: Running, id: number, input: unknown): unknown => {
    const given = Math.min(budget?.() ?? MOST_FUEL, MOST_FUEL);
    if (fuel !== undefined) fuel.value = given;
    try {
      // Bytes, not a value: opa-wasm takes false, 0, "" and null for "no input".
      const bytes = input === undefined ? undefined : encoder.encode(questionText(input)).buffer;
      const answer: unknown = policy.evaluate(bytes, id);
      if (pagesOf(policy) >= retireAt) instances.retire();
      return answer;
    } catch (error) {
      instances.retire();
      throw failureOf(error, fuel !== undefined && fuel.value < 0);
    } finally {
      if (fuel !== undefined) lastCost = given - fuel.value;
    }
  };

  return {
    evaluate: (entrypoint, input) => {
      if (evaluating)
        throw new PolicyFailure('the policy was evaluated from within its own evaluation');
      evaluating = true;
      try {
        return resultOf(run(instances.inService(), ids[entrypoint], input));
      } finally {
        evaluating = false;
      }
    },
    lastCost: () => lastCost,
    memoryPages: instances.pages,
  };
}

/** @throws PolicyRefused when the first ones cannot be made */
function instancesOf(make: () => Running): Instances {
  let current: Running | undefined = make();
  let spare: Running | undefined = make();
  const refill = (): void => {
    try {
      spare ??= make();
    } catch {
      // Out of memory for now; the next evaluation that needs one tries again.
    }
  };
  return {
    inService: () => {
      try {
        return (current ??= make());
      } catch (error) {
        throw new PolicyOutOfMemory('the policy cannot be restarted', { cause: error });
      }
    },
    retire: () => {
      current = spare;
      spare = undefined;
      // After the answer, because it takes milliseconds.
      setImmediate(refill);
    },
    pages: () => (current === undefined ? 0 : pagesOf(current.policy)),
  };
}

function instantiate(module: WebAssembly.Module, data: object, maximumPages: number): LoadedPolicy {
  try {
    const instance = loadPolicySync(module, {
      initial: Math.min(INITIAL_PAGES, maximumPages),
      maximum: maximumPages,
    });
    // Before setData, which moves the heap pointer past what the dump below allocates.
    const wanted = hostBuiltinsOf(instance);
    if (wanted.length > 0)
      throw new PolicyRefused(`policy.wasm uses builtins not native in WASM: ${wanted.join(', ')}`);
    instance.setData(data);
    return instance;
  } catch (error) {
    if (error instanceof PolicyRefused) throw error;
    throw new PolicyRefused(`policy.wasm cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

/** The global from which a metered instance pays for its instructions; undefined when it is not metered. */
function fuelOf(instance: LoadedPolicy): WebAssembly.Global | undefined {
  const { exports } = instance.wasmInstance as WebAssembly.Instance; // what loadPolicySync gives for a compiled module
  return exports[FUEL_EXPORT] as WebAssembly.Global | undefined; // the metering adds it as a global
}

function entrypointOf(instance: LoadedPolicy, name: Entrypoint): number {
  const id = memberOf(instance.entrypoints, PATHS[name]);
  if (typeof id !== 'number')
    throw new PolicyRefused(`policy.wasm has no entrypoint ${PATHS[name]}`);
  return id;
}

const pagesOf = (instance: LoadedPolicy): number => instance.mem.buffer.byteLength / PAGE_BYTES;

function failureOf(thrown: unknown, isOutOfFuel: boolean): PolicyFailure {
  const options = { cause: thrown };
  if (isOutOfFuel) return new PolicyOutOfTime('the policy ran longer than it may', options);
  if (isOutOfMemory(thrown))
    return new PolicyOutOfMemory(
      `the policy wants more memory than it may have: ${messageOf(thrown)}`,
      options,
    );
  return new PolicyFailure(`the policy threw: ${messageOf(thrown)}`, options);
}

function resultOf(answer: unknown): unknown {
  const first: unknown = Array.isArray(answer) && answer.length === 1 ? answer[0] : undefined;
  const result = memberOf(first, 'result');
  if (result === undefined) throw new PolicyFailure('the policy gave no result');
  return result;
}

/** Builtins that the policy wants from its host. They fail when called, not when loaded, so none is taken. */
function hostBuiltinsOf(instance: LoadedPolicy): readonly string[] {
  const address = callExport(instance, 'opa_json_dump', callExport(instance, 'builtins'));
  const bytes = Buffer.from(instance.mem.buffer);
  const wanted: unknown = JSON.parse(bytes.toString('utf8', address, bytes.indexOf(0, address)));
  return isJsonObject(wanted) ? Object.keys(wanted) : [];
}

function callExport(instance: LoadedPolicy, name: string, ...args: number[]): number {
  const { exports } = instance.wasmInstance as WebAssembly.Instance; // what loadPolicy gives for a compiled module
  const exported = exports[name];
  if (typeof exported !== 'function')
    throw new PolicyRefused(`policy.wasm has no export ${name}: not built by opa build -t wasm`);
  return Number(Reflect.apply(exported, undefined, args));
}

/** V8 throws a RangeError when a memory cannot grow for the question, and at the end of the stack. */
const isOutOfMemory = (thrown: unknown): boolean =>
  thrown === ALLOCATION_FAILED || memberOf(thrown, 'name') === 'RangeError';
