import { execFile } from 'node:child_process';
import path from 'node:path';
import { env } from 'node:process';
import { promisify } from 'node:util';
import { cache } from '../paths.js';
import { launchEmulator, type SushyEmulator } from '../sushy-emulator.js';

const run = promisify(execFile);

/** The files that scripts/test-env/vm.sh made. */
export const vmFiles = path.join(cache, 'vm');

/** A folder that the machines of this run can use; removed at its end. */
export const machineDirectory = (): string =>
  path.join(given('TENURE_TEST_LIBVIRT_DIR'), 'machines');

/** The folder of the pool `default`. */
export const poolDirectory = (): string => path.join(given('TENURE_TEST_LIBVIRT_DIR'), 'pool');

/** The output of `virsh` for the libvirt of this run. */
export async function virsh(...args: readonly string[]): Promise<string> {
  const uri = given('TENURE_TEST_LIBVIRT_URI');
  const { stdout } = await run('virsh', ['-q', '-c', uri, ...args], { timeout: 60_000 });
  return stdout.trim();
}

/** Starts a BMC for every machine of this run's libvirt. */
export function libvirtEmulator(account: {
  readonly username: string;
  readonly password: string;
}): Promise<SushyEmulator> {
  return launchEmulator({
    ...account,
    command: path.join(vmFiles, 'venv', 'bin', 'sushy-emulator'),
    args: ['--libvirt-uri', given('TENURE_TEST_LIBVIRT_URI')],
    settings: {},
  });
}

function given(name: string): string {
  const value = env[name];
  if (value === undefined) throw new Error(`${name} is not set: run through with-libvirt.sh`);
  return value;
}
