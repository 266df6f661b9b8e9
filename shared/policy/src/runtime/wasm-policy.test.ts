import { beforeAll, describe, expect, it } from '@jest/globals';
import { PolicyOutOfMemory, PolicyOutOfTime } from '../failures.js';
import { memberOf } from '../json-object.js';
import { buildBundle, buildRego, type BuiltPolicy, unpackBundle } from '../testing/index.js';
import { createWasmPolicy } from './wasm-policy.js';

let sane: BuiltPolicy;
let hostile: BuiltPolicy;
beforeAll(async () => {
  sane = await unpackBundle(buildBundle('sane'));
  hostile = await unpackBundle(buildBundle('hostile'));
});

const options = { maximumPages: 512 };
const owner = { project_id: 'p', user_id: 'u', roles: [] };
const read = {
  action: 'baremetal:node:get',
  subject: owner,
  resource: { type: 'node', owner: 'p' },
};

describe('a WASM policy', () => {
  it('answers what its Rego says, from the data it was given', async () => {
    const engine = await createWasmPolicy(sane.wasm, sane.data, options);
    expect(engine.evaluate('decision', read)).toMatchObject({
      allow: true,
      grants: ['owner_reader'],
    });
    expect(
      engine.evaluate('decision', { ...read, resource: { type: 'node', owner: 'other' } }),
    ).toMatchObject({ allow: false, reason: 'not_granted' });
    expect(engine.evaluate('batch', { ...read, actions: ['baremetal:node:list'] })).toMatchObject({
      'baremetal:node:list': { allow: false },
    });
  });

  it.each([undefined, null, false, 0, '', 'text', [], {}])(
    'denies the question %j and stays in service',
    async (input) => {
      const engine = await createWasmPolicy(sane.wasm, sane.data, options);
      expect(engine.evaluate('decision', input)).toMatchObject({
        allow: false,
        reason: 'malformed_question',
      });
      expect(engine.evaluate('decision', read)).toMatchObject({ allow: true });
    },
  );

  it.each([false, 0, '', null])('sees %j as it is, not as no input', async (input) => {
    const engine = await createWasmPolicy(hostile.wasm, hostile.data, options);
    expect(engine.evaluate('batch', input)).toEqual({ input });
  });

  it('reads lone surrogates as the replacement character', async () => {
    const engine = await createWasmPolicy(sane.wasm, sane.data, options);
    const question = { ...read, subject: { ...owner, user_id: 'a\ud800' } };
    expect(engine.evaluate('decision', question)).toMatchObject({
      fields: { masked: ['a\ufffd'] },
    });
  });

  it.each([
    ['conflicts with itself', { ask: 'conflict' }, 'the policy threw'],
    ['wants more memory than it may have', { ask: 'memory', size: 2000 }, 'wants more memory'],
    ['is undefined', { ask: 'nothing' }, 'the policy gave no result'],
  ])(
    'fails with an Error when the rule %s, and answers the next question',
    async (_, ask, message) => {
      const engine = await createWasmPolicy(hostile.wasm, hostile.data, options);
      expect(() => engine.evaluate('decision', ask)).toThrow(message);
      expect(engine.evaluate('decision', { ask: 'echo' })).toEqual({ echo: { ask: 'echo' } });
    },
  );

  it('never holds more memory than it may, and gives back what one large question took', async () => {
    const engine = await createWasmPolicy(hostile.wasm, hostile.data, options);
    expect(() => engine.evaluate('decision', { ask: 'memory', size: 2000 })).toThrow(
      PolicyOutOfMemory,
    );
    expect(engine.memoryPages()).toBe(64);
  });

  it('is refused when it lacks an entrypoint', async () => {
    const bundle = buildRego(`package tenure.authz
# METADATA
# entrypoint: true
# scope: document
decision := {}
`);
    const built = await unpackBundle(bundle);
    await expect(createWasmPolicy(built.wasm, built.data, options)).rejects.toThrow(
      'policy.wasm has no entrypoint tenure/authz/batch',
    );
  });

  it('is refused when it needs builtins of its host, which fail only when called', async () => {
    const bundle = buildRego(`package tenure.authz
# METADATA
# entrypoint: true
# scope: document
decision := time.now_ns()
# METADATA
# entrypoint: true
# scope: document
batch := {}
`);
    const built = await unpackBundle(bundle);
    await expect(createWasmPolicy(built.wasm, built.data, options)).rejects.toThrow(
      'builtins not native in WASM: time.now_ns',
    );
  });

  it('is refused when it is no WebAssembly', async () => {
    await expect(createWasmPolicy(Buffer.from('nonsense'), {}, options)).rejects.toThrow(
      'policy.wasm is not a WebAssembly module',
    );
  });
});

describe('many evaluations', () => {
  it('take no more memory than few', async () => {
    const engine = await createWasmPolicy(sane.wasm, sane.data, options);
    for (let round = 0; round < 2000; round += 1) engine.evaluate('decision', read);
    expect(engine.memoryPages()).toBe(64);
    expect(memberOf(engine.evaluate('decision', read), 'allow')).toBe(true);
  });
});

describe('a metered policy', () => {
  const metered = { maximumPages: 16_384, budget: () => 2_000_000 };
  const loop = { ask: 'slow', size: 3000 };

  it('answers as one that is not metered', async () => {
    const plain = await createWasmPolicy(sane.wasm, sane.data, options);
    const engine = await createWasmPolicy(sane.wasm, sane.data, metered);
    for (const question of [read, {}, undefined, { ...read, resource: { type: 'node' } }])
      expect(engine.evaluate('decision', question)).toEqual(plain.evaluate('decision', question));
    expect(plain.lastCost()).toBe(0);
    expect(engine.lastCost()).toBeGreaterThan(0);
  });

  it('is stopped when it loops, time after time, and answers the question behind each', async () => {
    const engine = await createWasmPolicy(hostile.wasm, hostile.data, metered);
    for (let round = 0; round < 10; round += 1) {
      expect(() => engine.evaluate('decision', loop)).toThrow(PolicyOutOfTime);
      expect(engine.evaluate('decision', { ask: 'echo' })).toEqual({ echo: { ask: 'echo' } });
    }
    expect(engine.memoryPages()).toBe(64);
  });

  it('asks for its budget before each evaluation', async () => {
    const budgets = [10, 2_000_000];
    const engine = await createWasmPolicy(hostile.wasm, hostile.data, {
      maximumPages: 512,
      budget: () => budgets.shift() ?? 0,
    });
    expect(() => engine.evaluate('decision', { ask: 'echo' })).toThrow(PolicyOutOfTime);
    expect(engine.evaluate('decision', { ask: 'echo' })).toEqual({ echo: { ask: 'echo' } });
  });
});
