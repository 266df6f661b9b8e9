import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { signingKeyOf } from '@tenure/policy';
import { readBundleAt, signBundle, writeBundleEntries } from '@tenure/policy/runtime';
import { type Command } from 'commander';
import { type CommandContext } from '../../../terminal/command-context.js';
import { examples, EXIT_STATUS } from '../examples.js';
import { keyIdOption, readKeyFile } from '../key-files.js';
import {
  type AskOptions,
  bundleOption,
  openPolicy,
  overlayOption,
  switchOption,
} from '../policy-options.js';
import { writeWhole } from '../write-file.js';
import { buildBundle } from './build.js';

interface BuildOptions extends AskOptions {
  readonly out: string;
  readonly certificate?: string;
  readonly signKey?: string;
  readonly keyId: string;
  readonly scope: string;
}

/**
 * Adds `tenure policy build`: a bundle with overlays and switches merged into it. It throws PolicyRefused or PolicyFailure
 * for unusable input, and then writes nothing.
 */
export function addBuildCommand(policy: Command, context: CommandContext): void {
  policy
    .command('build')
    .description(
      'merge overlays and switches into a bundle; reproducible: the same input gives the same bytes',
    )
    .requiredOption('--out <file>', 'bundle (.tar.gz) to write')
    .addOption(bundleOption(context.env))
    .addOption(overlayOption(context.env))
    .addOption(switchOption())
    .option('--certificate <file>', 'certificate of isolation to include; see tenure policy prove')
    .option('--sign-key <pem>', 'private key to sign with: RSA (RS256) or EC on P-256 (ES256)')
    .addOption(keyIdOption())
    .option('--scope <scope>', 'scope of the signature', '')
    .option('--json', 'one JSON document')
    .addHelpText(
      'after',
      examples(
        'tenure policy build --overlay mine.yaml --out new.tar.gz',
        'tenure policy build --overlay mine.yaml --sign-key key.pem --certificate proof.jws --out new.tar.gz',
      ) + EXIT_STATUS,
    )
    .action((options: BuildOptions) => build(options, context));
}

async function build(options: BuildOptions, context: CommandContext): Promise<void> {
  const { certificate, signKey, out } = options;
  const key =
    signKey === undefined ? undefined : signingKeyOf(await readKeyFile(signKey), options.keyId);
  const built = await buildBundle({
    entries: await readBundleAt(options.bundle),
    overlays: options.overlay,
    switches: options.switch,
    certificate: certificate === undefined ? undefined : await readFile(certificate, 'utf8'),
  });
  // A bundle that cannot be evaluated is never written.
  const policy = await openPolicy({
    wasm: built.wasm,
    data: built.data,
    overlays: [],
    sources: {},
  });
  await policy.under({});
  const entries = key === undefined ? built.entries : signBundle(built.entries, key, options.scope);
  const archive = writeBundleEntries(entries);
  await writeWhole(out, archive);
  const sha256 = createHash('sha256').update(archive).digest('hex');
  const document = {
    out,
    revision: built.revision,
    sha256,
    bytes: archive.length,
    files: entries.size,
    overlays: options.overlay,
    signed: key === undefined ? null : { key_id: key.id, algorithm: key.alg },
  };
  const signed = key === undefined ? '' : `, signed with ${key.alg} by ${key.id}`;
  context.stdout.answer({
    json: options.json,
    document,
    lines: () => [`${out}: ${built.revision}, ${String(archive.length)} bytes${signed}`],
  });
}
