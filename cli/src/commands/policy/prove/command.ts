import { readFile } from 'node:fs/promises';
import {
  type IsolationCertificate,
  type PinnedKey,
  pinnedKeyOf,
  PolicyRefused,
  signCertificate,
  type SigningKey,
  signingKeyOf,
  verifyCertificate,
} from '@tenure/policy';
import { type Command } from 'commander';
import { type CommandContext } from '../../../terminal/command-context.js';
import { counted } from '../../../terminal/counted.js';
import { ExitStatus } from '../../../terminal/exit-status.js';
import { examples, EXIT_STATUS } from '../examples.js';
import { keyIdOption, readKeyFile } from '../key-files.js';
import {
  bundleOption,
  type LoadedPolicy,
  loadPolicy,
  overlayOption,
  type PolicyOptions,
} from '../policy-options.js';
import { jobsOption, progressOn } from '../progress.js';
import { assignmentOf } from '../verify/examine.js';
import { examineWith } from '../verify/threads.js';
import { type Progress } from '../worker-threads.js';
import { writeWhole } from '../write-file.js';
import { holds, type Proof, proofOf } from './prove.js';

interface ProveOptions extends PolicyOptions {
  readonly key?: string;
  readonly keyId: string;
  readonly out?: string;
  readonly check?: string;
  readonly jobs: number;
  readonly json?: true;
}

const FOUND = 1;

/**
 * Adds `tenure policy prove`: the invariants of `verify` under every combination of the switches, and a certificate of it.
 * It throws ExitStatus 1 when one is broken or a certificate is refused, PolicyRefused or PolicyFailure when the policy
 * cannot be evaluated.
 */
export function addProveCommand(policy: Command, context: CommandContext): void {
  policy
    .command('prove')
    .description('prove the invariants over every question of the model, and certify it')
    .addOption(bundleOption(context.env))
    .addOption(overlayOption(context.env))
    .option('--key <pem>', 'private key (EC on P-256) to sign with; with --check the public one')
    .addOption(keyIdOption())
    .option('--out <file>', 'certificate to write')
    .option('--check <file>', 'verify this certificate against the bundle and the key instead')
    .addOption(jobsOption())
    .option('--json', 'one JSON document')
    .addHelpText(
      'after',
      examples(
        'tenure policy prove --bundle new.tar.gz --key private.pem --out proof.jws',
        'tenure policy prove --check proof.jws --bundle new.tar.gz --key public.pem',
      ) + EXIT_STATUS,
    )
    .action((options: ProveOptions) =>
      options.check === undefined
        ? prove(options, context)
        : check(options.check, options, context),
    );
}

async function prove(options: ProveOptions, context: CommandContext): Promise<void> {
  const key = await signingKeyFor(options);
  const proof = await proven(options, progressOn(context.stderr));
  const isProven = holds(proof);
  // A proof with a broken invariant is never signed.
  const out = key === undefined || !isProven ? null : await written(proof, key, options.out);
  context.stdout.answer({
    json: options.json,
    document: { ...proof, proven: isProven, out },
    lines: () => [...proofLines(proof), ...(out === null ? [] : [`certificate written to ${out}`])],
  });
  if (!isProven) throw new ExitStatus(FOUND);
}

async function check(
  file: string,
  options: ProveOptions,
  { stdout }: CommandContext,
): Promise<void> {
  if (options.key === undefined) throw new Error('--check needs --key, the public key');
  const text = await readFile(file, 'utf8');
  const policy = await loadPolicy(options);
  const pin = pinnedKeyOf(await readKeyFile(options.key), options.keyId);
  const result = verified(text, pin, policy);
  const refused = result instanceof PolicyRefused;
  if (options.json === true) {
    const document = refused
      ? { valid: false, because: result.message }
      : { valid: true, certificate: result };
    stdout.json(document);
  } else if (refused) stdout.line(result.message);
  else stdout.lines([...proofLines(result), `valid, issued ${result.issued_at}`]);
  if (refused) throw new ExitStatus(FOUND);
}

async function signingKeyFor(options: ProveOptions): Promise<SigningKey | undefined> {
  const { key, keyId, out } = options;
  if ((key === undefined) !== (out === undefined))
    throw new Error('a certificate takes both, --key to sign it and --out to write it');
  if (key === undefined) return undefined;
  const signing = signingKeyOf(await readKeyFile(key), keyId);
  if (signing.alg !== 'ES256')
    throw new Error('a certificate is signed with ES256: --key must be EC on P-256');
  return signing;
}

async function proven(options: ProveOptions, progress: Progress): Promise<Proof> {
  const policy = await loadPolicy(options);
  const assignment = assignmentOf(policy, [], false);
  const examination = await examineWith(policy, assignment, options.jobs, progress);
  return proofOf(policy, assignment, examination, new Date().toISOString());
}

async function written(
  proof: Proof,
  key: SigningKey,
  out: string | undefined,
): Promise<string | null> {
  if (out === undefined) return null;
  await writeWhole(out, `${signCertificate(proof, key)}\n`);
  return out;
}

function proofLines(proof: Proof): readonly string[] {
  const lines = proof.invariants.map(({ name, looked, broken }) =>
    broken === 0 && looked > 0
      ? `ok      ${name} (${counted(looked)})`
      : `BROKEN  ${name}: ${counted(broken)} of ${counted(looked)}; tenure policy verify shows the smallest`,
  );
  const { questions, actions, switch_combinations: combinations } = proof.model;
  return [
    ...lines,
    `${counted(questions)} questions about ${counted(actions)} actions under ${counted(combinations)} combinations of switches`,
    `policy ${proof.policy}`,
  ];
}

function verified(
  text: string,
  pin: PinnedKey,
  { material, data }: LoadedPolicy,
): IsolationCertificate | PolicyRefused {
  try {
    return verifyCertificate(text, [pin], { wasm: material.wasm, data });
  } catch (error) {
    if (error instanceof PolicyRefused) return error;
    throw error;
  }
}
