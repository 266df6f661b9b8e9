import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import opaWasm from '@open-policy-agent/opa-wasm';

const BLOCK = 512;

/** Files of a .tar.gz by path, for the plain ustar archives that `opa build` writes. */
export function readBundle(path) {
  const tar = gunzipSync(readFileSync(path));
  const files = new Map();
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0;) {
    const name = tar
      .toString('utf8', at, at + 100)
      .replace(/\0.*$/s, '')
      .replace(/^\//, '');
    const size = Number.parseInt(tar.toString('ascii', at + 124, at + 136), 8);
    files.set(name, tar.subarray(at + BLOCK, at + BLOCK + size));
    at += BLOCK * (1 + Math.ceil(size / BLOCK));
  }
  return files;
}

/** The policy of a bundle, compiled, and its data as JSON. */
export async function loadBundle(path) {
  const files = readBundle(path);
  const policy = await opaWasm.loadPolicy(files.get('policy.wasm'));
  return { policy, data: JSON.parse(files.get('data.json').toString('utf8')) };
}

/** The same data with some switches set otherwise. */
export function withSwitches(data, switches) {
  const tenure = { ...data.tenure, switches: { ...data.tenure.switches, ...switches } };
  return { ...data, tenure };
}

/** Builtins that the compiled policy expects of its host; a policy of native ones has none. */
export function hostBuiltins(policy) {
  const { builtins, opa_json_dump: dump } = policy.wasmInstance.exports;
  const bytes = new Uint8Array(policy.mem.buffer, dump(builtins()));
  return JSON.parse(Buffer.from(bytes.subarray(0, bytes.indexOf(0))).toString('utf8'));
}
