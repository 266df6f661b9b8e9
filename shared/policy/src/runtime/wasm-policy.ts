import { loadPolicy, type LoadedPolicy } from '@open-policy-agent/opa-wasm';
import { type Entrypoint } from '../entrypoint.js';
import { PolicyFailure, PolicyRefused, wordsOf } from '../failures.js';
import { isJsonObject, memberOf } from '../json-object.js';
import { questionText } from '../question-text.js';

/** One compiled policy with its data. Nothing in it changes after it was made. */
export interface WasmPolicy {
  /**
   * The policy's own answer, unchecked. Synchronous, and not to be called from within itself.
   * @param input the question; undefined when there is none
   * @throws PolicyFailure when the policy cannot be evaluated: never an allow
   */
  readonly evaluate: (entrypoint: Entrypoint, input: unknown) => unknown;
  /** Memory it holds now, in pages of 64 KiB. */
  readonly memoryPages: () => number;
}

export interface WasmPolicyOptions {
  /** Pages of 64 KiB that the policy may ever hold; an evaluation that wants more fails. */
  readonly maximumPages: number;
}

const PAGE_BYTES = 65_536;
const INITIAL_PAGES = 64;
/** WASM memory never shrinks: an instance that grew to this share of its limit makes room for a fresh one. */
const RETIRE_AT_SHARE = 0.25;

const PATHS: Readonly<Record<Entrypoint, string>> = {
  decision: 'tenure/authz/decision',
  batch: 'tenure/authz/batch',
};

const encoder = new TextEncoder();

const pagesOf = (instance: LoadedPolicy): number => instance.mem.buffer.byteLength / PAGE_BYTES;

const entrypointOf = (instance: LoadedPolicy, name: Entrypoint): number => {
  const id = memberOf(instance.entrypoints, PATHS[name]);
  if (typeof id !== 'number')
    throw new PolicyRefused(`policy.wasm has no entrypoint ${PATHS[name]}`);
  return id;
};

const callExport = (instance: LoadedPolicy, name: string, ...args: number[]): number => {
  const { exports } = instance.wasmInstance as WebAssembly.Instance; // what loadPolicy gives for a compiled module
  const exported = exports[name];
  if (typeof exported !== 'function')
    throw new PolicyRefused(`policy.wasm has no export ${name}: not built by opa build -t wasm`);
  return Number(Reflect.apply(exported, undefined, args));
};

/** Builtins that the policy wants from its host. They fail when called, not when loaded, so none is taken. */
const hostBuiltinsOf = (instance: LoadedPolicy): readonly string[] => {
  const address = callExport(instance, 'opa_json_dump', callExport(instance, 'builtins'));
  const bytes = Buffer.from(instance.mem.buffer);
  const wanted: unknown = JSON.parse(bytes.toString('utf8', address, bytes.indexOf(0, address)));
  return isJsonObject(wanted) ? Object.keys(wanted) : [];
};

const instantiate = async (
  module: WebAssembly.Module,
  data: object,
  maximumPages: number,
): Promise<LoadedPolicy> => {
  try {
    const instance = await loadPolicy(module, {
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
    throw new PolicyRefused(`policy.wasm cannot be used: ${wordsOf(error)}`, { cause: error });
  }
};

const compile = async (wasm: Uint8Array): Promise<WebAssembly.Module> => {
  try {
    return await WebAssembly.compile(wasm);
  } catch (error) {
    throw new PolicyRefused('policy.wasm is not a WebAssembly module', { cause: error });
  }
};

const resultOf = (answer: unknown): unknown => {
  const first: unknown = Array.isArray(answer) && answer.length === 1 ? answer[0] : undefined;
  const result = memberOf(first, 'result');
  if (result === undefined) throw new PolicyFailure('the policy gave no result');
  return result;
};

const policyOf = async (
  module: WebAssembly.Module,
  data: object,
  { maximumPages }: WasmPolicyOptions,
): Promise<WasmPolicy> => {
  const make = (): Promise<LoadedPolicy> => instantiate(module, data, maximumPages);
  let current: LoadedPolicy | undefined = await make();
  let spare: LoadedPolicy | undefined = await make();
  const ids = {
    decision: entrypointOf(current, 'decision'),
    batch: entrypointOf(current, 'batch'),
  };
  const retireAt = Math.max(pagesOf(current) + 1, maximumPages * RETIRE_AT_SHARE);
  let refilling = false;
  let evaluating = false;

  const refill = async (): Promise<void> => {
    if (refilling) return;
    refilling = true;
    try {
      current ??= await make();
      spare ??= await make();
    } catch {
      // Out of memory for now; the next evaluation fails and tries again.
    } finally {
      refilling = false;
    }
  };
  const retire = (): void => {
    current = spare;
    spare = undefined;
    void refill();
  };
  const run = (instance: LoadedPolicy, id: number, input: unknown): unknown => {
    try {
      // Bytes, not a value: opa-wasm takes false, 0, "" and null for "no input".
      const bytes = input === undefined ? undefined : encoder.encode(questionText(input)).buffer;
      const answer: unknown = instance.evaluate(bytes, id);
      if (pagesOf(instance) >= retireAt) retire();
      return answer;
    } catch (error) {
      retire();
      throw new PolicyFailure(`the policy threw: ${wordsOf(error)}`, { cause: error });
    }
  };

  return {
    evaluate: (entrypoint, input) => {
      if (evaluating) throw new PolicyFailure('the policy was asked from within itself');
      if (current === undefined) {
        void refill();
        throw new PolicyFailure('the policy is being restarted');
      }
      evaluating = true;
      try {
        return resultOf(run(current, ids[entrypoint], input));
      } finally {
        evaluating = false;
      }
    },
    memoryPages: () => (current === undefined ? 0 : pagesOf(current)),
  };
};

/**
 * Compiles once, for policies of one module with different data.
 * @throws PolicyRefused when it is no module; what it returns throws as `createWasmPolicy`
 */
export const compileWasmPolicy = async (
  wasm: Uint8Array,
  options: WasmPolicyOptions,
): Promise<(data: object) => Promise<WasmPolicy>> => {
  const module = await compile(wasm);
  return (data) => policyOf(module, data, options);
};

/**
 * A policy on OPA's WASM. An instance that threw, or whose memory grew much, is never asked again:
 * a spare takes over at once and the next spare is made behind it.
 * @param data what the policy sees as `data`, with overlays and switches
 * @throws PolicyRefused when the module cannot be compiled, lacks an entrypoint or needs host builtins
 */
export const createWasmPolicy = async (
  wasm: Uint8Array,
  data: object,
  options: WasmPolicyOptions,
): Promise<WasmPolicy> => (await compileWasmPolicy(wasm, options))(data);
